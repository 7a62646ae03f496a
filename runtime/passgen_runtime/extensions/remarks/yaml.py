"""Remarks in the YAML of LLVM, which `llvm-remarkutil` and optview2 read.

The rules are those of `llvm::yaml::Output`: the bytes are the same as LLVM's.
"""

from __future__ import annotations

import re
from typing import Final

from passgen_runtime.extensions.remarks.emitted_remark import MLIR_KINDS, Remark

_KEY_COLUMNS: Final = 17
_MAX_COLUMN: Final = 70
_LOCATION: Final = re.compile(r"(?P<file>.*):(?P<line>\d+):(?P<column>\d+)", re.DOTALL)
_UNKNOWN_PLACE: Final = ("<unknown file>", "0", "0")
_UNKNOWN_FUNCTION: Final = "<unknown function>"

_NEEDS_DOUBLE_QUOTES: Final = re.compile(r"[^\t -~]")
_NEEDS_QUOTES: Final = re.compile(r"^[ -]|^$|[ \t]$|^\t|^,|[^\w\-^., \t]", re.ASCII)
_NO_TEXT: Final = re.compile(
    r"null|Null|NULL|~|true|True|TRUE|false|False|FALSE|\.(?:nan|NaN|NAN)"
    r"|[-+]?\.(?:inf|Inf|INF)|0o[0-7]+|0x[0-9a-fA-F]+"
    r"|[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?"
)
"""Plain texts that YAML reads as something else than a text."""

_ESCAPES: Final = {"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r", "\t": r"\t"}


def remark_yaml(remark: Remark) -> str:
    """Return the document of a remark; a file has one after the other."""
    lines = [
        f"--- !{MLIR_KINDS[remark.kind]}",
        f"Pass:            {_scalar(remark.category, 0)}",
        f"Name:            {_scalar(remark.name, 0)}",
        _place(remark.location),
        f"Function:        {_scalar(remark.function or _UNKNOWN_FUNCTION, 0)}",
    ]
    arguments = [
        f"  - {f'{key}: ':<{_KEY_COLUMNS}}{_scalar(text, 6)}"
        for key, text in remark.arguments()
    ]
    if arguments:
        lines += ["Args:", *arguments]
    return "\n".join((*lines, "...\n"))


def _place(location: str) -> str:
    """Return the line, or lines, of a location."""
    found = _LOCATION.fullmatch(location)
    file, *numbers = found.groups() if found else _UNKNOWN_PLACE
    text = f"DebugLoc:        {{ File: {_scalar(file, 0)}"
    for key, number in zip(("Line", "Column"), numbers, strict=True):
        text += ", "
        if len(text.rpartition("\n")[2].encode()) > _MAX_COLUMN:
            text += f"\n{' ' * (_KEY_COLUMNS + len('{ '))}"
        text += f"{key}: {number}"
    return f"{text} }}"


def _scalar(text: str, indent: int) -> str:
    """Return `text` as a value; one of several lines stands `indent` columns deep."""
    if text.count("\n") > 1 and indent:
        margin = f"\n{' ' * indent}"
        return " |" + "".join(margin + line for line in text.splitlines())
    if _NEEDS_DOUBLE_QUOTES.search(text):
        return f'"{"".join(map(_escape, text))}"'
    if _NEEDS_QUOTES.search(text) or _NO_TEXT.fullmatch(text):
        return "'" + text.replace("'", "''") + "'"
    return text


def _escape(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return character if character >= " " else f"\\x{ord(character):02X}"
