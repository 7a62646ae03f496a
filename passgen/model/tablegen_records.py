"""TableGen's view of passes: the records that `mlir-tblgen` reads, texts to the byte.

What `PassBase.td` calls a field is one here, spelled as C++ and uninterpreted.
`tablegen.dump` reads records out of a `Passes.td`, `cpp.records` makes them of the
model, and the targets that stand in for `mlir-tblgen` write them. So a group has been
imported faithfully if and only if its records are those that it was imported from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

_NUMBER: Final = re.compile("[0-9]+")

FieldValue: TypeAlias = "str | int | list[FieldValue] | None"
"""A field that no generator of passes reads; `None` is TableGen's `?`."""

Fields: TypeAlias = tuple[tuple[str, FieldValue], ...]

OPTION_CLASSES: Final = ("Option",)
LIST_OPTION_CLASSES: Final = ("Option", "ListOption")
STATISTIC_CLASSES: Final = ("Statistic",)
PASS_CLASSES: Final = ("PassBase", "Pass")
INTERFACE_PASS_CLASSES: Final = ("PassBase", "InterfacePass")


@dataclass(frozen=True)
class OptionRecord:
    """An `Option` or a `ListOption`."""

    cpp_name: str
    argument: str
    type: str
    default: str
    """A C++ expression; empty for no default."""

    description: str
    flags: str
    """C++ arguments that follow the description and the default; may be empty."""

    is_list: bool
    classes: tuple[str, ...] = OPTION_CLASSES
    fields: Fields = ()


@dataclass(frozen=True)
class StatisticRecord:
    """A `Statistic`."""

    cpp_name: str
    name: str
    description: str
    classes: tuple[str, ...] = STATISTIC_CLASSES
    fields: Fields = ()


@dataclass(frozen=True)
class PassRecord:
    """A record that derives from `PassBase`."""

    name: str
    argument: str
    base_class: str
    summary: str
    description: str
    """Indented as in the file, line ends around it included."""

    constructor: str
    dependent_dialects: tuple[str, ...]
    options: tuple[OptionRecord, ...]
    statistics: tuple[StatisticRecord, ...]
    classes: tuple[str, ...] = PASS_CLASSES
    """All it derives from, bases first."""

    fields: Fields = ()
    """Those of classes other than `PassBase`, in the order of their names."""

    @property
    def creation(self) -> str:
        """The C++ expression that makes the pass."""
        return self.constructor or f"create{self.name}()"


def record_order(name: str) -> str:
    """Return what orders records by their names as `mlir-tblgen` does.

    Of two numbers in one place, that of fewer digits comes first: `P2`, `P10`, `P002`.
    """
    return _NUMBER.sub(_number_order, name)


def _number_order(match: re.Match[str]) -> str:
    # One digit first: to what is no digit, all numbers compare alike.
    return f"0{chr(len(match[0]))}{match[0]}"
