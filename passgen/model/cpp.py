"""The C++ part of the model: spellings that differ from the regular ones.

Each entity of the model has such a part, which is empty unless the spec has a `cpp:`.
`None` and an empty mapping mean the regular spelling; an empty text is a spelling. Only
`cpp.records` reads it, so targets need not know where a spelling comes from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from passgen.model.tablegen_records import Fields


@dataclass(frozen=True)
class CppGroup:
    """Spellings for all passes of a group."""

    dialects: Mapping[str, str] = field(default_factory=dict)
    """Classes of dialects by namespace: `memref` is `mlir::memref::MemRefDialect`."""

    operations: Mapping[str, str] = field(default_factory=dict)
    """Classes of operations by name: `func.func` is `mlir::func::FuncOp`."""

    interfaces: Mapping[str, str] = field(default_factory=dict)
    """Classes of interfaces by name."""

    types: Mapping[str, str] = field(default_factory=dict)
    """Types of options by spec name: `uint32` is `uint32_t`."""

    capi_prefix: str | None = None
    """The prefix of the names of C functions; `None`: the group's name."""


@dataclass(frozen=True)
class TablegenPart:
    """Superclasses and fields of a record that other languages do not have."""

    classes: tuple[str, ...] = ()
    """All superclasses, bases first; empty for the regular ones."""

    fields: Fields = ()
    """Fields that the generators of passes do not read."""


REGULAR_RECORD: Final = TablegenPart()


MAX_DESCRIPTION_INDENT: Final = 256
"""The widest indentation of a layout; the schema has the same limit."""


@dataclass(frozen=True)
class DescriptionLayout:
    """The layout of the description in TableGen, between `[{` and `}]`."""

    start: str = "\n"
    indent: int = 4
    """Columns before each line that is not empty."""

    end: str = "\n  "
    text: str | None = None
    """The whole text, if `start`, `indent` and `end` cannot express it."""


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
    """The classes of all dependent dialects, instead of those in `dialects`."""

    dialects: Mapping[str, str] = field(default_factory=dict)
    """Classes of dialects by namespace, which override those of the group."""

    layout: DescriptionLayout = REGULAR_LAYOUT
    tablegen: TablegenPart = REGULAR_RECORD


@dataclass(frozen=True)
class CppOption:
    """Spellings of an option."""

    name: str | None = None
    argument: str | None = None
    type: str | None = None
    default: str | None = None
    """The expression, with its blanks unchanged."""

    flags: str | None = None
    """The arguments of the constructor after the default."""

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
