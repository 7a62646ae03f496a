"""The grammar of textual pass pipelines: text to a tree with spans, and back.

Implements the first half of "Textual Pass Pipeline Specification" of MLIR's
PassManagement page. It knows no pass: `pass_registry` resolves names, `pass_options`
reads values. `options` splits the text between the braces.

    pipeline ::= op-anchor `(` (element (`,` element)*)? `)`
    element  ::= pipeline | name (`{` options `}`)?

Blanks and line ends may stand around every name, bracket, comma and option.

>>> str(parse_pipeline("builtin.module( func.func(cse , loop{n=4 deep}) )"))
'builtin.module(func.func(cse,loop{n=4 deep}))'
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from passgen_runtime.errors import PipelineError, Span
from passgen_runtime.textual_pipeline.options import (
    BLANKS,
    Fragment,
    TextualOption,
    parse_options,
)

ANY_ANCHOR = "any"
"""The anchor of an op-agnostic pass manager."""

MISSING_ANCHOR = (
    "expected pass pipeline to be wrapped with the anchor operation type, "
    "e.g. 'builtin.module(...)'"
)

MAX_DEPTH: Final = 128
"""The depth limit of nested pipelines: beyond any IR, and safe for recursion."""

_BRACE = re.compile(r"[{}]")
_NAME_TEXT = re.compile(r"[^,(){]*")
_NAME = re.compile(r"[^\s,(){}='\"]+")


@dataclass(frozen=True, slots=True)
class PipelineElement:
    """A pass or pass pipeline with its options, or an anchor with its elements."""

    name: str
    span: Span = field(compare=False)
    """Of the name."""

    options: tuple[TextualOption, ...] = ()
    nested: tuple[PipelineElement, ...] | None = None
    """The elements in parentheses; `None` where there are no parentheses."""

    def __str__(self) -> str:
        """Return the element's text in the printed form of pipelines."""
        if self.nested is not None:
            return f"{self.name}({','.join(map(str, self.nested))})"
        if self.options or not self.name:
            # An element without a name and braces would not be parsed as one.
            return f"{self.name}{{{' '.join(map(str, self.options))}}}"
        return self.name

    def pretty(self, indentation: str = "") -> str:
        """Return the element's text, a line for each pass; it parses the same."""
        if not self.nested:
            return f"{indentation}{self}"
        inner = ",\n".join(
            element.pretty(f"{indentation}  ") for element in self.nested
        )
        return f"{indentation}{self.name}(\n{inner}\n{indentation})"


@dataclass(frozen=True, slots=True)
class TextualPipeline:
    """A parsed pipeline: an anchored one, or the elements an anchor may hold."""

    elements: tuple[PipelineElement, ...]
    text: str = field(default="", compare=False)
    """The text that was parsed, which the spans refer to."""

    def __str__(self) -> str:
        """Return the pipeline's text in its printed form."""
        return ",".join(map(str, self.elements))

    def pretty(self) -> str:
        """Return the pipeline's text, a line for each pass; it parses the same."""
        return ",\n".join(element.pretty() for element in self.elements)

    def __bool__(self) -> bool:
        """Return whether there is any element."""
        return bool(self.elements)


def parse_pipeline(text: str) -> TextualPipeline:
    """Return the tree of `text`, which must be one anchored pipeline.

    Raises:
        PipelineError: the text does not follow the grammar.
    """
    whole = Fragment.of(text).strip()
    opening = text.find("(")
    anchor = whole.between(whole.start, max(opening, whole.start)).strip()
    if not anchor or text[whole.end - 1] != ")":
        raise PipelineError(MISSING_ANCHOR, text, _unanchored_span(whole))
    # As in MLIR, the first parenthesis belongs to the last: in `a(b),c(d)`, the `)`
    # after `b` is one too many.
    nested = _Parser(whole.between(opening + 1, whole.end - 1)).parse(depth=1)
    element = PipelineElement(str(anchor), anchor.span, (), nested)
    return TextualPipeline((element,), text)


def parse_elements(text: str | Fragment) -> TextualPipeline:
    """Return the tree of `text`: elements separated by commas, or nothing.

    Raises:
        PipelineError: the text does not follow the grammar.
    """
    fragment = Fragment.of(text) if isinstance(text, str) else text
    return TextualPipeline(_Parser(fragment).parse(depth=0), fragment.source)


def is_name(text: str) -> bool:
    """Return whether a pass or an anchor may be called `text`."""
    return _NAME.fullmatch(text) is not None


def _unanchored_span(whole: Fragment) -> Span:
    """Return the place of a missing anchor: of the text after an anchor, if any."""
    closing = whole.source.rfind(")", whole.start, whole.end)
    trailing = whole.between(closing + 1, whole.end).strip()
    has_anchor = whole.source.find("(", whole.start, whole.end) > whole.start
    return trailing.span if trailing and closing >= 0 and has_anchor else whole.span


_OpenAnchor: TypeAlias = tuple[str, Span, list[PipelineElement]]
"""The name and span of an anchor that is not closed yet, and the list it belongs to."""


class _Parser:
    """A parser of elements, which keeps open anchors on a list, not on the stack."""

    def __init__(self, fragment: Fragment) -> None:
        self.text = fragment.source
        self.fragment = fragment
        self.end = fragment.end
        self.open_anchors: list[_OpenAnchor] = []

    def parse(self, depth: int) -> tuple[PipelineElement, ...]:
        """Parse `(element (`,` element)*)?`, inside of `depth` anchors."""
        if not self.fragment.strip():
            return ()
        elements: list[PipelineElement] = []
        position = self.fragment.start
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
                options = parse_options(self.fragment.between(position + 1, closing))
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
            # The last parenthesis of the text was assigned to its first anchor.
            raise self.error(
                "encountered unbalanced parentheses while parsing pipeline",
                position + depth,
                f"'{self.open_anchors[-1][0]}(' is not closed",
            )
        return tuple(elements)

    def close(
        self, elements: list[PipelineElement], position: int
    ) -> tuple[list[PipelineElement], int]:
        """Parse `)`*; each ends the anchor that was opened last."""
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

    def name(self, position: int) -> tuple[Fragment, int]:
        """Parse a name up to the next `,`, bracket or the end; strip its blanks."""
        match = _NAME_TEXT.match(self.text, position, self.end)
        assert match is not None
        name = self.fragment.between(position, match.end()).strip()
        # The place of an empty name is before the blanks.
        empty = self.fragment.between(position, position)
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
        notes = []
        if any(mark in self.text[position : self.end] for mark in "'\""):
            notes.append(
                "a brace in quotes counts too; $'\\x7b' is a string that is one"
            )
        message = "missing closing '}' while processing pass options"
        raise self.error(message, position, *notes)

    def at(self, position: int) -> str:
        """Return the character at `position`, or nothing at the end."""
        return self.text[position] if position < self.end else ""

    def skip_blanks(self, position: int) -> int:
        while position < self.end and self.text[position] in BLANKS:
            position += 1
        return position

    def error(self, message: str, position: int, *notes: str) -> PipelineError:
        return PipelineError(message, self.text, Span(position, position + 1), notes)
