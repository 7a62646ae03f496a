"""The TableGen target: a `Passes.td` whose records are those of the group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from passgen.cpp import (
    DEPRECATED,
    DEPRECATED_FIELD,
    INTERFACE_PASS,
    OPERATION_PASS,
    group_records,
)
from passgen.model import (
    LIST_OPTION_CLASSES,
    OPTION_CLASSES,
    STATISTIC_CLASSES,
    Fields,
    OptionRecord,
    PassGroup,
    PassRecord,
    StatisticRecord,
)
from passgen.render import Bases

_Record: TypeAlias = PassRecord | OptionRecord | StatisticRecord

_BASE: Final = "PassBase"
_TEMPLATES: Final = {"Pass": OPERATION_PASS, "InterfacePass": INTERFACE_PASS}
"""Classes derived from `PassBase`, and the start of the base class that they make."""

_DECLARED: Final = frozenset(
    {_BASE, *_TEMPLATES, *LIST_OPTION_CLASSES, *STATISTIC_CLASSES} | {DEPRECATED}
)


@dataclass(frozen=True)
class RecordItem:
    """An option or a statistic, anonymous or as a record of its own."""

    record: str
    """The name of its record; empty for an anonymous one."""

    bases: Bases
    default: str
    """A default that is no argument of the record's classes; may be empty."""

    fields: Fields


@dataclass(frozen=True)
class RecordDefinition:
    """The record of a pass."""

    record: PassRecord
    bases: Bases
    base_class: str
    """A base class that the record's classes do not make; may be empty."""

    options: tuple[RecordItem, ...]
    statistics: tuple[RecordItem, ...]
    own_records: tuple[RecordItem, ...]
    fields: Fields


@dataclass(frozen=True)
class File:
    """One generated file."""

    is_utils_included: bool
    classes: tuple[str, ...]
    """Classes that no file of MLIR declares."""

    passes: tuple[RecordDefinition, ...]


def values(group: PassGroup) -> dict[str, object]:
    """Return the variables of `tablegen/Passes.td.j2`."""
    records = group_records(group)
    classes: dict[str, None] = {}
    for record in records:
        parts: tuple[_Record, ...] = (record, *record.options, *record.statistics)
        for part in parts:
            classes |= dict.fromkeys(part.classes)
    file = File(
        is_utils_included=DEPRECATED in classes,
        classes=tuple(name for name in classes if name not in _DECLARED),
        passes=tuple(_definition(record) for record in records),
    )
    return {"file": file}


def _definition(record: PassRecord) -> RecordDefinition:
    bases, base_class = _pass_bases(record)
    options = tuple(
        _option(option, f"{record.name}_option_{number}")
        for number, option in enumerate(record.options)
    )
    statistics = tuple(
        _statistic(statistic, f"{record.name}_statistic_{number}")
        for number, statistic in enumerate(record.statistics)
    )
    return RecordDefinition(
        record=record,
        bases=bases,
        base_class=base_class,
        options=options,
        statistics=statistics,
        own_records=tuple(
            member for member in (*options, *statistics) if member.record
        ),
        fields=_fields(record.fields, record.classes),
    )


def _pass_bases(record: PassRecord) -> tuple[Bases, str]:
    """Return the classes of a record, and its base class unless they make it."""
    template = next((name for name in _TEMPLATES if name in record.classes), "")
    prefix = _TEMPLATES.get(template, "")
    base_class = record.base_class
    arguments: tuple[str, ...] = (record.argument, base_class)
    kept = ""
    if template:
        is_made = base_class.startswith(prefix) and base_class.endswith(">")
        inner = base_class[len(prefix) : -1] if is_made else ""
        kept = "" if is_made else base_class
        is_short = template == "Pass" and not inner
        arguments = (record.argument,) if is_short else (record.argument, inner)
    names = [name for name in record.classes if not template or name != _BASE]
    return _bases(names, template or _BASE, arguments, record.fields), kept


def _bases(
    names: Sequence[str], main: str, arguments: tuple[str, ...], fields: Fields
) -> Bases:
    """Return the classes in `names`; `main` takes the `arguments`."""
    given = {main: arguments}
    reason = dict(fields).get(DEPRECATED_FIELD)
    if isinstance(reason, str):
        given[DEPRECATED] = (reason,)
    return tuple((name, given.get(name, ())) for name in names)


def _fields(fields: Fields, classes: tuple[str, ...]) -> Fields:
    kept = dict(fields)
    if DEPRECATED in classes:
        kept.pop(DEPRECATED_FIELD, None)
    return tuple(kept.items())


def _option(option: OptionRecord, name: str) -> RecordItem:
    arguments = [option.cpp_name, option.argument, option.type]
    main = "ListOption" if option.is_list else "Option"
    if not option.is_list:
        arguments.append(option.default)
    arguments.append(option.description)
    if option.flags:
        arguments.append(option.flags)
    regular = LIST_OPTION_CLASSES if option.is_list else OPTION_CLASSES
    is_regular = option.classes == regular and not option.fields
    default = option.default if option.is_list else ""
    names = [cls for cls in option.classes if not option.is_list or cls != "Option"]
    return RecordItem(
        record="" if is_regular and not default else name,
        bases=_bases(names, main, tuple(arguments), option.fields),
        default=default,
        fields=_fields(option.fields, option.classes),
    )


def _statistic(statistic: StatisticRecord, name: str) -> RecordItem:
    arguments = (statistic.cpp_name, statistic.name, statistic.description)
    is_regular = statistic.classes == STATISTIC_CLASSES and not statistic.fields
    return RecordItem(
        record="" if is_regular else name,
        bases=_bases(statistic.classes, "Statistic", arguments, statistic.fields),
        default="",
        fields=_fields(statistic.fields, statistic.classes),
    )
