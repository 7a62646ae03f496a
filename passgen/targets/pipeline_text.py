r"""Values of options as texts in pipelines, by the rules of the runtime.

The generator imports no runtime: tests compare `quote` with that of the runtime, and
parse the pipelines of generated pages. What MLIR cannot spell is `$'...'` with escapes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_BLANKS: Final = " \t\n\v\f\r"
_PLAIN: Final = re.compile(r"[^ ,'\"(){}\[\]]+")
_QUOTES: Final = "'\""
_ESCAPED: Final = {"\n": "n", "\t": "t", "\r": "r", "\0": "0", "\\": "\\"}


def quote(value: str) -> str:
    """Return text that a pipeline reads as the string `value`."""
    if value.isprintable() and value == value.strip(_BLANKS):
        if _PLAIN.fullmatch(value):
            return value
        if _has_balanced_braces(value):
            for mark in _QUOTES:
                if mark not in value:
                    return f"{mark}{value}{mark}"
    return f"$'{''.join(map(_escape, value))}'"


def list_text(values: Iterable[str]) -> str:
    """Return text that a pipeline reads as the list of the strings `values`."""
    text = ",".join(map(quote, values))
    # Quotes at both ends would be those of the whole list.
    is_ambiguous = text == "''" or (text[:1] in _QUOTES and "," in text)
    return f"{{{text}}}" if text and is_ambiguous else text


def _has_balanced_braces(value: str) -> bool:
    depth = 0
    for char in value:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    return depth == 0


def _escape(char: str) -> str:
    if char in _ESCAPED:
        return f"\\{_ESCAPED[char]}"
    code = ord(char)
    if char in "'{}" or (not char.isprintable() and code < 1 << 8):
        return f"\\x{code:02x}"
    if char.isprintable():
        return char
    return f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"
