"""Markdown of authors as markdown-it parses it, with the edits that a page needs.

Rules of the parser note these edits: HTML tags and roles of MyST become text, and the
labels of links become unique to the text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:  # imported when an author's text is read
    from markdown_it import MarkdownIt
    from markdown_it.parser_inline import RuleFuncInlineType
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

MARGIN: Final = re.compile(r"(?:[\s>]|[-+*](?=\s)|\d{1,9}[.)](?=\s))*")
"""Indentation and the marks of quotes and lists, whose columns mean something."""

AUTOLINK: Final = re.compile(r"<(?:https?|mailto):[^\s<>]*>")
_ROLE: Final = re.compile(r"\{[^\s{}]+}(?=`)")

_MAX_NESTING: Final = 100
"""The limit on the depth of quotes, lists and items."""

_MAX_SEARCHED: Final = 500_000
"""The limit on characters that are searched for the ends of brackets that begin no
link, besides ten times the text. The search is quadratic.
"""

_NOTES: Final = "notes"
"""The key of the notes on a text in its environment, which markdown-it hands around."""

_Definition: TypeAlias = Mapping[str, Any]
"""A link definition, as markdown-it has it: `href`, `title`, and the lines in `map`."""


@dataclass(slots=True)
class _Notes:
    """The notes of the parser's rules on a text."""

    text_id: str
    """A part of the labels in the text that those of other texts do not have."""

    edits: dict[str, dict[tuple[int, int], str]] = field(default_factory=dict)
    """The new text of spans, for each piece of inline Markdown."""

    num_searched: int = 0
    """The characters that were searched for the ends of brackets that begin no link."""

    def add_edit(self, content: str, start: int, end: int, text: str) -> None:
        """Note that `text` replaces a span of the inline Markdown `content`."""
        self.edits.setdefault(content, {})[start, end] = text

    def apply_edits(self, content: str) -> str:
        """Return the inline Markdown `content` with the edits that it needs.

        Of two edits that overlap, the first is made.
        """
        pieces: list[str] = []
        done = 0
        for (start, end), text in sorted(self.edits.get(content, {}).items()):
            if start >= done:
                pieces += content[done:start], text
                done = end
        return "".join(pieces) + content[done:]

    def own_label(self, definition: _Definition) -> str:
        """Return the label of a link definition that no other text on the page has."""
        first_line, _ = definition["map"]
        return f"{first_line + 1}-{self.text_id}"

    def is_searched_enough(self, content: str) -> bool:
        """Return whether no further ends of brackets are searched in `content`."""
        return self.num_searched > _MAX_SEARCHED + 10 * len(content)


class ParsedText:
    """A Markdown text of an author."""

    def __init__(self, source: str) -> None:
        """Parse `source`, which has no line end behind it."""
        self._notes = _notes_on(source)
        environment: dict[str, Any] = {_NOTES: self._notes}
        self.tokens = _parser().parse(f"{source}\n", environment)
        self._definitions: Mapping[str, _Definition]
        self._definitions = environment.get("references", {})
        self._repeated_definitions = environment.get("duplicate_refs", ())
        is_deep = any(token.level >= _MAX_NESTING - 1 for token in self.tokens)
        self.is_too_complex = is_deep or self._notes.is_searched_enough(source)
        """Whether the parser gave up on a part of the text."""

    def apply_edits(self, content: str) -> str:
        """Return the inline Markdown `content` with the edits that it needs."""
        return self._notes.apply_edits(content)

    def definitions(self) -> Iterator[tuple[str, _Definition]]:
        """Yield the link definitions, each with a label that is unique to the text."""
        for definition in self._definitions.values():
            yield self._notes.own_label(definition), definition
        for repeated in self._repeated_definitions:
            definition = self._definitions[repeated["label"]]
            yield self._notes.own_label(definition), repeated


def edit_line(line: str) -> str:
    """Return one line of inline Markdown with the edits that it needs."""
    notes = _notes_on(line)
    _parser().parseInline(line, {_NOTES: notes})
    return notes.apply_edits(line)


def paragraphs(text: str) -> Iterator[range]:
    """Yield the numbers of the lines of each paragraph in the Markdown `text`."""
    tokens: list[Token] = []
    _parser().block.parse(text, _parser(), {}, tokens)
    for token in tokens:
        if token.type == "paragraph_open" and token.map:
            yield range(*token.map)


def _notes_on(source: str) -> _Notes:
    return _Notes(hashlib.sha256(source.encode()).hexdigest()[:8])


@cache
def _parser() -> MarkdownIt:
    """Return the parser of authors' texts, whose rules take notes."""
    from markdown_it import MarkdownIt, rules_inline  # noqa: PLC0415 - see above

    parser = MarkdownIt("zero", {"maxNesting": _MAX_NESTING})
    parser.enable(["blockquote", "code", "fence", "heading", "hr", "lheading"])
    parser.enable(["list", "reference"])
    parser.enable(["autolink", "backticks", "escape", "image", "link"])
    parser.inline.ruler.before("autolink", "tag", _tag_or_role)
    parser.inline.ruler.at("image", _noting_labels(rules_inline.image))
    parser.inline.ruler.at("link", _noting_labels(rules_inline.link))
    return parser


def _tag_or_role(
    state: StateInline, silent: bool  # noqa: FBT001 - markdown-it's
) -> bool:
    """Note escapes of `<` unless it begins an autolink, and of the brace of a role."""
    start = state.pos
    char = state.src[start]
    if char == "<":
        is_text = not AUTOLINK.match(state.src, start)
    else:
        is_text = bool(_ROLE.match(state.src, start))
    if not is_text:
        return False
    notes: _Notes = state.env[_NOTES]
    notes.add_edit(state.src, start, start + 1, f"\\{char}")
    state.pos += 1
    if not silent:
        state.pending += char
    return True


def _noting_labels(rule: RuleFuncInlineType) -> RuleFuncInlineType:
    """Return `rule`, for links or images, extended to note edits of labels."""

    def noting(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - its type
        notes: _Notes = state.env[_NOTES]
        if notes.is_searched_enough(state.src):
            return False
        start = state.pos
        if not rule(state, silent):
            if state.src[start] in "![":
                notes.num_searched += len(state.src) - start
            return False
        has_label = state.src[state.pos - 1] == "]"
        if has_label:
            _note_label(state, start)
        return True

    return noting


def _note_label(state: StateInline, start: int) -> None:
    """Note the edit of the label of a link or image between `start` and `state.pos`.

    It is `[text][label]`, or `[text][]` or `[text]`, whose text is the label.
    """
    from markdown_it.common.utils import normalizeReference  # noqa: PLC0415 - see above

    source, notes = state.src, state.env[_NOTES]
    is_image = source[start] == "!"
    opening = start + is_image
    closing = state.md.helpers.parseLinkLabel(state, opening, not is_image)
    given = source[closing + 1 : state.pos]
    label = given[1:-1] or source[opening + 1 : closing]
    definition = state.env["references"][normalizeReference(label)]
    # The number of lines must stay: each keeps its margin.
    line_breaks = "\n" * given.count("\n")
    own_label = f"[{notes.own_label(definition)}{line_breaks}]"
    notes.add_edit(source, closing + 1, state.pos, own_label)
