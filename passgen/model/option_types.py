"""The option types of the spec language: one row for all that is known of a type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

LiteralForm = Literal["bool", "int", "float", "string", "pipeline", "enum"]


@dataclass(frozen=True)
class OptionTypeRow:
    """What the generator knows of one built-in option type."""

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

    minimum: int | None = None
    """The smallest value of an integer type."""

    maximum: int | None = None
    """The largest value of an integer type."""


def _signed(name: str, bits: int, cpp_type: str, *meanings: str) -> OptionTypeRow:
    minimum, maximum = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    constant = name.upper()
    return OptionTypeRow(
        name, "int", "int", constant, cpp_type, meanings, minimum, maximum
    )


def _unsigned(name: str, bits: int, cpp_type: str, *meanings: str) -> OptionTypeRow:
    constant, maximum = name.upper(), (1 << bits) - 1
    return OptionTypeRow(name, "int", "int", constant, cpp_type, meanings, 0, maximum)


_SIGNED_64: Final = ("long", "long long", "ssize_t", "ptrdiff_t", "intptr_t")
_UNSIGNED_64: Final = ("unsigned long", "unsigned long long", "size_t", "uintptr_t")
_PIPELINE: Final = ("OpPassManager", "mlir::OpPassManager")

# `llvm::cl` parses no integer of 8 or 16 bits: they are declared with 32.
OPTION_TYPES: Final[dict[str, OptionTypeRow]] = {
    row.name: row
    for row in (
        OptionTypeRow("bool", "bool", "bool", "BOOL", "bool", ("bool",)),
        _signed("int8", 8, "int32_t", "int8_t"),
        _signed("int16", 16, "int32_t", "int16_t", "short"),
        _signed("int32", 32, "int32_t", "int32_t", "int", "signed", "signed int"),
        _signed("int64", 64, "int64_t", "int64_t", *_SIGNED_64),
        _unsigned("uint8", 8, "unsigned", "uint8_t"),
        _unsigned("uint16", 16, "unsigned", "uint16_t", "unsigned short"),
        _unsigned(
            "uint32", 32, "unsigned", "uint32_t", "unsigned", "unsigned int", "uint"
        ),
        _unsigned("uint64", 64, "uint64_t", "uint64_t", *_UNSIGNED_64),
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

FOREIGN: Final = "foreign"
"""The model's name for a type that the spec spells per language."""
