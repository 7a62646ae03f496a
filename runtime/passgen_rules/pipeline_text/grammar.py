"""The grammar of textual pass pipelines: text to a tree with spans, and back.

Implements the first half of "Textual Pass Pipeline Specification" of MLIR's
PassManagement page. `options` splits the text between the braces; others look up the
names and read the values.

    pipeline ::= op-anchor `(` (element (`,` element)*)? `)`
    element  ::= pipeline | name (`{` options `}`)?

Blanks and line ends are allowed around every name, bracket, comma and option. Unlike in
MLIR, a nested pipeline may be empty, as in `builtin.module(func.func())`.

>>> str(parse_pipeline("builtin.module( func.func(cse , loop{n=4 deep}) )"))
'builtin.module(func.func(cse,loop{n=4 deep}))'
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from .errors import PipelineTextError, Span
from .options import BLANKS, TextSlice, TextualOption, parse_options

ANY_ANCHOR = "any"
"""The anchor of an op-agnostic pass manager."""

MISSING_ANCHOR = (
    "expected pass pipeline to be wrapped with the anchor operation type, "
    "e.g. 'builtin.module(...)'"
)

MAX_DEPTH: Final = 128
"""The deepest nesting of pipelines: deeper than IR nests, safe for recursion."""

_BRACE = re.compile(r"[{}]")
_NAME_TEXT = re.compile(r"[^,(){]*")
NAME_PATTERN: Final = r"""[^\s,(){}='"]+"""
"""The names of passes and anchors, as a regular expression."""


@dataclass(frozen=True, slots=True)
class PipelineElement:
    """A pass or pass pipeline with its options, or an anchor with its elements."""

    name: str
    span: Span = field(compare=False)
    """The place of the name."""

    options: tuple[TextualOption, ...] = ()
    nested: tuple[PipelineElement, ...] | None = None
    """The elements in parentheses; `None` if there are no parentheses."""

    def __str__(self) -> str:
        """Return the element's text in the printed form of pipelines."""
        if self.nested is not None:
            return f"{self.name}({','.join(map(str, self.nested))})"
        if self.options or not self.name:
            # Without braces, an element with an empty name would print as nothing.
            return f"{self.name}{{{' '.join(map(str, self.options))}}}"
        return self.name

    def pretty(self, indentation: str = "") -> str:
        """Return text of one line per pass that parses to this element."""
        if not self.nested:
            return f"{indentation}{self}"
        margin = f"{indentation}  "
        inner = ",\n".join(element.pretty(margin) for element in self.nested)
        return f"{indentation}{self.name}(\n{inner}\n{indentation})"


@dataclass(frozen=True, slots=True)
class TextualPipeline:
    """A parsed pipeline: one anchored pipeline, or a list of elements."""

    elements: tuple[PipelineElement, ...]
    text: str = field(default="", compare=False)
    """The parsed text, which the spans refer to."""

    def __str__(self) -> str:
        """Return the pipeline's text in its printed form."""
        return ",".join(map(str, self.elements))

    def pretty(self) -> str:
        """Return text of one line per pass that parses to this pipeline."""
        return ",\n".join(element.pretty() for element in self.elements)

    def __bool__(self) -> bool:
        """Return whether the pipeline has elements."""
        return bool(self.elements)


def parse_pipeline(text: str) -> TextualPipeline:
    """Return the tree of `text`, which must be one anchored pipeline.

    Raises:
        PipelineTextError: the text does not follow the grammar.
    """
    whole = TextSlice.of(text).strip()
    opening = text.find("(")
    anchor = whole.between(whole.start, max(opening, whole.start)).strip()
    if not anchor or text[whole.end - 1] != ")":
        raise PipelineTextError(MISSING_ANCHOR, text, _unanchored_span(whole))
    # As in MLIR, the last parenthesis of the text closes the first: in `a(b),c(d)`,
    # the `)` after `b` is one too many.
    nested = _Parser(whole.between(opening + 1, whole.end - 1)).parse(depth=1)
    element = PipelineElement(str(anchor), anchor.span, (), nested)
    return TextualPipeline((element,), text)


def parse_elements(text: str | TextSlice) -> TextualPipeline:
    """Return the tree of `text`: elements separated by commas, or nothing.

    Raises:
        PipelineTextError: the text does not follow the grammar.
    """
    text_slice = TextSlice.of(text) if isinstance(text, str) else text
    return TextualPipeline(_Parser(text_slice).parse(depth=0), text_slice.source)


def is_name(text: str) -> bool:
    """Return whether a pass or an anchor may be called `text`."""
    return re.fullmatch(NAME_PATTERN, text) is not None


def _unanchored_span(whole: TextSlice) -> Span:
    """Return the place of the text after an anchored pipeline, or of all the text."""
    closing = whole.source.rfind(")", whole.start, whole.end)
    trailing = whole.between(closing + 1, whole.end).strip()
    has_anchor = whole.source.find("(", whole.start, whole.end) > whole.start
    return trailing.span if trailing and closing >= 0 and has_anchor else whole.span


_OpenAnchor: TypeAlias = tuple[str, Span, list[PipelineElement]]
"""The name and span of an anchor that is not closed yet, and the list around it."""


class _Parser:
    """A parser of elements; a list of open anchors replaces recursion."""

    def __init__(self, text_slice: TextSlice) -> None:
        self.text = text_slice.source
        self.text_slice = text_slice
        self.end = text_slice.end
        self.open_anchors: list[_OpenAnchor] = []

    def parse(self, depth: int) -> tuple[PipelineElement, ...]:
        """Parse `(element (`,` element)*)?`, inside of `depth` anchors."""
        if not self.text_slice.strip():
            return ()
        elements: list[PipelineElement] = []
        position = self.text_slice.start
        while True:
            name, position = self.name(position)
            following = self.at(position)
            if following == "(":
                self.open_anchors.append((str(name), name.span, elements))
                if len(self.open_anchors) + depth > MAX_DEPTH:
                    message = f"pipelines nest at most {MAX_DEPTH} deep"
                    raise self.error(message, position)
                elements = []
                position = self.skip_blanks(position + 1)
                if self.at(position) != ")":
                    continue
            elif following == "{":
                closing = self.closing_brace(position)
                options = parse_options(self.text_slice.between(position + 1, closing))
                element = PipelineElement(str(name), name.span, tuple(options))
                elements.append(element)
                position = self.skip_blanks(closing + 1)
            else:
                elements.append(PipelineElement(str(name), name.span))
            elements, position = self.close(elements, position)
            if position == self.end:
                break
            if self.at(position) != ",":
                raise self.error("expected ',' after parsing pipeline", position)
            position += 1
        if self.open_anchors:
            # `parse_pipeline` took the last parenthesis to close the first anchor.
            raise self.error(
                "encountered unbalanced parentheses while parsing pipeline",
                position + depth,
                f"'{self.open_anchors[-1][0]}(' is not closed",
            )
        return tuple(elements)

    def close(
        self, elements: list[PipelineElement], position: int
    ) -> tuple[list[PipelineElement], int]:
        """Parse `)`*; each closes the innermost open anchor."""
        while self.at(position) == ")":
            if not self.open_anchors:
                message = (
                    "encountered extra closing ')' creating unbalanced parentheses "
                    "while parsing pipeline"
                )
                raise self.error(message, position)
            anchor, span, outer = self.open_anchors.pop()
            outer.append(PipelineElement(anchor, span, (), tuple(elements)))
            elements = outer
            position = self.skip_blanks(position + 1)
        return elements, position

    def name(self, position: int) -> tuple[TextSlice, int]:
        """Parse a name up to the next `,`, bracket or the end; strip its blanks."""
        match = _NAME_TEXT.match(self.text, position, self.end)
        assert match is not None
        name = self.text_slice.between(position, match.end()).strip()
        # The place of an empty name is before the blanks.
        empty = self.text_slice.between(position, position)
        return name or empty, match.end()

    def closing_brace(self, position: int) -> int:
        """Return the position of the `}` that matches the `{` at `position`.

        As in MLIR, braces in quotes count too.
        """
        depth = 0
        for match in _BRACE.finditer(self.text, position, self.end):
            depth += 1 if match[0] == "{" else -1
            if depth == 0:
                return match.start()
        note = "a brace in quotes counts too; write the string '{' as $'\\x7b'"
        has_quotes = any(mark in self.text[position : self.end] for mark in "'\"")
        message = "missing closing '}' while processing pass options"
        raise self.error(message, position, *[note] * has_quotes)

    def at(self, position: int) -> str:
        """Return the character at `position`; empty at the end."""
        return self.text[position] if position < self.end else ""

    def skip_blanks(self, position: int) -> int:
        while position < self.end and self.text[position] in BLANKS:
            position += 1
        return position

    def error(self, message: str, position: int, *notes: str) -> PipelineTextError:
        span = Span(position, position + 1)
        return PipelineTextError(message, self.text, span, notes)
