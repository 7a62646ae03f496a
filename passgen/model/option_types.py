"""The table of the option types of the spec language, one row for each type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

LiteralForm = Literal["bool", "int", "float", "string", "pipeline", "enum"]


@dataclass(frozen=True)
class OptionTypeRow:
    """The properties of one built-in option type."""

    name: str
    """The spelling in a spec."""

    literal: LiteralForm
    """The YAML form of a default."""

    python_type: str
    """The annotation in generated Python; empty for `enum`."""

    python_option_type: str
    """What generated Python imports from `passgen_runtime` to declare an option."""

    cpp_type: str
    """The type of one value in C++, unless a spec spells it; empty for `enum`."""

    cpp_meanings: tuple[str, ...] = ()
    """The C++ types, without `::` or `std::`, that are imported as this type."""

    integers: range = range(0)
    """The values of an integer type; empty for other types."""

    def includes(self, other: OptionTypeRow) -> bool:
        """Return whether all values of `other` are values of this integer type."""
        first, last = other.integers[0], other.integers[-1]
        return first in self.integers and last in self.integers


def _integer(
    name: str, integers: range, cpp_type: str, *cpp_meanings: str
) -> OptionTypeRow:
    constant = name.upper()
    return OptionTypeRow(name, "int", "int", constant, cpp_type, cpp_meanings, integers)


_SIGNED_32: Final = ("int32_t", "int", "signed", "signed int")
_SIGNED_64: Final = ("int64_t", "long", "long long", "ssize_t", "ptrdiff_t", "intptr_t")
_UNSIGNED_32: Final = ("uint32_t", "unsigned", "unsigned int", "uint")
_UNSIGNED_64: Final = ("unsigned long", "unsigned long long", "size_t", "uintptr_t")
_PIPELINE: Final = ("OpPassManager", "mlir::OpPassManager")

# `llvm::cl` parses no integer of 8 or 16 bits: they are declared with 32.
OPTION_TYPES: Final[dict[str, OptionTypeRow]] = {
    row.name: row
    for row in (
        OptionTypeRow("bool", "bool", "bool", "BOOL", "bool", ("bool",)),
        _integer("int8", range(-(2**7), 2**7), "int32_t", "int8_t"),
        _integer("int16", range(-(2**15), 2**15), "int32_t", "int16_t", "short"),
        _integer("int32", range(-(2**31), 2**31), "int32_t", *_SIGNED_32),
        _integer("int64", range(-(2**63), 2**63), "int64_t", *_SIGNED_64),
        _integer("uint8", range(2**8), "unsigned", "uint8_t"),
        _integer("uint16", range(2**16), "unsigned", "uint16_t", "unsigned short"),
        _integer("uint32", range(2**32), "unsigned", *_UNSIGNED_32),
        _integer("uint64", range(2**64), "uint64_t", "uint64_t", *_UNSIGNED_64),
        OptionTypeRow("float", "float", "float", "FLOAT", "float", ("float",)),
        OptionTypeRow("double", "float", "float", "DOUBLE", "double", ("double",)),
        OptionTypeRow("string", "string", "str", "STRING", "std::string", ("string",)),
        OptionTypeRow(
            "pipeline",
            "pipeline",
            "TextualPipeline",
            "PIPELINE",
            "std::string",
            _PIPELINE,
        ),
        OptionTypeRow("enum", "enum", "", "enum_type", ""),
    )
}
"""Every built-in type by its spec name, in the order of the reference page."""

OPTIONAL_BOOL: Final = OptionTypeRow(
    "optional bool", "bool", "bool | None", "OPTIONAL_BOOL", "std::optional<bool>"
)
"""The foreign type that Python has, too."""

FOREIGN: Final = "foreign"
"""The model's name for a type that the spec spells per language."""
