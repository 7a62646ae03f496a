"""Enums of a dump: their names in Python, their values, and the C++ of both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from passgen import naming
from passgen.cpp import (
    Enumerator,
    enum_flags,
    enum_layout,
    enum_values,
    enumerator_name,
    marks,
    meaning,
)
from passgen.imported_names import Names, block, is_argument
from passgen.model import OptionRecord, PassRecord
from passgen.spec import Commented, Data

_ENUMERATOR: Final = re.compile(r"(?:[\w:]*::)?([A-Za-z_]\w*)")

_Path: TypeAlias = tuple[str, ...]
"""The scopes and the name of an enum in C++."""


class EnumKey(NamedTuple):
    """The identity of an enum, equal for options that share it."""

    path: _Path
    values: tuple[str, ...]


def enum_key(record: OptionRecord, values: Iterable[Enumerator]) -> EnumKey:
    """Return the key of the enum of an option.

    If the type of the option is no enum, such as `int`, the enum is named after the
    option.
    """
    texts = tuple(value.text for value in values)
    is_enum = meaning(record.type) is None
    if not is_enum:
        return EnumKey(_parts(record.cpp_name), texts)
    # Behind words such as `const`; a type may also be empty.
    name = "".join(record.type.split()[-1:])
    path = _parts(name)
    if path[:1] == ("mlir",):  # the namespace of the generated code
        path = path[1:]
    return EnumKey(path, texts)


def _parts(name: str) -> _Path:
    """Return the parts of a qualified name in C++."""
    return tuple(part for part in name.split("::") if part)


def enum_names(
    passes: Iterable[tuple[str, PassRecord]], taken: Names
) -> dict[EnumKey, str]:
    """Return the Python classes of the enums that options of `passes` have.

    An enum is named after that of C++, with as many of its namespaces as tell it apart
    from the others, whatever their order; a second set of values of one C++ enum is
    named after its pass and option.

    Args:
        passes: the passes, by their names in the spec.
        taken: the names of the module, which the classes are added to.
    """
    long_names = _names_of_first_options(passes)
    paths = {key.path for key in long_names}
    min_parts = {path: _num_distinct_parts(path, paths) for path in paths}
    names: dict[EnumKey, str] = {}
    # Names with fewer scopes are taken first: they have no others.
    for key in sorted(long_names, key=lambda key: min_parts[key.path]):
        wanted = [*_short_names(key.path, min_parts[key.path]), long_names[key]]
        free = (name for name in wanted if taken.are_free((name,)))
        names[key] = taken.take(next(free, long_names[key]))
    return names


def _names_of_first_options(
    passes: Iterable[tuple[str, PassRecord]],
) -> dict[EnumKey, str]:
    """Return the enums of passes, each named after the first option that has it."""
    names: dict[EnumKey, str] = {}
    for pass_name, record in passes:
        for option in record.options:
            values = values_of(option)
            if values is not None:
                name = naming.enum_class(pass_name, option.cpp_name)
                names.setdefault(enum_key(option, values), name)
    return names


def _num_distinct_parts(path: _Path, paths: Iterable[_Path]) -> int:
    """Return the number of last parts that tell `path` apart from others of `paths`."""
    others = [other for other in paths if other != path]
    for number in range(1, len(path)):
        if not any(other[-number:] == path[-number:] for other in others):
            return number
    return len(path)


def _short_names(path: _Path, min_parts: int) -> Iterator[str]:
    """Yield the class names of at least `min_parts` last parts, the shortest first."""
    for number in range(min_parts, len(path) + 1):
        yield _class_name(path[-number:])


def _class_name(parts: Iterable[str]) -> str:
    name = "".join(map(naming.pascal_case, parts))
    return name if name[:1].isalpha() else f"Enum{name}"


def values_of(record: OptionRecord) -> tuple[Enumerator, ...] | None:
    """Return the values of an enum, `None` if a spec cannot have them."""
    values = enum_values(record.flags)
    if values is None or not all(is_argument(value.text) for value in values):
        return None
    members = [naming.enum_member(value.text) for value in values]
    if not all(members) or len(set(members)) < len(members):
        return None
    return None if marks(record.flags) else values


def enumerator(record: OptionRecord, value: Enumerator) -> str:
    """Return the spelling of a value that the tables make of its entry."""
    return f"{record.type}::{_bare_name(value)}"


def _regular_name(value: Enumerator) -> str:
    """Return the enumerator that the tables make of the text of a value."""
    return enumerator_name(naming.pascal_case(value.text))


def _bare_name(value: Enumerator) -> str:
    """Return the enumerator without its enum."""
    return _own_name(value) or _regular_name(value)


def _own_name(value: Enumerator) -> str:
    """Return the enumerator as it is written, empty if it is not the name of one."""
    match = _ENUMERATOR.fullmatch(value.name)
    return match[1] if match else ""


def value_entry(value: Enumerator) -> Data:
    """Return a value of an enum as an entry of a spec."""
    entry: dict[str, Data] = {"value": value.text}
    if _description(value):
        entry["description"] = block(value.description)
    own_name = _own_name(value)
    if own_name not in {"", _regular_name(value)}:
        entry["cpp"] = own_name
    return entry if len(entry) > 1 else value.text


def _description(value: Enumerator) -> str:
    """Return the description of a value, empty if it only repeats the value."""
    return "" if value.description == value.text else value.description


def flags_entry(
    record: OptionRecord, values: Sequence[Enumerator], others: str
) -> dict[str, Data]:
    """Return the flags of an enum option, if they are not what the tables make of it.

    Args:
        record: the option.
        values: its values.
        others: the regular flags before those of the values.
    """
    own = [
        Enumerator(_bare_name(value), value.text, _description(value))
        for value in values
    ]
    regular = enum_flags(record.type, own)
    if record.flags == ", ".join(filter(None, (others, regular))):
        return {}
    return {"flags": Commented(enum_layout(record.flags, own), "laid out as it was")}
