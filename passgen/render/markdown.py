"""Markdown syntax: the filters of the Markdown templates, which `render` registers.

The dialect is CommonMark, as markdown-it reads it. What MyST would execute, directives
and roles, is text.

    md_text("a < b | *c*") is the source that renders as these characters
    block_text("# Title", below=2) == "### Title"
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, MutableMapping, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:  # imported when an author's text is read
    from markdown_it import MarkdownIt
    from markdown_it.parser_inline import RuleFuncInlineType
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_Env: TypeAlias = MutableMapping[str, Any]
"""The notes of markdown-it and of the rules below on one text."""

_SPECIAL: Final = re.compile(
    r"""
      [\\`*\[\]<|~$]              # inline markup wherever it stands
    | \{(?=[^\s{}]+}`)           # a role of MyST
    | &(?=\#?\w+;)                # an entity
    | (?<![^\W_])_|_(?![^\W_])    # emphasis; inside a word an underscore is text
    | ^(?:[#>+=-]|\d+(?=[.)]))    # block markup at the start of a line
    """,
    re.VERBOSE,
)
_CODE_OR_SPECIAL: Final = re.compile(
    rf"(?P<code>(?<!`)`[^`]+`(?!`))|{_SPECIAL.pattern}", re.VERBOSE
)

_KEPT_FORMAT: Final = "\u200c\u200d"
"""Joiners, which scripts and emoji need; other format characters can mislead."""

_AUTOLINK: Final = re.compile(r"<(?:https?|mailto):[^\s<>]*>")
_ROLE: Final = re.compile(r"\{[^\s{}]+}(?=`)")
MARGIN: Final = re.compile(r"(?:[\s>]|[-+*](?=\s)|\d{1,9}[.)](?=\s))*")
"""Indentation and the marks of quotes and lists, whose columns mean something."""

_ENTITIES: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", '"': "&quot;", "\\": "&#92;", "\n": "&#10;"}
)
_MAX_HEADING: Final = 6
_MAX_NESTING: Final = 100
"""The depth of quotes, lists and items; a deeper text is shown as code."""

_MAX_SEARCHED: Final = 500_000
"""The characters that may be searched for the ends of brackets that begin no link,
besides ten times the text; a text with more is shown as code. The search is quadratic.
"""


_BARE_PIPE: Final = re.compile(r"(?<!\\)\|")
"""What ends a cell of a table, also in code."""


def visible(text: str) -> str:
    """Return `text` with U+FFFD for control characters and changes of direction."""
    if text.isprintable():
        return text
    return "".join(char if _is_visible(char) else "\ufffd" for char in text)


def _is_visible(char: str) -> bool:
    if char in "\n\t" or char in _KEPT_FORMAT or char.isprintable():
        return True
    return unicodedata.category(char) == "Zs"


def md_text(text: str) -> str:
    """Return plain `text` on one line, so that it renders as written."""
    line = visible(" ".join(text.split()))
    return _SPECIAL.sub(_backslash, line)


def md_summary(text: str) -> str:
    """Return plain `text` on one line, in which code between backquotes is code."""
    line = visible(" ".join(text.split()))
    return _CODE_OR_SPECIAL.sub(lambda match: match["code"] or _backslash(match), line)


def md_code(text: str) -> str:
    """Return `text` as a code span on one line; it must not be empty."""
    line = visible(re.sub(r"\r\n|\r|\n", " ", text))
    fence = "`" * (_longest_run("`", line) + 1)
    is_padded = line.strip(" ") and (
        line.startswith(("`", " ")) or line.endswith(("`", " "))
    )
    return f"{fence} {line} {fence}" if is_padded else f"{fence}{line}{fence}"


def md_code_list(texts: Sequence[object]) -> str:
    """Return texts or names as code spans with commas between them."""
    return ", ".join(md_code(str(text)) for text in texts)


def md_link(name: str, anchors: Mapping[str, str]) -> str:
    """Return `name` as a code span that leads to its anchor, if it has one."""
    code = md_code(name)
    return f"[{code}](#{md_anchor(anchors[name])})" if name in anchors else code


def md_links(names: Sequence[str], anchors: Mapping[str, str]) -> str:
    """Return `names` with commas between them, each as `md_link` has it."""
    return ", ".join(md_link(name, anchors) for name in names)


def md_indent(depth: int) -> str:
    """Return the indentation of an item of a list inside `depth` others."""
    return "  " * depth


def after_colon(text: str) -> str:
    """Return one line of Markdown behind a colon, HTML as text; nothing for nothing."""
    line = visible(" ".join(text.split()))
    env: _Env = {}
    _parser().parseInline(line, env)
    return f": {_edit(line, env)}" if line else ""


def md_cell(text: str) -> str:
    """Return plain `text` for a cell of a table; code between backquotes is code."""
    return _BARE_PIPE.sub(r"\|", md_summary(text))


def md_fenced(text: str, language: str) -> str:
    """Return `text` as a block of code in `language`."""
    fence = "`" * max(3, _longest_run("`", text) + 1)
    return f"{fence}{language}\n{visible(text)}\n{fence}"


def md_anchor(text: str) -> str:
    """Return `text` as the name of an anchor; characters that links allow stay."""
    return re.sub(
        r"[^\w.-]", lambda match: f"-{ord(match[0]):x}-", text, flags=re.ASCII
    )


def heading_anchor(text: str) -> str:
    """Return the anchor that sites such as GitHub give to a heading."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def md_comment(text: str) -> str:
    """Return `text` as a part of a one-line comment, which it cannot end."""
    line = visible(" ".join(text.split()))
    return re.sub(r"--(!?)>", r"-- \1>", line)


def md_verbatim(text: str) -> str:
    """Return `text`, which is a part of the page's source already."""
    return text


def md_pad(text: str, width: int) -> str:
    """Return `text`, source already, with spaces up to `width` bytes."""
    return text + " " * (width - len(text.encode()))


def block_text(
    text: str, below: int, indent: int = 0, taken: Collection[str] = ()
) -> str:
    """Return the Markdown `text` as a part of a section, which it cannot end.

    Headings become subheadings of the section, HTML becomes text (`tensor<i32>` is no
    tag), an open code block is closed, and labels of links are unique to the text.

    Args:
        text: the Markdown of an author.
        below: the level of the section's heading; the text's highest heading is moved
            one level below it unless it is deeper already.
        indent: the columns by which all lines are indented, for a list item.
        taken: the anchors of the page's own headings, as `heading_anchor` makes them; a
            heading of the text with such an anchor becomes a bold line.
    """
    lines = [_tidy(visible(line)) for line in re.split(r"\r\n|\r|\n", text.rstrip())]
    source = "\n".join(lines)
    env: _Env = {"own": hashlib.sha256(source.encode()).hexdigest()[:8]}
    tokens = _parser().parse(source + "\n", env)
    is_deep = any(token.level >= _MAX_NESTING - 1 for token in tokens)
    if is_deep or _is_searched_enough(env, source):
        block = md_fenced(source, "")
    else:
        changed = _blank_lines(lines, tokens)
        changed |= _fences(lines, tokens)
        changed |= _headings_and_paragraphs(lines, tokens, below, env, taken)
        changed |= _definitions(lines, env)
        kept = (changed.get(number, line) for number, line in enumerate(lines))
        block = "\n".join(line for line in kept if line is not None)
        block += _missing_fence(tokens)
    return re.sub("^(?=.)", " " * indent, block, flags=re.MULTILINE)


def paragraphs(text: str) -> Iterator[range]:
    """Yield the numbers of the lines of each paragraph in the Markdown `text`."""
    tokens: list[Token] = []
    _parser().block.parse(text, _parser(), {"own": ""}, tokens)
    for token in tokens:
        if token.type == "paragraph_open" and token.map:
            yield range(*token.map)


def _tidy(line: str) -> str:
    """Return `line` without tabs in its margin and no-break spaces at its end."""
    line = MARGIN.sub(lambda match: match[0].expandtabs(4), line, count=1)
    bare = line.rstrip()
    return bare if line[len(bare) :].strip(" \t") else line


def _blank_lines(lines: list[str], tokens: list[Token]) -> dict[int, str | None]:
    """Return the blank lines outside code, without their spaces."""
    code = {
        number
        for token in tokens
        if token.type in {"fence", "code_block"} and token.map
        for number in range(*token.map)
    }
    blank = {number for number, line in enumerate(lines) if not line.strip()}
    return dict.fromkeys(blank - code, "")


def _fences(lines: list[str], tokens: list[Token]) -> dict[int, str | None]:
    """Return the lines that begin blocks of code as directives, without braces."""
    first_lines = [
        token.map[0]
        for token in tokens
        if token.map and token.info.strip().startswith("{")
    ]
    braces = str.maketrans("", "", "{}")
    return {number: lines[number].translate(braces) for number in first_lines}


def _headings_and_paragraphs(
    lines: list[str], tokens: list[Token], below: int, env: _Env, taken: Collection[str]
) -> dict[int, str | None]:
    """Return the lines that change, by number; `None` for a line to remove."""
    changed: dict[int, str | None] = {}
    levels = [int(token.tag[1:]) for token in tokens if token.type == "heading_open"]
    shift = max(0, below + 1 - min(levels, default=_MAX_HEADING))
    for opening, inline in pairwise(tokens):
        if inline.type != "inline" or not opening.map:
            continue
        first, end = opening.map
        text = _edit(inline.content, env)
        if opening.type == "heading_open":
            level = int(opening.tag[1:])
            marks = "#" * min(level + shift, _MAX_HEADING)
            if opening.markup.startswith("#"):
                margin, _, rest = lines[first].partition(opening.markup)
                rest = rest.replace(inline.content, text, 1)
            else:  # underlined
                margin = lines[first].rpartition(inline.content.split("\n")[0])[0]
                rest = " " + " ".join(map(str.strip, text.split("\n")))
                rest += " #" if rest.endswith("#") else ""  # the last # is not shown
                changed.update(dict.fromkeys(range(first + 1, end)))
            changed[first] = margin + marks + rest
            if heading_anchor(inline.content) in taken:
                blank = re.sub(r"[^>]", " ", margin).rstrip()
                before = f"{blank}\n" if "".join(lines[:first][-1:]).strip() else ""
                after = f"\n{blank}" if "".join(lines[end : end + 1]).strip() else ""
                changed[first] = f"{before}{margin}**{text}**{after}"
        else:
            pairs = zip(inline.content.split("\n"), text.split("\n"), strict=True)
            for number, (before, after) in enumerate(pairs, first):
                margin, _, ending = lines[number].rpartition(before.strip())
                bare = after.strip()
                if bare.startswith(("<", ":::")) and not _AUTOLINK.match(bare):
                    bare = "\\" + bare  # a tag or ::: here ends even a code span
                changed[number] = margin + bare + ending
    return changed


def _definitions(lines: list[str], env: _Env) -> dict[int, str | None]:
    """Return the lines of link definitions, with labels that are unique to the text."""
    changed: dict[int, str | None] = {}
    again = [
        (reference["label"], reference) for reference in env.get("duplicate_refs", ())
    ]
    for label, definition in (*env.get("references", {}).items(), *again):
        first, end = definition["map"]
        margin = lines[first].partition("[")[0]
        target = definition["href"].translate(_ENTITIES)
        title = definition["title"].translate(_ENTITIES)
        changed.update(dict.fromkeys(range(first + 1, end)))
        changed[first] = f"{margin}[{_own_label(label, env)}]: <{target}>" + (
            f' "{title}"' if title else ""
        )
    return changed


def _missing_fence(tokens: list[Token]) -> str:
    """Return the line that closes a block of code at the end of the text."""
    last = tokens[-1] if tokens else None
    if last is None or last.type != "fence" or last.level or not last.map:
        return ""
    is_closed = last.content.count("\n") < last.map[1] - last.map[0] - 1
    return "" if is_closed else f"\n{last.markup}"


def _edit(content: str, env: _Env) -> str:
    """Return inline Markdown with the edits that the parser's rules noted."""
    out: list[str] = []
    done = 0
    edits = env.get("edits", {}).get(content, {})
    for (start, end), text in sorted(edits.items()):
        if start >= done:
            out += content[done:start], text
            done = end
    return "".join(out) + content[done:]


def _own_label(label: str, env: _Env) -> str:
    """Return a label for `label` that no other text on the page has."""
    return f"{env['references'][label]['map'][0] + 1}-{env['own']}"


@cache
def _parser() -> MarkdownIt:
    """Return the parser of authors' texts, which notes edits in `env`."""
    from markdown_it import MarkdownIt, rules_inline  # noqa: PLC0415 - see above

    parser = MarkdownIt("zero", {"maxNesting": _MAX_NESTING})
    parser.enable(["blockquote", "code", "fence", "heading", "hr", "lheading"])
    parser.enable(["list", "reference"])
    parser.enable(["autolink", "backticks", "escape", "image", "link"])
    parser.inline.ruler.before("autolink", "tag", _tag_or_role)
    parser.inline.ruler.at("image", _noting_references(rules_inline.image))
    parser.inline.ruler.at("link", _noting_references(rules_inline.link))
    return parser


def _note(state: StateInline, start: int, end: int, text: str) -> None:
    edits = state.env.setdefault("edits", {}).setdefault(state.src, {})
    edits[start, end] = text


def _tag_or_role(
    state: StateInline, silent: bool  # noqa: FBT001 - markdown-it's
) -> bool:
    """Note escapes of `<` unless it begins an autolink, and of the brace of a role."""
    char = state.src[state.pos]
    if char == "<" and _AUTOLINK.match(state.src, state.pos):
        return False
    if char != "<" and not _ROLE.match(state.src, state.pos):
        return False
    _note(state, state.pos, state.pos + 1, f"\\{char}")
    state.pos += 1
    if not silent:
        state.pending += char
    return True


def _noting_references(rule: RuleFuncInlineType) -> RuleFuncInlineType:
    """Return `rule`, for links or images, extended to note edits of labels."""
    from markdown_it.common.utils import normalizeReference  # noqa: PLC0415 - see above

    def noting(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - its type
        start = state.pos
        if _is_searched_enough(state.env, state.src):
            return False
        if not rule(state, silent):
            if state.src[start] in "![":
                searched = state.env.get("searched", 0)
                state.env["searched"] = searched + len(state.src) - start
            return False
        if state.src[state.pos - 1] == "]":
            is_image = state.src[start] == "!"
            opening = start + is_image
            closing = state.md.helpers.parseLinkLabel(state, opening, not is_image)
            given = state.src[closing + 1 : state.pos]
            label = given[1:-1] or state.src[opening + 1 : closing]
            own = _own_label(normalizeReference(label), state.env)
            # The number of lines must stay: each keeps its margin.
            line_breaks = "\n" * given.count("\n")
            _note(state, closing + 1, state.pos, f"[{own}{line_breaks}]")
        return True

    return noting


def _is_searched_enough(env: _Env, text: str) -> bool:
    searched: int = env.get("searched", 0)
    return searched > _MAX_SEARCHED + 10 * len(text)


def _longest_run(char: str, text: str) -> int:
    return max(map(len, re.findall(f"{char}+", text)), default=0)


def _backslash(match: re.Match[str]) -> str:
    # After a number at the start of a line, the next character makes the list.
    return match[0] + "\\" if match[0].isdigit() else "\\" + match[0]
