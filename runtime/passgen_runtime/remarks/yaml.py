"""Remarks in the YAML of LLVM, which `llvm-remarkutil` and optview2 read.

The rules are those of `llvm::yaml::Output`. The bytes are the same as LLVM's, except
where no reader can read those.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import category

from passgen_runtime.remarks.emitted_remark import MLIR_KINDS, Remark

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
"""Unquoted texts that YAML reads as null, a boolean or a number."""

_NO_BLOCK: Final = re.compile(
    "^\n*[ \t]|[^\t\n -~\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)
"""Texts that no block scalar can contain: readers stop at such characters, and take
leading blanks for indentation. LLVM writes block scalars for them as well."""

_ESCAPES: Final = {
    **dict(zip("\0\a\b\t\n\v\f\r\x1b", "0abtnvfre", strict=True)),
    **dict(zip('\\"\x85\xa0\u2028\u2029', '\\"N_LP', strict=True)),
}


def remark_yaml(remark: Remark) -> str:
    """Return the YAML document of a remark; a file has one document for each remark."""
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
    """Return the line or lines for a location."""
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
    """Return `text` as a scalar; several lines are indented by `indent` columns."""
    if text.count("\n") > 1 and indent and not _NO_BLOCK.search(text):
        margin = f"\n{' ' * indent}"
        lines = text.removesuffix("\n").split("\n")
        return " |" + "".join(margin + line for line in lines)
    if _NEEDS_DOUBLE_QUOTES.search(text):
        return f'"{"".join(map(_escape, text))}"'
    if _NEEDS_QUOTES.search(text) or _NO_TEXT.fullmatch(text):
        return "'" + text.replace("'", "''") + "'"
    return text


def _escape(character: str) -> str:
    """Return a character in LLVM's form inside double quotes."""
    if character in _ESCAPES:
        return f"\\{_ESCAPES[character]}"
    kind = category(character)
    if kind[0] != "C" or character == "\xad":
        return character
    if kind == "Cs":  # a surrogate, which UTF-8 cannot encode
        return "\ufffd"
    code = ord(character)
    if code <= 0xFF:  # noqa: PLR2004 - two digits
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"  # noqa: PLR2004
