"""Python syntax: values as literals, docstrings and comments, laid out as black does.

The filters of the Python templates, which `render` registers. Whatever the text, the
literal evaluates to exactly that text and is one that black leaves as it is: characters
that do not print, and spaces that a formatter would strip, are written as escapes.

    py_literal('tile') is "tile" with its quotes, py_literal('"') has single quotes
"""

from __future__ import annotations

import keyword
import math
import re
import unicodedata
from dataclasses import dataclass
from typing import Final, TypeAlias

LINE_LENGTH: Final = 88
"""The width that black formats to unless told otherwise."""

_INDENT: Final = "    "
_SHORT_ESCAPES: Final = {"\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
_QUOTES: Final = '"""'
_ESCAPED_QUOTES: Final = r"\"\"\""
_NEVER_WIDE: Final = ("Mn", "Mc", "Sk")

_ANNOTATED = re.compile(r"(?P<name>\w+): (?P<type>.+?) = (?P<value>\w+[(,])", re.DOTALL)
_SUBSCRIPT = re.compile(r"(?P<head>\w+\[)(?P<body>.+)\]", re.DOTALL)
_WHOLE_VALUE = re.compile(r"(?P<head>\w+ = )(?P<value>[\"'].*|\w+\(\))", re.DOTALL)
_TEST = re.compile(r"if (?P<first>(?:not )?[\w.]+)(?P<second> (?:==|!=) [\w.]+)?:")
_LIST_VALUE = re.compile(
    r"""(?P<head>(?:\w+=|"(?:\\.|[^"\\])*": |'(?:\\.|[^'\\])*': )\[)(?P<body>.+)\],""",
    re.DOTALL,
)
_BRACKETS = re.compile(
    r"(?P<head>[^(\"']*\()(?P<body>.+)(?P<tail>\)(?: -> \w+)?[:,]?)", re.DOTALL
)
_STRING = r"""(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
_IN_PARENTHESES = rf"""\((?:{_STRING}|[^"'()])*\)"""
_CALL = rf"""\((?:{_STRING}|{_IN_PARENTHESES}|[^"'()])*\)"""
_ELEMENT = re.compile(rf"""(?:{_STRING}|{_CALL}|[^,"'()])+""")


def py_name(name: str) -> str:
    """Return `name`, a Python identifier or several joined by dots.

    Raises:
        ValueError: it is something else, which `checks` should have refused.
    """
    for part in name.split("."):
        if not part.isidentifier() or keyword.iskeyword(part):
            message = f"'{name}' cannot be a name in Python"
            raise ValueError(message)
    return name


def py_names(names: tuple[str, ...]) -> str:
    """Return Python identifiers with commas between them.

    Raises:
        ValueError: as for `py_name`.
    """
    return ", ".join(map(py_name, names))


def py_literal(value: bool | float | str) -> str:  # noqa: FBT001 - a value, not a flag
    """Return the literal of `value`; strings in the quotes that black would choose."""
    if isinstance(value, str):
        return _string_literal(value)
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value).replace("e+", "e")  # as black spells exponents


def py_tuple(values: tuple[str, ...]) -> str:
    """Return the literal of a tuple of strings, on one line."""
    literals = ", ".join(_string_literal(value) for value in values)
    return f"({literals},)" if len(values) == 1 else f"({literals})"


def py_indent(depth: int) -> str:
    """Return the indentation of a line that is `depth` levels deep."""
    return _INDENT * depth


def py_comment(text: str) -> str:
    """Return `text` as a part of a comment: on one line, nothing invisible in it."""
    return "".join(char if char.isprintable() else _escape(char) for char in text)


def py_docstring_part(text: str) -> str:
    """Return `text` as a part of a one-line docstring, not its start or end."""
    return _escaped(text).replace(_QUOTES, _ESCAPED_QUOTES)


def py_docstring(text: str, indent: int = 0) -> str:
    """Return `text` as a docstring that stands `indent` levels deep, with its quotes.

    Without the indentation of its later lines, the docstring is `text`; several lines
    get a line end after the last, so that the closing quotes stand alone.
    """
    if "\n" in text and not text.endswith("\n"):
        text += "\n"
    lines = text.split("\n")
    if "\\" in text and _survives_raw(lines):
        prefix, (first, *rest) = "r", lines
    elif any(lines[1:]):
        prefix, (first, *rest) = "", _escaped_lines(lines)
    else:
        prefix, first, rest = "", _one_line(text), []
    margin = _INDENT * indent
    body = "\n".join([first, *(margin + line if line else "" for line in rest)])
    if rest:
        body += margin
    return f"{prefix}{_QUOTES}{body}{_QUOTES}"


def py_statement(text: str) -> str:
    """Return the one-line statements in `text`, broken where black would break them.

    Each line of `text` is a statement, or a piece of one that black treats alike: a
    keyword argument with its comma, a class head, the start of an exploded call.
    """
    return "".join(_statement(line) for line in text.splitlines(keepends=True))


def py_field(text: str) -> str:
    """Return the field in `text`, an exploded call, broken where black would break it.

    Its first line is `name: type = call(`, its last the closing parenthesis.
    """
    head, *body = text.splitlines(keepends=True)
    target, _, call = head.rstrip("\n").rpartition(" = ")
    if not _fits(head.rstrip("\n")) and _fits(f"{target} = ("):
        indent = head[: len(head) - len(head.lstrip(" "))]
        inner = "".join(_INDENT + line for line in (f"{indent}{call}\n", *body))
        return f"{target} = (\n{py_statement(inner)}{indent})\n"
    return py_statement(text)


def _statement(line: str) -> str:
    statement = line.strip(" \n")
    indent = line[: len(line) - len(line.lstrip(" "))]
    if not _fits(indent + statement):
        for pattern, split in _SPLITS.items():
            if match := pattern.fullmatch(statement):
                return split(indent, match)
    return line


def _split_annotation(indent: str, match: re.Match[str]) -> str:
    name, type_, value = match["name"], match["type"], match["value"]
    if subscript := _SUBSCRIPT.fullmatch(type_):
        head, body, tail = subscript["head"], subscript["body"], f"] = {value}"
    elif _fits(indent + _INDENT + type_):
        head, body, tail = "(", type_, f") = {value}"
    else:
        return f"{indent}{match[0]}\n"
    return _split(indent, f"{name}: {head}", [body], tail)


def _split_value(indent: str, match: re.Match[str]) -> str:
    if _fits(indent + _INDENT + match["value"]):
        return _split(indent, f"{match['head']}(", [match["value"]], ")")
    return f"{indent}{match[0]}\n"


def _split_brackets(indent: str, match: re.Match[str]) -> str:
    head, body, tail = match["head"], match["body"], match["tail"]
    is_closed_list = head.endswith("= (") or head.startswith("def ")
    if not is_closed_list and _fits(indent + _INDENT + body):
        return _split(indent, head, [body], tail)
    elements = [each.strip() for each in _ELEMENT.findall(body)]
    comma = "," if is_closed_list or len(elements) > 1 else ""
    return _split(indent, head, [each + comma for each in elements], tail)


def _split_test(indent: str, match: re.Match[str]) -> str:
    first, second = match["first"], match["second"] or ""
    is_whole = _fits(indent + _INDENT + first + second)
    body = [first + second] if is_whole or not second else [first, second.strip()]
    return _split(indent, "if (", body, "):")


def _split_list(indent: str, match: re.Match[str]) -> str:
    head, body = match["head"], match["body"]
    if " for " in body and "," not in body:  # what is done for each item of a list
        inner = indent + _INDENT
        parts = [body] if _fits(inner + body) else re.split(r" (?=for )", body)
        return _split(indent, head, parts, "],")
    elements = [each.strip() for each in _ELEMENT.findall(body)]
    return _split(indent, head, [f"{each}," for each in elements], "],")


def _split(indent: str, head: str, body: list[str], tail: str) -> str:
    inside = "".join(_statement(f"{indent}{_INDENT}{each}\n") for each in body)
    return f"{indent}{head}\n{inside}{indent}{tail}\n"


_SPLITS: Final = {
    _ANNOTATED: _split_annotation,
    _WHOLE_VALUE: _split_value,
    _TEST: _split_test,
    _LIST_VALUE: _split_list,
    _BRACKETS: _split_brackets,
}
"""How a statement that does not fit is broken, by its form; the first that fits it."""


def _fits(line: str) -> bool:
    if line.isascii():
        return len(line) <= LINE_LENGTH
    return sum(map(_width, line)) <= LINE_LENGTH


def _width(char: str) -> int:
    # As black counts: two columns for what a terminal draws wide, one for all else.
    is_wide = unicodedata.east_asian_width(char) in "WF"
    return 2 if is_wide and unicodedata.category(char) not in _NEVER_WIDE else 1


def _string_literal(text: str) -> str:
    # Black prefers double quotes unless single ones need fewer backslashes.
    quote = "'" if text.count('"') > text.count("'") else '"'
    return quote + _escaped(text).replace(quote, "\\" + quote) + quote


def _escaped(text: str) -> str:
    if text.isprintable() and "\\" not in text:
        return text
    return "".join(_escape(c) if c == "\\" or not c.isprintable() else c for c in text)


def _escape(char: str) -> str:
    if char in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[char]
    code = ord(char)
    if code <= 0xFF:  # noqa: PLR2004 - what \x can say
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004


def _one_line(text: str) -> str:
    """Return the inside of a docstring all in one line, with line ends as escapes.

    Black takes line ends away where nothing but more of them follows.
    """
    line = text.rstrip("\n")
    kept = line.removesuffix('"')
    escaped = _escaped_lines([kept])[0] if kept else ""
    if kept != line:
        escaped += r"\x22"  # black puts a space between quotes, escaped or not
    return escaped + r"\n" * (len(text) - len(line))


def _survives_raw(lines: list[str]) -> bool:
    """Whether black leaves `lines` alone in a raw docstring, as nothing is escaped."""
    text = "".join(lines)
    return (
        text.isprintable()
        and _QUOTES not in text
        and not text.startswith((" ", '"'))
        and not text.endswith('"')
        and not any(line.endswith((" ", "\\")) for line in lines)
        and _has_unindented_line(lines[1:])
        and (len(lines) == 1 or any(lines[1:]))
    )


def _escaped_lines(lines: list[str]) -> list[str]:
    """Return the lines of a docstring with escapes for what black would change."""
    first, *rest = [_escaped_line(line) for line in lines]
    if first.startswith(" "):
        first = r"\x20" + first[1:]
    elif first.startswith('"'):
        first = "\\" + first
    if not _has_unindented_line(rest):
        # Black would take the indentation that all lines share for the docstring's own.
        index = next(i for i, line in enumerate(rest) if line)
        rest[index] = r"\x20" + rest[index][1:]
    return [first, *rest]


def _escaped_line(line: str) -> str:
    stripped = line.rstrip(" ")
    escaped = _escaped(stripped).replace(_QUOTES, _ESCAPED_QUOTES)
    return escaped + r"\x20" * (len(line) - len(stripped))


def _has_unindented_line(lines: list[str]) -> bool:
    written = [line for line in lines if line]
    return not written or any(not line.startswith(" ") for line in written)


@dataclass(frozen=True)
class Literal:
    """A constant."""

    value: bool | float | str


@dataclass(frozen=True)
class Attribute:
    """An attribute of something that has a name."""

    owner: str
    name: str


@dataclass(frozen=True)
class Call:
    """A call."""

    function: str
    """A name, or several joined by dots."""

    arguments: tuple[Expression, ...]
    keywords: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True)
class ListOf:
    """A list of what is known."""

    items: tuple[Expression, ...]


@dataclass(frozen=True)
class CallForEach:
    """A list of calls, one for each element of another list."""

    function: str
    items: Attribute


Expression: TypeAlias = Literal | Attribute | Call | ListOf | CallForEach


def py_expression(expression: Expression) -> str:
    """Return `expression` on one line."""
    if isinstance(expression, Literal):
        return py_literal(expression.value)
    if isinstance(expression, Attribute):
        return py_name(f"{expression.owner}.{expression.name}")
    if isinstance(expression, Call):
        arguments = [
            *map(py_expression, expression.arguments),
            *(f"{name}={py_expression(value)}" for name, value in expression.keywords),
        ]
        return f"{py_name(expression.function)}({', '.join(arguments)})"
    if isinstance(expression, ListOf):
        return f"[{', '.join(map(py_expression, expression.items))}]"
    items = py_expression(expression.items)
    return f"[{py_name(expression.function)}(each) for each in {items}]"
