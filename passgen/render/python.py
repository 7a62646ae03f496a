"""Python syntax: the filters of the Python templates, which `render` registers.

Each literal evaluates to exactly its value, also after black has laid it out (see
`layout`): unprintable characters, and spaces that black would strip, become escapes.

    py_literal('tile') is "tile" with its quotes, py_literal('"') has single quotes
"""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Sequence
from posixpath import dirname, join, normpath
from textwrap import indent as indent_lines
from typing import Final

from passgen.render.prose import wrap

_SHORT_ESCAPES: Final = {"\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
COLUMNS: Final = 88
"""The length of lines, as far as their text allows."""

_QUOTES: Final = '"""'
_ESCAPED_QUOTES: Final = r"\"\"\""


def py_name(name: str) -> str:
    """Return `name`, a Python identifier or several joined by dots.

    Raises:
        ValueError: it is no identifier, which `checks` should have refused.
    """
    for part in name.split("."):
        if not part.isidentifier() or keyword.iskeyword(part):
            raise ValueError(f"'{name}' cannot be a name in Python")
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
    return repr(value)


def py_argument(value: Sequence[object] | str) -> str:
    """Return the literal of a text, or of a tuple of names."""
    return py_literal(value) if isinstance(value, str) else py_tuple(value)


def py_path(path: str, spec: str) -> str:
    """Return the literal of `path`, which begins at the folder of `spec`."""
    return py_literal(normpath(join(dirname(spec), path)))


def py_text(text: str, indent: int, before: str = "") -> str:
    """Return the literal of `text`, in brackets and parts if a line cannot hold it.

    Args:
        text: the value.
        indent: the levels of the line on which black writes the literal.
        before: what is on that line before it.
    """
    literal = _string_literal(text)
    if len(_indent(indent) + before + literal + ",") <= COLUMNS:
        return literal
    columns = COLUMNS - len(_indent(indent + 1))
    parts = [""]
    if len(literal) > columns:
        for word in re.findall(r"[^ \n]*(?: +|\n+|$)", text):
            if (
                parts[-1].endswith("\n")
                or len(_string_literal(parts[-1] + word)) > columns
            ):
                parts.append("")
            parts[-1] += word
    literals = [_string_literal(part) for part in parts if part]
    return f"({' '.join(literals) or literal})"


def py_tuple(values: Sequence[object]) -> str:
    """Return the literal of a tuple of strings or names, on one line."""
    literals = ", ".join(_string_literal(str(value)) for value in values)
    return f"({literals},)" if len(values) == 1 else f"({literals})"


def py_nested(text: str, levels: int) -> str:
    """Return lines `levels` deeper."""
    return indent_lines(text, _indent(levels))


def py_comment(text: str) -> str:
    """Return `text` as a part of a comment: one line, no invisible characters."""
    return "".join(char if char.isprintable() else _escape_char(char) for char in text)


def py_docstring_part(text: str) -> str:
    """Return `text` as a part of a one-line docstring, not its start or end."""
    return _escape_text(text).replace(_QUOTES, _ESCAPED_QUOTES)


def docstring_literal(text: str, indent: int = 0) -> str:
    """Return `text` as a docstring that stands `indent` levels deep, with its quotes.

    Without the indentation of its later lines, its value is `text`. If there are
    several lines, the last gets a line end, so that the closing quotes stand alone.
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
    margin = _indent(indent)
    body = "\n".join([first, *(margin + line if line else "" for line in rest)])
    if rest:
        body += margin
    return f"{prefix}{_QUOTES}{body}{_QUOTES}"


def docstring(summary: str, description: str, depth: int = 1) -> str:
    """Return summary and description, wrapped, as a docstring `depth` levels deep.

    It begins with one line unless the summary is longer than that.
    """
    columns = COLUMNS - len(_indent(depth))
    if not summary:
        return wrap(description, columns - 2 * len(_QUOTES))
    sentence = summary if summary.endswith((".", "!", "?")) else f"{summary}."
    quotes = len(_QUOTES) if description else 2 * len(_QUOTES)
    sentence = wrap(sentence, columns - quotes)
    description = wrap(description, columns)
    return f"{sentence}\n\n{description}" if description else sentence


def py_documentation(summary: str, description: str, depth: int) -> str:
    """Return the docstring of an entity, `depth` levels deep, with its quotes."""
    return docstring_literal(docstring(summary, description, depth), depth)


def _indent(depth: int) -> str:
    return "    " * depth


def _string_literal(text: str) -> str:
    # Black prefers double quotes unless single ones need fewer backslashes.
    quote = "'" if text.count('"') > text.count("'") else '"'
    return quote + _escape_text(text).replace(quote, "\\" + quote) + quote


def _escape_text(text: str) -> str:
    if text.isprintable() and "\\" not in text:
        return text
    return "".join(
        _escape_char(c) if c == "\\" or not c.isprintable() else c for c in text
    )


def _escape_char(char: str) -> str:
    if char in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[char]
    code = ord(char)
    if code <= 0xFF:  # noqa: PLR2004 - what \x can say
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004


def _one_line(text: str) -> str:
    """Return the inside of a docstring on one line, with line ends as escapes.

    Black removes line ends at the end of a docstring.
    """
    line = text.rstrip("\n")
    kept = line.removesuffix('"')
    escaped = _escaped_lines([kept])[0] if kept else ""
    if kept != line:
        escaped += r"\x22"  # black puts a space between quotes, escaped or not
    return escaped + r"\n" * (len(text) - len(line))


def _survives_raw(lines: list[str]) -> bool:
    """Return whether black changes nothing of `lines` in a raw docstring."""
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
        # Black would remove the common indentation of all lines.
        index = next(i for i, line in enumerate(rest) if line)
        rest[index] = r"\x20" + rest[index][1:]
    return [first, *rest]


def _escaped_line(line: str) -> str:
    stripped = line.rstrip(" ")
    escaped = _escape_text(stripped).replace(_QUOTES, _ESCAPED_QUOTES)
    return escaped + r"\x20" * (len(line) - len(stripped))


def _has_unindented_line(lines: list[str]) -> bool:
    written = [line for line in lines if line]
    return not written or any(not line.startswith(" ") for line in written)
