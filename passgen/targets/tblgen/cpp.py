"""The C++ target and the C targets, as `mlir-tblgen` writes them.

Its generators are `-gen-pass-decls` and `-gen-pass-capi-*`. Passes come in the order of
their names, as `mlir-tblgen` visits its records.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from passgen.cpp import (
    SPACE,
    DeclaredEnum,
    declared_enums,
    group_records,
    sorted_records,
)
from passgen.model import (
    OptionRecord,
    PassGroup,
    PassRecord,
    StatisticRecord,
    record_order,
)
from passgen.targets.origin import Origin


@dataclass(frozen=True)
class OptionView:
    """A member of the base class and of the options struct."""

    name: str
    argument: str
    field_type: str
    """In the options struct."""

    member_type: str
    """In the base class."""

    default: str
    description: str
    flags: str


@dataclass(frozen=True)
class CppEnum:
    """An enum that the file declares, once however often it is included."""

    name: str
    guard: str
    enumerators: tuple[str, ...]


@dataclass(frozen=True)
class PassView:
    """The declarations of one pass."""

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
    options: tuple[OptionView, ...]
    statistics: tuple[StatisticRecord, ...]


@dataclass(frozen=True)
class Header:
    """One generated file of C++."""

    name: str
    passes: tuple[PassView, ...]


@dataclass(frozen=True)
class Binding:
    """One generated file of the C API."""

    prefix: str
    """The start of the names of its functions, after `mlirCreate`."""

    passes: tuple[PassRecord, ...]


def values(group: PassGroup, _origin: Origin) -> dict[str, object]:
    """Return the variables of the templates in `cpp`, `capi-header` and `capi-impl`."""
    prefix = group.name if group.cpp.capi_prefix is None else group.cpp.capi_prefix
    passes = []
    for pass_, record in zip(group.passes, group_records(group), strict=True):
        enums = declared_enums(pass_)
        passes.append(_pass(record, tuple(_enum(enum, group.title) for enum in enums)))
    passes.sort(key=lambda each: record_order(each.name))
    return {
        "header": Header(group.name, tuple(passes)),
        "binding": Binding(prefix, sorted_records(group)),
    }


def _pass(record: PassRecord, enums: tuple[CppEnum, ...]) -> PassView:
    return PassView(
        name=record.name,
        macro=record.name.upper(),
        argument=record.argument,
        summary=record.summary.strip(SPACE),
        base_class=record.base_class,
        creation=record.creation,
        has_create_functions=not record.constructor,
        dependent_dialects=record.dependent_dialects,
        enums=enums,
        options=tuple(_option(option) for option in record.options),
        statistics=tuple(
            replace(statistic, description=statistic.description.strip(SPACE))
            for statistic in record.statistics
        ),
    )


def _enum(enum: DeclaredEnum, group: str) -> CppEnum:
    guard = f"GEN_PASS_ENUM_{group}_{enum.name}".upper()
    return CppEnum(enum.name, guard, enum.enumerators)


def _option(record: OptionRecord) -> OptionView:
    kind = "ListOption" if record.is_list else "Option"
    return OptionView(
        name=record.cpp_name,
        argument=record.argument,
        field_type=(
            f"::llvm::SmallVector<{record.type}>" if record.is_list else record.type
        ),
        member_type=f"::mlir::Pass::{kind}<{record.type}>",
        default=record.default,
        description=record.description.strip(SPACE),
        flags=record.flags,
    )
