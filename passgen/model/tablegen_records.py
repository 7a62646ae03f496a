"""TableGen records of passes as `mlir-tblgen` reads them, exact to the byte.

The fields are those of `PassBase.td`, with their C++ uninterpreted. `tablegen.dump`
reads records from a `Passes.td`, `cpp.records` makes them from the model, and the
targets that replace `mlir-tblgen` write them. So an import is faithful if the records
of the imported group equal those of the `Passes.td`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

_NUMBER: Final = re.compile("[0-9]+")

FieldValue: TypeAlias = "str | int | list[FieldValue] | None"
"""The value of a field that no generator of passes reads; `None` is `?`."""

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
    """The text of the file, with its indentation and the line ends around it."""

    constructor: str
    dependent_dialects: tuple[str, ...]
    options: tuple[OptionRecord, ...]
    statistics: tuple[StatisticRecord, ...]
    classes: tuple[str, ...] = PASS_CLASSES
    """All superclasses, bases first."""

    fields: Fields = ()
    """The fields of classes other than `PassBase`, sorted by name."""

    @property
    def has_create_functions(self) -> bool:
        """Whether generated C++ has functions that make the pass."""
        return not self.constructor

    @property
    def creation(self) -> str:
        """The C++ expression that makes the pass."""
        return self.constructor or f"create{self.name}()"


def record_order(name: str) -> str:
    """Return the key that sorts records by name as `mlir-tblgen` does.

    A number with fewer digits comes first: `P2`, `P10`, `P002`.
    """
    return _NUMBER.sub(_number_order, name)


def _number_order(match: re.Match[str]) -> str:
    # A digit first, so that numbers of any length compare alike with other characters.
    return f"0{chr(len(match[0]))}{match[0]}"
