"""The C++ target: declarations as `mlir-tblgen -gen-pass-decls` writes them.

Passes come in the order of their names, as `mlir-tblgen` goes through its records.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from passgen.cpp import DeclaredEnum, declared_enums, group_records
from passgen.model import (
    OptionRecord,
    PassGroup,
    PassRecord,
    StatisticRecord,
    record_order,
)
from passgen.targets.origin import Origin

_SPACE: Final = " \t\n\v\f\r"
"""What is not kept around a text that C++ only shows."""


@dataclass(frozen=True)
class CppOption:
    """A member of the base class, and of the options struct. One `has_` or none."""

    name: str
    argument: str
    field_type: str
    """In the struct of options."""

    member_type: str
    """In the base class."""

    default: str
    description: str
    flags: str
    is_plain: bool
    has_default_only: bool
    has_flags_only: bool
    has_default_and_flags: bool


@dataclass(frozen=True)
class CppEnum:
    """An enum that the file declares, once however often it is included."""

    name: str
    guard: str
    enumerators: tuple[str, ...]


@dataclass(frozen=True)
class CppPass:
    """What is generated of one pass."""

    name: str
    macro: str
    """The end of the names of its macros."""

    argument: str
    summary: str
    base_class: str
    creation: str
    has_create_functions: bool
    dependent_dialects: tuple[str, ...]
    enums: tuple[CppEnum, ...]
    options: tuple[CppOption, ...]
    statistics: tuple[StatisticRecord, ...]


@dataclass(frozen=True)
class Header:
    """One generated file."""

    name: str
    passes: tuple[CppPass, ...]


def values(group: PassGroup, _origin: Origin) -> dict[str, object]:
    """Return what `cpp/passes.h.inc.j2` may name."""
    passes = []
    for pass_, record in zip(group.passes, group_records(group), strict=True):
        enums = declared_enums(pass_)
        passes.append(_pass(record, tuple(_enum(each, group.name) for each in enums)))
    passes.sort(key=lambda each: record_order(each.name))
    return {"header": Header(group.name, tuple(passes))}


def _pass(record: PassRecord, enums: tuple[CppEnum, ...]) -> CppPass:
    return CppPass(
        name=record.name,
        macro=record.name.upper(),
        argument=record.argument,
        summary=record.summary.strip(_SPACE),
        base_class=record.base_class,
        creation=record.creation,
        has_create_functions=not record.constructor,
        dependent_dialects=record.dependent_dialects,
        enums=enums,
        options=tuple(_option(each) for each in record.options),
        statistics=tuple(
            replace(each, description=each.description.strip(_SPACE))
            for each in record.statistics
        ),
    )


def _enum(enum: DeclaredEnum, group: str) -> CppEnum:
    guard = f"GEN_PASS_ENUM_{group}_{enum.name}".upper()
    return CppEnum(enum.name, guard, enum.enumerators)


def _option(record: OptionRecord) -> CppOption:
    has_default, has_flags = bool(record.default), bool(record.flags)
    kind = "ListOption" if record.is_list else "Option"
    return CppOption(
        name=record.cpp_name,
        argument=record.argument,
        field_type=(
            f"::llvm::SmallVector<{record.type}>" if record.is_list else record.type
        ),
        member_type=f"::mlir::Pass::{kind}<{record.type}>",
        default=record.default,
        description=record.description.strip(_SPACE),
        flags=record.flags,
        is_plain=not has_default and not has_flags,
        has_default_only=has_default and not has_flags,
        has_flags_only=has_flags and not has_default,
        has_default_and_flags=has_default and has_flags,
    )
