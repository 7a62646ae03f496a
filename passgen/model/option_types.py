"""The option types of the spec language, and their spellings in Python and C++."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from passgen.passgen_rules import option_types
from passgen.passgen_rules.option_values import ENUM, LiteralForm, OptionType

_PYTHON_TYPES: Final[dict[LiteralForm, str]] = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "string": "str",
    "pipeline": "TextualPipeline",
    "enum": "",
}


@dataclass(frozen=True)
class OptionTypeRow:
    """The properties of one built-in option type."""

    meaning: OptionType[Any]
    """How its values are read, checked and written."""

    python_option_type: str
    """What generated Python imports from `passgen_runtime` to declare an option."""

    cpp_type: str
    """The type of one value in C++, unless a spec spells it; empty for `enum`."""

    cpp_meanings: tuple[str, ...] = ()
    """The C++ types, without `::` or `std::`, that are imported as this type."""

    @property
    def name(self) -> str:
        """The spelling in a spec."""
        return self.meaning.name

    @property
    def literal(self) -> LiteralForm:
        """The YAML form of a default."""
        return self.meaning.literal

    @property
    def python_type(self) -> str:
        """The annotation in generated Python; empty for `enum`."""
        may_be_unset = self.meaning.zero is None
        return _PYTHON_TYPES[self.literal] + " | None" * may_be_unset

    @property
    def integers(self) -> range:
        """The values of an integer type; empty for other types."""
        return self.meaning.integers


# `llvm::cl` parses no integer of 8 or 16 bits: they are declared with 32.
_CPP_TYPES: Final[dict[str, tuple[str, ...]]] = {
    "bool": ("bool", "bool"),
    "int8": ("int32_t", "int8_t"),
    "int16": ("int32_t", "int16_t", "short"),
    "int32": ("int32_t", "int32_t", "int", "signed", "signed int"),
    "int64": (
        *("int64_t", "int64_t"),
        *("long", "long long", "ssize_t", "ptrdiff_t", "intptr_t"),
    ),
    "uint8": ("unsigned", "uint8_t"),
    "uint16": ("unsigned", "uint16_t", "unsigned short"),
    "uint32": ("unsigned", "uint32_t", "unsigned", "unsigned int", "uint"),
    "uint64": (
        *("uint64_t", "uint64_t"),
        *("unsigned long", "unsigned long long", "size_t", "uintptr_t"),
    ),
    "float": ("float", "float"),
    "double": ("double", "double"),
    "string": ("std::string", "string"),
    "pipeline": ("std::string", "OpPassManager", "mlir::OpPassManager"),
}
"""The C++ type of an option of each type, and those that are imported as the type."""


def _row(meaning: OptionType[Any]) -> OptionTypeRow:
    cpp_type, *cpp_meanings = _CPP_TYPES[meaning.name]
    python = meaning.name.upper()
    return OptionTypeRow(meaning, python, cpp_type, tuple(cpp_meanings))


OPTION_TYPES: Final[dict[str, OptionTypeRow]] = {
    row.name: row
    for row in (
        *map(_row, option_types.OPTION_TYPES),
        OptionTypeRow(ENUM, "enum_type", ""),
    )
}
"""Every built-in type by its spec name, in the order of the reference page."""

OPTIONAL_BOOL: Final = OptionTypeRow(
    option_types.OPTIONAL_BOOL, "OPTIONAL_BOOL", "std::optional<bool>"
)
"""The foreign type that Python has, too."""

FOREIGN: Final = "foreign"
"""The model's name for a type that the spec spells per language."""
