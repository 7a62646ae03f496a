"""The grammar of textual pass pipelines: text to a tree with spans, and back.

Implements "Textual Pass Pipeline Specification" of MLIR's PassManagement page. It knows
no pass: names are resolved by `pass_registry`, values by `pass_options`.

    pipeline ::= op-anchor `(` (element (`,` element)*)? `)`
    element  ::= pipeline | name options?
    options  ::= `{` (key (`=` value)?)* `}`

>>> str(parse_pipeline("builtin.module( func.func(cse , loop{n=4 deep}) )"))
'builtin.module(func.func(cse,loop{n=4 deep}))'
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from passgen_runtime.errors import PipelineError, Span

ANY_ANCHOR = "any"
"""The anchor of an op-agnostic pass manager."""

MISSING_ANCHOR = (
    "expected pass pipeline to be wrapped with the anchor operation type, "
    "e.g. 'builtin.module(...)'"
)

_OPENING = "([{"
_CLOSING = ")]}"
_BEFORE_QUOTE = " \t\r\n=,([{"
_NAME = re.compile(r"[^,(){}]*")
_KEY = re.compile(r"[^\s={}]+")
_SPACE = re.compile(r"\s*")
_PLAIN = re.compile(r"[^\s,'\"(){}\[\]$]+")
_ANSI_C_QUOTED = re.compile(r"\$'(?:[^'\\]|\\[ntr0\\'])*'")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_UNESCAPED = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", "'": "'"}
_ESCAPED = {char: f"\\{name}" for name, char in _UNESCAPED.items()}


@dataclass(frozen=True, slots=True)
class TextualOption:
    """One `key=value` of a pass; a bare key has no value."""

    key: str
    value: str | None
    """As written, with the outer quotes or braces; `None` for a bare key."""

    span: Span = field(compare=False)
    """Of the key."""

    value_span: Span = field(compare=False)
    """Of the value; the key's own where it has none."""

    def __str__(self) -> str:
        """Return the option as pipelines spell it."""
        return self.key if self.value is None else f"{self.key}={self.value}"


@dataclass(frozen=True, slots=True)
class PipelineElement:
    """A pass or pass pipeline with its options, or an anchor with what it nests."""

    name: str
    span: Span = field(compare=False)
    """Of the name."""

    options: tuple[TextualOption, ...] = ()
    nested: tuple[PipelineElement, ...] | None = None
    """The elements in parentheses; `None` where there are no parentheses."""

    def __str__(self) -> str:
        """Return the element's text in the form in which pipelines are printed."""
        if self.nested is not None:
            return f"{self.name}({','.join(map(str, self.nested))})"
        if self.options:
            return f"{self.name}{{{' '.join(map(str, self.options))}}}"
        return self.name


@dataclass(frozen=True, slots=True)
class TextualPipeline:
    """A parsed pipeline: an anchored one, or the elements an anchor may hold."""

    elements: tuple[PipelineElement, ...]
    text: str = field(default="", compare=False)
    """The text that was parsed, which the spans refer to."""

    def __str__(self) -> str:
        """Return the pipeline's text in its printed form."""
        return ",".join(map(str, self.elements))

    def __bool__(self) -> bool:
        """Return whether there is any element."""
        return bool(self.elements)


def parse_pipeline(text: str) -> TextualPipeline:
    """Return the tree of `text`, which must be one anchored pipeline.

    Raises:
        PipelineError: the text does not follow the grammar.
    """
    stripped = text.strip()
    start = text.find("(")
    if start < 0 or not text[:start].strip() or not stripped.endswith(")"):
        span = Span(len(text) - len(text.lstrip()), len(text.rstrip()))
        raise PipelineError(MISSING_ANCHOR, text, span)
    pipeline = parse_elements(text)
    if len(pipeline.elements) != 1:
        raise PipelineError(MISSING_ANCHOR, text, pipeline.elements[1].span)
    return pipeline


def parse_elements(text: str) -> TextualPipeline:
    """Return the tree of `text`: elements separated by commas, or nothing.

    Raises:
        PipelineError: the text does not follow the grammar.
    """
    return _Parser(text).parse()


def parse_options(text: str) -> tuple[TextualOption, ...]:
    """Return the options in `text`, which is what stands between the braces.

    Raises:
        PipelineError: a quote or bracket is not closed.
    """
    return tuple(_Parser(text).options(0, len(text)))


def unquote(value: str) -> str:
    r"""Return what `value` stands for: without its outer quotes or braces, if any.

    Quotes keep everything between them as it is; `$'...'` knows the escapes `\n`,
    `\t`, `\r`, `\0`, `\\` and `\'`, for strings that no other form can hold.
    """
    value = value.strip()
    if value[:1] in ("'", '"', "$") and _quoted_end(value, 0, len(value)) == len(value):
        if value[0] == "$":
            return _ESCAPE.sub(lambda match: _UNESCAPED[match[1]], value[2:-1])
        return value[1:-1]
    return _unbraced(value)


def quote(value: str) -> str:
    """Return a form of the string `value` that `unquote` turns into it again."""
    if _PLAIN.fullmatch(value):
        return value
    if value.isprintable():
        for mark in ("'", '"'):
            if mark not in value:
                return f"{mark}{value}{mark}"
    escaped = "".join(_ESCAPED.get(char, char) for char in value)
    return f"$'{escaped}'"


def split_list(value: str) -> Iterator[str]:
    """Yield the elements of a list option's `value`, delimited ones kept whole."""
    value = value.strip()
    quoted = value[:1] in ("'", '"')
    if quoted and _quoted_end(value, 0, len(value)) == len(value):
        value = value[1:-1]
    value = _unbraced(value)
    if not value:
        return
    start = position = 0
    while position < len(value):
        if value[position] == ",":
            yield value[start:position].strip()
            start = position = position + 1
        else:
            position = _skip(value, position, len(value))
    yield value[start:].strip()


def _unbraced(value: str) -> str:
    """Return `value` without the braces around all of it, if there are any."""
    if value.startswith("{") and _skip(value, 0, len(value)) == len(value) > 1:
        return value[1:-1].strip()
    return value


def _skip(text: str, position: int, end: int) -> int:
    """Return the position after the character, quoted text or brackets at `position`.

    A quote or bracket that is not closed before `end` counts as a character.
    """
    quoted = _quoted_end(text, position, end)
    if quoted is not None:
        return quoted
    if text[position] not in _OPENING:
        return position + 1
    expected: list[str] = []
    index = position
    while index < end:
        char = text[index]
        if (quoted := _quoted_end(text, index, end)) is not None:
            index = quoted
            continue
        if char in _OPENING:
            expected.append(_CLOSING[_OPENING.index(char)])
        elif char == expected[-1]:
            expected.pop()
            if not expected:
                return index + 1
        index += 1
    return position + 1


def _quoted_end(text: str, position: int, end: int) -> int | None:
    """Return where the quoted text that opens at `position` ends, if one opens there.

    A quote opens only where a value or an element may begin, so `it's` holds none.
    """
    if position and text[position - 1] not in _BEFORE_QUOTE:
        return None
    mark = text[position]
    if mark in "'\"":
        closing = text.find(mark, position + 1, end)
        return None if closing < 0 else closing + 1
    match = _ANSI_C_QUOTED.match(text, position, end)
    return match.end() if match else None


_OpenAnchor: TypeAlias = tuple[str, Span, list[PipelineElement]]
"""The name and span of an anchor that is not closed yet, and where it will be put."""


class _Parser:
    """Recursive descent over one text; nesting is kept on a list, not on the stack."""

    def __init__(self, text: str) -> None:
        self.text = text

    def parse(self) -> TextualPipeline:
        """Parse `(element (`,` element)*)?`."""
        if not self.text.strip():
            return TextualPipeline((), self.text)
        open_anchors: list[_OpenAnchor] = []
        elements: list[PipelineElement] = []
        position = 0
        while True:
            name, span, position = self.name(position)
            following = self.text[position : position + 1]
            if following == "(":
                open_anchors.append((name, span, elements))
                elements = []
                position = self.skip_space(position + 1)
                if self.text[position : position + 1] != ")":
                    continue
            elif following == "{":
                end = self.closing_brace(position)
                options = tuple(self.options(position + 1, end))
                elements.append(PipelineElement(name, span, options))
                position = self.skip_space(end + 1)
            elif following == "}":
                raise self.error("encountered extra closing '}'", position)
            else:
                elements.append(PipelineElement(name, span))
            elements, position = self.close(open_anchors, elements, position)
            if position == len(self.text):
                break
            if self.text[position] != ",":
                raise self.error("expected ',' after parsing pipeline", position)
            position += 1
        if open_anchors:
            raise self.error(
                "encountered unbalanced parentheses while parsing pipeline",
                position,
                f"'{open_anchors[-1][0]}(' is not closed",
            )
        return TextualPipeline(tuple(elements), self.text)

    def close(
        self,
        open_anchors: list[_OpenAnchor],
        elements: list[PipelineElement],
        position: int,
    ) -> tuple[list[PipelineElement], int]:
        """Parse `)`*; each ends the anchor that was opened last."""
        while self.text[position : position + 1] == ")":
            if not open_anchors:
                message = (
                    "encountered extra closing ')' creating unbalanced parentheses "
                    "while parsing pipeline"
                )
                raise self.error(message, position)
            anchor, span, outer = open_anchors.pop()
            outer.append(PipelineElement(anchor, span, (), tuple(elements)))
            elements = outer
            position = self.skip_space(position + 1)
        return elements, position

    def name(self, position: int) -> tuple[str, Span, int]:
        """Parse a name up to the next `,`, bracket or the end; blanks around it go."""
        match = _NAME.match(self.text, position)
        assert match is not None
        raw = match.group()
        name = raw.strip()
        start = position + len(raw) - len(raw.lstrip())
        span = Span(start, start + len(name)) if name else Span(position, position)
        return name, span, match.end()

    def options(self, position: int, end: int) -> Iterator[TextualOption]:
        """Parse `(key (`=` value)?)*` between `position` and `end`."""
        while (position := self.skip_space(position)) < end:
            match = _KEY.match(self.text, position, end)
            if match is None:
                raise self.error("expected the name of an option", position)
            span = Span(position, match.end())
            position = match.end()
            if position < end and self.text[position] == "=":
                start = position + 1
                position = self.value_end(start, end)
                value_span = Span(start, position)
                yield TextualOption(
                    match.group(), self.text[start:position], span, value_span
                )
            else:
                yield TextualOption(match.group(), None, span, span)

    def value_end(self, position: int, end: int) -> int:
        """Return where the value at `position` ends: at a blank outside of brackets."""
        while position < end and not self.text[position].isspace():
            position = _skip(self.text, position, end)
        return position

    def closing_brace(self, position: int) -> int:
        """Return the position of the `}` that matches the `{` at `position`."""
        depth = 0
        index = position
        while index < len(self.text):
            char = self.text[index]
            if char == "{":
                depth += 1
            elif char == "}":
                depth -= 1
                if depth == 0:
                    return index
            elif (after := _quoted_end(self.text, index, len(self.text))) is not None:
                index = after
                continue
            index += 1
        raise self.error("missing closing '}' while processing pass options", position)

    def skip_space(self, position: int) -> int:
        match = _SPACE.match(self.text, position)
        assert match is not None
        return match.end()

    def error(self, message: str, position: int, *notes: str) -> PipelineError:
        return PipelineError(message, self.text, Span(position, position + 1), notes)
