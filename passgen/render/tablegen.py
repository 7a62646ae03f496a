"""TableGen syntax: the filters of the TableGen templates, which `render` registers.

TableGen reads texts and values back as they were, to the byte.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from passgen.model import FieldValue

Bases: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""Classes that a record derives from, each with its arguments."""

_ESCAPES: Final = {"\\": r"\\", '"': r"\"", "\n": r"\n", "\t": r"\t"}
_SPECIAL: Final = re.compile(r'["\\\n\t]')
_CODE_END: Final = "}]"


def td_name(name: str) -> str:
    """Return `name`, an identifier."""
    return name


def string_literal(text: str) -> str:
    """Return `text` as a string on one line, or as a block if it must be one."""
    if "\r" in text or "\0" in text:
        return code_literal(text)
    return f'"{_SPECIAL.sub(lambda found: _ESCAPES[found[0]], text)}"'


def code_literal(text: str) -> str:
    """Return `text` as a code block; the end of a block inside it is a string."""
    parts = text.split(_CODE_END)
    return f' # "{_CODE_END}" # '.join(f"[{{{part}}}]" for part in parts)


def td_text(text: str) -> str:
    """Return `text` as a block if it has several lines, else as a string."""
    return code_literal(text) if "\n" in text else string_literal(text)


def td_comment(text: str) -> str:
    """Return `text` as a part of a comment on one line."""
    return " ".join(text.split())


def td_bases(bases: Bases) -> str:
    """Return the classes that a record derives from, with their arguments."""
    return ", ".join(name + _arguments(arguments) for name, arguments in bases)


def _arguments(arguments: tuple[str, ...]) -> str:
    if not arguments:
        return ""
    return f"<{', '.join(td_text(argument) for argument in arguments)}>"


def td_strings(texts: tuple[str, ...]) -> str:
    """Return a list of strings."""
    return f"[{', '.join(string_literal(text) for text in texts)}]"


def td_field(field: tuple[str, FieldValue]) -> str:
    """Return the declaration of a field: its type, its name and its value."""
    name, value = field
    return f"{_type(value)} {name} = {_value(value)}"


def _value(value: FieldValue) -> str:
    if value is None:
        return "?"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return td_text(value) if isinstance(value, str) else str(value)


def _type(value: FieldValue) -> str:
    if isinstance(value, list):
        return f"list<{_type(value[0]) if value else 'string'}>"
    return "int" if isinstance(value, int) else "string"
