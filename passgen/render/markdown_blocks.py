"""Markdown of a spec's author as a part of a larger page that it cannot break.

Reads the block structure of CommonMark (containers, code, headings, paragraphs), and
writes it back with headings moved below the one that it stands under, code left as it
is, open code blocks closed, labels of links made its own, and HTML as text:
`tensor<i32>` is no tag here.

    md_block("# Title", below=2) == "### Title"
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from passgen.render import markdown_links

_MAX_HEADING: Final = 6
_MAX_DEPTH: Final = 16
"""Quotes and list items that may be nested; deeper markers are text."""

_CODE_INDENT: Final = 4
"""Columns that make a line code."""

_HEADING = re.compile(r"(?P<marks>#{1,6})(?P<rest>[ ].*|$)")
_FENCE = re.compile(r"(?P<fence>`{3,})(?P<info>[^`]*)$|(?P<tildes>~{3,}).*$")
_ITEM = re.compile(r"(?P<marker>[-+*]|\d{1,9}[.)])(?P<space> +|$)")
_THEMATIC = re.compile(r"([-*_])(?: *\1){2,} *$")
_UNDERLINE = re.compile(r"(=+|-+) *$")
_AUTOLINK = re.compile(r"<(?:https?|mailto):[^\s<>]*>")
_INLINE = re.compile(rf"\\.|(?P<run>`+)|{_AUTOLINK.pattern}|<", re.DOTALL)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_IN_TARGETS: Final = "!#$%&'*+,/:;=?@[]~"
"""What stays as it is where a link leads; letters, digits and `_.-` do anyway."""

_KEPT_FORMAT: Final = "\u200c\u200d"
"""Joiners, which scripts and emoji need; other format characters can mislead."""


def md_block(text: str, below: int, indent: int = 0) -> str:
    """Return the Markdown `text` as part of a section.

    Args:
        text: what an author wrote.
        below: the level of the section's heading; the text's highest heading comes one
            level below, or stays where it is deeper already.
        indent: columns by which all lines are indented, to stand in a list item.
    """
    lines = [visible(line) for line in re.split(r"\r\n|\r|\n", text.rstrip())]
    found = _Found()
    out = _Blocks(lines, _Change(), found).write()
    shift = max(0, below + 1 - min(found.levels, default=below + 1))
    if shift or found.labels:
        change = _Change(shift, frozenset(found.labels), _digest(lines))
        out = _Blocks(lines, change, _Found()).write()
    margin = " " * indent
    return "\n".join(margin + line if line else "" for line in out)


def _digest(lines: list[str]) -> str:
    """Return what no other description on a page has, and which a renewal keeps."""
    import hashlib  # noqa: PLC0415 - for what few pages have

    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]


def visible(text: str) -> str:
    """Return `text` with U+FFFD for what controls terminals or reverses reading."""
    if text.isprintable():
        return text
    return "".join(char if _is_visible(char) else "\ufffd" for char in text)


def _is_visible(char: str) -> bool:
    if char in "\n\t" or char in _KEPT_FORMAT or char.isprintable():
        return True
    return unicodedata.category(char) == "Zs"


def escape_html(text: str) -> str:
    """Return inline Markdown with `<` escaped where it could begin a tag."""
    if "<" not in text:
        return text
    runs: defaultdict[int, list[int]] = defaultdict(list)
    for run in re.finditer("`+", text):
        runs[len(run[0])].append(run.start())
    targets = markdown_links.pointed_targets(text)
    out: list[str] = []
    position = 0
    while match := _INLINE.search(text, position):
        out.append(text[position : match.start()])
        position = match.end()
        if match["run"]:
            starts = runs[len(match["run"])]
            after = bisect_right(starts, match.start())
            if after < len(starts):  # a code span: all is text up to its end
                position = starts[after] + len(match["run"])
            out.append(text[match.start() : position])
        elif match[0] == "<" and match.start() in targets:
            position = targets[match.start()]
            out.append(_unpointed(text[match.end() : position - 1]))
        else:
            out.append(r"\<" if match[0] == "<" else match[0])
    return "".join(out) + text[position:]


def _unpointed(target: str) -> str:
    """Return where a link leads in the form without `<` and `>`, which are no tag."""
    return quote(_ESCAPED.sub(r"\1", target), safe=_IN_TARGETS) or "<>"


@dataclass(frozen=True)
class _Fence:
    mark: str
    """The run of characters that opened it."""

    column: int

    def is_closed_by(self, content: str) -> bool:
        stripped = content.rstrip(" ")
        is_run = bool(stripped) and not stripped.strip(self.mark[0])
        return is_run and len(stripped) >= len(self.mark)


@dataclass(frozen=True)
class _Change:
    """What to make of the text."""

    shift: int = 0
    """Levels by which headings move."""

    labels: frozenset[str] = frozenset()
    """Of link definitions, to which the suffix is put."""

    suffix: str = ""


class _Found:
    """What the text has, as it was before any change."""

    def __init__(self) -> None:
        self.levels: list[int] = []
        self.labels: set[str] = set()


class _Blocks:
    """Reads lines and writes them back; `containers` are the columns of open items."""

    def __init__(
        self, lines: list[str], change: _Change, found: _Found, depth: int = 0
    ) -> None:
        self.lines = lines
        self.change = change
        self.found = found
        self.depth = depth
        self.out: list[str] = []
        self.containers: list[int] = []
        self.fence: _Fence | None = None
        self.paragraph: list[str] = []
        """The open paragraph's lines without their prefixes."""

        self.prefixes: list[str] = []
        self.is_item_empty = False
        """Whether the line before opened an item and had nothing in it."""

        self.ends_in_paragraph = False
        """Whether a line after the last one could continue its paragraph."""

        self.index = 0

    def write(self) -> list[str]:
        while self.index < len(self.lines):
            line = _untabbed(self.lines[self.index], is_code=self.fence is not None)
            self.index += 1
            if not self.in_fence(line):
                self.ends_in_paragraph = False
                self.read(line)
        self.ends_in_paragraph |= bool(self.paragraph)
        self.end_paragraph()
        self.end_fence()
        return self.out

    def column(self) -> int:
        return self.containers[-1] if self.containers else 0

    def in_fence(self, line: str) -> bool:
        """Return whether `line` belongs to the open code block, and write it if so."""
        if self.fence is None:
            return False
        content = line.lstrip(" ")
        spaces = len(line) - len(content)
        if content and spaces < self.column():
            self.end_fence()
            return False
        is_indented = spaces - self.column() >= _CODE_INDENT
        if not is_indented and self.fence.is_closed_by(content):
            self.end_fence()
        else:
            self.out.append(line if content else line[self.column() :])
        return True

    def end_fence(self) -> None:
        if self.fence is not None:
            self.out.append(" " * self.fence.column + self.fence.mark)
            self.fence = None

    def read(self, line: str) -> None:
        content = line.lstrip(" ")
        if not content:
            self.end_paragraph()
            if self.is_item_empty:  # an item that begins with a blank line ends there
                self.containers.pop()
            self.is_item_empty = False
            self.out.append("")
            return
        spaces = len(line) - len(content)
        open_items = [column for column in self.containers if column <= spaces]
        column = open_items[-1] if open_items else 0
        is_inside = len(open_items) == len(self.containers)
        is_code = spaces - column >= _CODE_INDENT
        if self.paragraph and (is_code or not self.interrupts(content, is_inside)):
            # Indented like code, a line of a paragraph can be nothing else.
            margin = " " * (spaces if is_inside else self.column() + _CODE_INDENT)
            if is_inside and not is_code and _UNDERLINE.fullmatch(content):
                self.underline(content)
            else:
                self.add_to_paragraph(margin, content)
            return
        self.end_paragraph()
        self.containers = open_items
        self.is_item_empty = False
        if is_code:
            self.out.append(line)
        else:
            self.start(" " * spaces, content)

    def interrupts(self, content: str, is_inside: bool) -> bool:  # noqa: FBT001 - state
        """Return whether `content` begins a block although a paragraph is open."""
        if is_inside and _UNDERLINE.fullmatch(content):
            return False
        if content.startswith(">") or _THEMATIC.match(content):
            return True
        if _HEADING.fullmatch(content) or _FENCE.fullmatch(content):
            return True
        if item := _ITEM.match(content):
            is_first = not item["marker"][0].isdigit() or int(item["marker"][:-1]) == 1
            has_text = bool(content[item.end() :].strip())
            return not is_inside or (is_first and has_text)
        return False

    def start(self, prefix: str, content: str) -> None:
        """Read the start of a block that stands after `prefix`, which is written."""
        while not _THEMATIC.match(content) and (item := _ITEM.match(content)):
            if len(self.containers) + self.depth >= _MAX_DEPTH:
                break
            rest = content[item.end() :]
            space = item["space"]
            if not rest:
                self.containers.append(len(prefix) + len(item["marker"]) + 1)
                self.is_item_empty = True
                self.out.append(prefix + item["marker"])
                return
            is_code = len(space) > _CODE_INDENT
            width = 1 if is_code else len(space)
            self.containers.append(len(prefix) + len(item["marker"]) + width)
            prefix += item["marker"] + space
            content = rest
            if is_code:
                self.out.append(prefix + content)
                return
        if content.startswith(">") and self.depth + len(self.containers) < _MAX_DEPTH:
            self.quote(prefix, content)
        elif heading := _HEADING.fullmatch(content):
            self.heading(prefix, len(heading["marks"]), heading["rest"])
        elif fence := _FENCE.fullmatch(content):
            self.fence = _Fence(fence["fence"] or fence["tildes"], len(prefix))
            self.out.append(prefix + content)
        elif _THEMATIC.match(content):
            self.out.append(prefix + content)
        else:
            self.add_to_paragraph(prefix, content)

    def quote(self, prefix: str, content: str) -> None:
        """Read a quote: lines with its mark, and those that continue its paragraph."""
        quoted = [content[1:].removeprefix(" ")]
        lazy_column: int | None = None
        column = self.column()
        pattern = re.compile(rf" {{{column},{column + 3}}}> ?(?P<rest>.*)")
        while self.index < len(self.lines):
            line = _untabbed(self.lines[self.index], is_code=False)
            if match := pattern.fullmatch(line):
                quoted.append(match["rest"])
                lazy_column = lazy_column if self.continues(match["rest"]) else None
            else:
                if lazy_column is None:
                    lazy_column = self.lazy_column(quoted)
                lazy = self.lazily(line, lazy_column)
                if lazy is None:
                    break
                quoted.append(lazy)
            self.index += 1
        inner = self.inside(quoted, self.change, self.found)
        inner_lines = inner.write()
        self.ends_in_paragraph = inner.ends_in_paragraph
        for line in inner_lines:
            self.out.append(f"{prefix}> {line}" if line else f"{prefix}>")
            prefix = " " * max(column, len(prefix) if prefix.isspace() else column)
        if self.index < len(self.lines) and self.lines[self.index].strip():
            self.out.append("")  # what follows is no part of the quote's last paragraph

    def inside(self, quoted: list[str], change: _Change, found: _Found) -> _Blocks:
        """Return what reads the lines of a quote that stands here."""
        depth = self.depth + len(self.containers) + 1
        return _Blocks(quoted, change, found, depth)

    def continues(self, content: str) -> bool:
        """Return whether `content` continues any paragraph that it stands under."""
        content = content.lstrip(" ")
        is_start = self.interrupts(content, is_inside=False)
        return bool(content) and not is_start and not _UNDERLINE.fullmatch(content)

    def lazy_column(self, quoted: list[str]) -> int:
        """Return the column of the paragraph that ends `quoted`, -1 if none does."""
        inner = self.inside(quoted, _Change(), _Found())
        inner.write()
        return inner.column() if inner.ends_in_paragraph else -1

    def lazily(self, line: str, column: int) -> str | None:
        """Return `line` as it continues a paragraph of a quote, if it does."""
        content = line.lstrip(" ")
        is_deep = len(line) - len(content) - self.column() >= _CODE_INDENT
        if not content or column < 0:
            return None
        if self.continues(content):
            return content
        if not is_deep and self.interrupts(content, is_inside=False):
            return None
        # Indented like code, it is read as what it is here: no start of a block.
        return " " * (column + _CODE_INDENT) + content

    def heading(self, prefix: str, level: int, rest: str) -> None:
        self.found.levels.append(level)
        marks = "#" * min(level + self.change.shift, _MAX_HEADING)
        change = self.change
        text = markdown_links.rewrite(escape_html(rest), change.labels, change.suffix)
        self.out.append(prefix + marks + text)

    def underline(self, content: str) -> None:
        """Write the paragraph that `content` underlines as a heading of one line."""
        defining = self.defining_lines()
        if defining == len(self.paragraph):  # nothing is left for a heading
            self.add_to_paragraph(self.prefixes[-1], content)
            return
        prefix = self.prefixes[0]
        if defining:
            lines, prefixes = self.paragraph[defining:], self.prefixes[defining:]
            del self.paragraph[defining:], self.prefixes[defining:]
            self.end_paragraph()
            self.paragraph, self.prefixes = lines, prefixes
            prefix = " " * self.column()
        text = " ".join(line.strip() for line in self.paragraph)
        self.paragraph, self.prefixes = [], []
        if text.endswith("#"):
            text += " #"  # closing marks are not shown: these are, and text's own stay
        self.heading(prefix, 1 if content[0] == "=" else 2, f" {text}")

    def add_to_paragraph(self, prefix: str, content: str) -> None:
        if content.startswith("<") and not _AUTOLINK.match(content):
            content = "\\" + content  # a tag here ends even a code span
        self.prefixes.append(prefix)
        self.paragraph.append(content)

    def defining_lines(self) -> int:
        """Return how many lines of the open paragraph define links."""
        text = escape_html("\n".join(self.paragraph)) + "\n"
        return sum(match[0].count("\n") for match in markdown_links.definitions(text))

    def end_paragraph(self) -> None:
        if self.paragraph:
            text = escape_html("\n".join(self.paragraph))
            self.found.labels.update(
                markdown_links.normalized(match["label"])
                for match in markdown_links.definitions(text)
            )
            change = self.change
            text = markdown_links.rewrite(text, change.labels, change.suffix)
            pairs = zip(self.prefixes, text.split("\n"), strict=True)
            self.out += [prefix + line for prefix, line in pairs]
            self.paragraph, self.prefixes = [], []


def _untabbed(line: str, *, is_code: bool) -> str:
    if "\t" not in line:
        return line
    if is_code:
        content = line.lstrip(" \t")
        return line[: len(line) - len(content)].expandtabs(4) + content
    return line.expandtabs(4)
