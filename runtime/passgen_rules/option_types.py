"""The types of options that specs name, a row for each.

`__all__` has the rows, which `passgen_runtime` exports.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, cast

from .option_values import (
    BOOL_TEXTS,
    OptionType,
    floating_point_type,
    integer_type,
    parse_bool,
)
from .pipeline_text import TextualPipeline, braced_text, parse_elements, quote

__all__ = [
    "BOOL",
    "DOUBLE",
    "FLOAT",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "OPTIONAL_BOOL",
    "PIPELINE",
    "STRING",
    "UINT8",
    "UINT16",
    "UINT32",
    "UINT64",
]

BOOL: Final = OptionType(
    "bool",
    zero=False,
    parse=parse_bool,
    accepts=lambda value: isinstance(value, bool),
    print=lambda value: "true" if value else "false",
    bare="true",
    choices=("true", "false"),
    expected=f"{', '.join(BOOL_TEXTS)}, or no value for true",
    literal="bool",
)
INT8: Final = integer_type("int8", range(-(2**7), 2**7), "integer")
INT16: Final = integer_type("int16", range(-(2**15), 2**15), "integer")
INT32: Final = integer_type("int32", range(-(2**31), 2**31), "integer")
INT64: Final = integer_type("int64", range(-(2**63), 2**63), "long")
UINT8: Final = integer_type("uint8", range(2**8), "uint")
UINT16: Final = integer_type("uint16", range(2**16), "uint")
UINT32: Final = integer_type("uint32", range(2**32), "uint")
UINT64: Final = integer_type("uint64", range(2**64), "ulong")
FLOAT: Final = floating_point_type("float", precision=24, exponent=128)
DOUBLE: Final = floating_point_type("double", precision=53, exponent=1024)
STRING: Final = OptionType(
    "string",
    zero="",
    parse=str,
    accepts=lambda value: isinstance(value, str),
    print=lambda value: quote(value) if value else "",
)
PIPELINE: Final = OptionType(
    "pipeline",
    zero=TextualPipeline(()),
    parse=parse_elements,
    accepts=lambda value: isinstance(value, TextualPipeline),
    print=lambda value: braced_text(str(value)),
    expected="a pipeline, or its elements separated by commas",
    parse_slice=parse_elements,
    literal="pipeline",
)
OPTION_TYPES: Final[tuple[OptionType[Any], ...]] = (
    BOOL,
    *(INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64),
    *(FLOAT, DOUBLE, STRING, PIPELINE),
)
"""The types in the order of the reference of specs; `enum_type` makes one more."""

OPTIONAL_BOOL: Final[OptionType[bool | None]] = replace(
    cast("OptionType[Any]", BOOL),
    name="optional bool",
    zero=None,
    parse=lambda text: parse_bool(text) if text else None,
    accepts=lambda value: value is None or BOOL.accepts(value),
    print=lambda value: "" if value is None else BOOL.print(value),
)
"""The type of C++ that is a boolean or unset; specs spell it as C++ does."""
