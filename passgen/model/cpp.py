"""The C++ part of the model: spellings that the tables of `cpp.types` cannot give.

Each entity of `model` has one, empty for a spec that says nothing about C++. `None` and
an empty mapping mean that the regular spelling holds; an empty text is a spelling.
`cpp.records` alone reads it, so that no target asks where a spelling came from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from passgen.model.tablegen_records import Fields


@dataclass(frozen=True)
class CppGroup:
    """Spellings of what all passes of a group may name."""

    dialects: Mapping[str, str] = field(default_factory=dict)
    """Classes of dialects by namespace: `memref` is `mlir::memref::MemRefDialect`."""

    operations: Mapping[str, str] = field(default_factory=dict)
    """Classes of operations by name: `func.func` is `mlir::func::FuncOp`."""

    interfaces: Mapping[str, str] = field(default_factory=dict)
    """Classes of interfaces by name."""

    types: Mapping[str, str] = field(default_factory=dict)
    """Types of options by spec name: `uint32` is `uint32_t`."""

    capi_prefix: str | None = None
    """What the names of C functions begin with; `None`: the group's name."""


@dataclass(frozen=True)
class TablegenPart:
    """What only TableGen knows of an entity: classes and fields of its record."""

    classes: tuple[str, ...] = ()
    """All superclasses, bases first; empty for the regular ones."""

    fields: Fields = ()
    """Fields that the generators of passes do not read."""


REGULAR_RECORD: Final = TablegenPart()


@dataclass(frozen=True)
class DescriptionLayout:
    """How the description stands in TableGen, between `[{` and `}]`."""

    start: str = "\n"
    indent: int = 4
    """Columns before each line that is not empty."""

    end: str = "\n  "
    text: str | None = None
    """The whole text, where start, indentation and end cannot say it."""


REGULAR_LAYOUT: Final = DescriptionLayout()


@dataclass(frozen=True)
class CppPass:
    """Spellings of a pass."""

    name: str | None = None
    argument: str | None = None
    summary: str | None = None
    base_class: str | None = None
    """The whole base class, such as `::mlir::OperationPass<func::FuncOp>`."""

    anchor: str | None = None
    """The class of the operation or interface."""

    constructor: str | None = None
    """The expression that makes the pass, instead of a generated function."""

    dependent_dialects: tuple[str, ...] | None = None
    """All classes to insert, instead of those of `dialects`."""

    dialects: Mapping[str, str] = field(default_factory=dict)
    """As those of the group, which they precede."""

    layout: DescriptionLayout = REGULAR_LAYOUT
    tablegen: TablegenPart = REGULAR_RECORD


@dataclass(frozen=True)
class CppOption:
    """Spellings of an option."""

    name: str | None = None
    argument: str | None = None
    type: str | None = None
    default: str | None = None
    """The expression, blanks included."""

    flags: str | None = None
    """What follows the default among the constructor's arguments."""

    tablegen: TablegenPart = REGULAR_RECORD


@dataclass(frozen=True)
class CppStatistic:
    """Spellings of a statistic."""

    name: str | None = None
    display_name: str | None = None
    tablegen: TablegenPart = REGULAR_RECORD


REGULAR_GROUP: Final = CppGroup()
REGULAR_PASS: Final = CppPass()
REGULAR_OPTION: Final = CppOption()
REGULAR_STATISTIC: Final = CppStatistic()
