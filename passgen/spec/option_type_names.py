"""Names of option types that authors bring from Python, C++ and ODS."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from passgen.diagnostics import Note, suggest

_MEANT: Final[dict[str, tuple[str, ...]]] = {
    "boolean": ("bool",),
    "char": ("int8", "uint8"),
    "enumeration": ("enum",),
    "f32": ("float",),
    "f64": ("double",),
    "float32": ("float",),
    "float64": ("double",),
    "i1": ("bool",),
    "i8": ("int8",),
    "i16": ("int16",),
    "i32": ("int32",),
    "i64": ("int64",),
    "index": ("int64", "uint64"),
    "int": ("int32", "int64"),
    "int8_t": ("int8",),
    "int16_t": ("int16",),
    "int32_t": ("int32",),
    "int64_t": ("int64",),
    "integer": ("int32", "int64"),
    "long": ("int64",),
    "number": ("int64", "double"),
    "oppassmanager": ("pipeline",),
    "short": ("int16",),
    "size_t": ("uint64",),
    "std::string": ("string",),
    "str": ("string",),
    "text": ("string",),
    "uint": ("uint32", "uint64"),
    "uint8_t": ("uint8",),
    "uint16_t": ("uint16",),
    "uint32_t": ("uint32",),
    "uint64_t": ("uint64",),
    "unsigned": ("uint32", "uint64"),
}
"""The option types that a name in lower case may mean in another language."""

_LIST: Final = re.compile(
    r"(?:std::)?(?:list|listoption|vector|sequence|tuple|array|smallvector)"
    r" *[<\[(] *(?P<element>[\w:]+)(?: *, *[\w.]+)? *[>\])]"
    r"|(?P<element_before>[\w:]+) *\[ *\]",
    re.IGNORECASE,
)
"""A list of one type, as Python, C++ and TypeScript write it."""


def suggest_option_type(
    found: str, valid: Sequence[str], *, is_of_elements: bool
) -> tuple[Note, ...]:
    """Return a note with the option types, of `valid`, that `found` may mean, if any.

    `is_of_elements` says that the type is the operand of `listOf`.
    """
    of_list = _LIST.fullmatch(found.strip())
    if of_list is None:
        meant = _meant(found, valid)
        return _question(meant) if meant else suggest(found, valid)
    element = of_list["element"] or of_list["element_before"]
    meant = (element,) if element in valid else _meant(element, valid)
    if is_of_elements:
        return (
            Note("a list option has no lists as its elements"),
            *_question(meant),
        )
    return _question(tuple(f"listOf: {name}" for name in meant or ("TYPE",)))


def _meant(found: str, valid: Sequence[str]) -> tuple[str, ...]:
    meant = _MEANT.get(found.strip().lower(), ())
    return tuple(name for name in meant if name in valid)


def _question(meant: Sequence[str]) -> tuple[Note, ...]:
    names = " or ".join(f"'{name}'" for name in meant)
    return (Note(f"did you mean {names}?"),) if meant else ()
