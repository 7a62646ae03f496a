"""Enums of a dump: their names in Python, their values, and the C++ of both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

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

EnumKey: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]]
"""The scopes and the name of an enum in C++, and its values."""

_ENUMERATOR: Final = re.compile(r"(?:[\w:]*::)?([A-Za-z_]\w*)")


def enum_key(record: OptionRecord, values: Iterable[Enumerator]) -> EnumKey:
    """Return the key of the enum of an option, equal for options that share it.

    An option whose type is no enum, such as `int`, is the name of its own.
    """
    is_enum = meaning(record.type) is None
    spelled = record.type.split()[-1:] if is_enum else [record.cpp_name]
    scopes = [scope for part in spelled for scope in part.split("::") if scope]
    if is_enum and scopes[:1] == ["mlir"]:
        del scopes[0]  # the namespace of the generated code
    return tuple(scopes), tuple(value.text for value in values)


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
    owners: dict[EnumKey, str] = {}
    for name, record in passes:
        for option in record.options:
            values = values_of(option)
            if values is not None:
                owner = naming.enum_class(name, option.cpp_name)
                owners.setdefault(enum_key(option, values), owner)
    paths = {path for path, _ in owners}
    names: dict[EnumKey, str] = {}
    # Names with fewer scopes are taken first: they have no others.
    for key in sorted(owners, key=lambda key: _scopes(key[0], paths)):
        path = key[0]
        wanted = [
            _class_name(path[-count:])
            for count in range(_scopes(path, paths), len(path) + 1)
        ]
        wanted.append(owners[key])
        free = (name for name in wanted if taken.are_free((name,)))
        names[key] = taken.take(next(free, wanted[-1]))
    return names


def _scopes(path: tuple[str, ...], paths: Iterable[tuple[str, ...]]) -> int:
    """Return the number of last parts of `path` that no other of `paths` has."""
    others = [other for other in paths if other != path]
    for count in range(1, len(path)):
        if not any(other[-count:] == path[-count:] for other in others):
            return count
    return len(path)


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
    return enumerator_name(naming.pascal_case(value.text))


def _bare_name(value: Enumerator) -> str:
    return _own_name(value) or _regular_name(value)


def _own_name(value: Enumerator) -> str:
    """Return the enumerator without its enum, empty if it is not the name of one."""
    match = _ENUMERATOR.fullmatch(value.name)
    return match[1] if match else ""


def value_entry(value: Enumerator) -> Data:
    """Return a value of an enum as an entry of a spec."""
    entry: dict[str, Data] = {"value": value.text}
    if _description(value):
        entry["description"] = block(value.description)
    if _own_name(value) not in {"", _regular_name(value)}:
        entry["cpp"] = _own_name(value)
    return entry if len(entry) > 1 else value.text


def _description(value: Enumerator) -> str:
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
