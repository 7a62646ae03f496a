"""The option types of the spec language, one row a type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

LiteralForm = Literal["bool", "int", "float", "string", "pipeline", "enum"]


@dataclass(frozen=True)
class OptionTypeRow:
    """What the generator knows of one built-in option type."""

    name: str
    """The spelling in a spec."""

    python_type: str
    """The annotation in generated Python."""

    python_option_type: str
    """The `passgen_runtime` object that parses and prints values; empty for `enum`."""

    literal: LiteralForm
    """The YAML form of a default."""

    minimum: int | None = None
    """Smallest value of an integer type."""

    maximum: int | None = None
    """Largest value of an integer type."""


def _signed(bits: int) -> OptionTypeRow:
    bound = 1 << (bits - 1)
    return OptionTypeRow(f"int{bits}", "int", f"INT{bits}", "int", -bound, bound - 1)


def _unsigned(bits: int) -> OptionTypeRow:
    bound = 1 << bits
    return OptionTypeRow(f"uint{bits}", "int", f"UINT{bits}", "int", 0, bound - 1)


OPTION_TYPES: Final[dict[str, OptionTypeRow]] = {
    row.name: row
    for row in (
        OptionTypeRow("bool", "bool", "BOOL", "bool"),
        *(_signed(bits) for bits in (8, 16, 32, 64)),
        *(_unsigned(bits) for bits in (8, 16, 32, 64)),
        OptionTypeRow("float", "float", "FLOAT", "float"),
        OptionTypeRow("double", "float", "DOUBLE", "float"),
        OptionTypeRow("string", "str", "STRING", "string"),
        OptionTypeRow("pipeline", "TextualPipeline", "PIPELINE", "pipeline"),
        OptionTypeRow("enum", "", "", "enum"),
    )
}
"""Every built-in type by its spec name, in the order of the reference page."""

FOREIGN: Final = "foreign"
"""The model's name for a type that the spec spells per language."""
