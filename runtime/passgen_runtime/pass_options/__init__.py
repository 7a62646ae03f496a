"""Options of passes: declared once, typed, parsed and printed."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_runtime.pass_options.declarations import (
    REQUIRED as REQUIRED,
    OptionInfo as OptionInfo,
    list_option as list_option,
    option as option,
)
from passgen_runtime.pass_options.pass_options import (
    PassOptions as PassOptions,
    options_type as options_type,
)
from passgen_runtime.pass_options.types import (
    BOOL as BOOL,
    DOUBLE as DOUBLE,
    FLOAT as FLOAT,
    INT8 as INT8,
    INT16 as INT16,
    INT32 as INT32,
    INT64 as INT64,
    OPTIONAL_BOOL as OPTIONAL_BOOL,
    OPTION_TYPES as OPTION_TYPES,
    PIPELINE as PIPELINE,
    STRING as STRING,
    UINT8 as UINT8,
    UINT16 as UINT16,
    UINT32 as UINT32,
    UINT64 as UINT64,
    OptionType as OptionType,
    choice_type as choice_type,
    enum_type as enum_type,
    parse_bool as parse_bool,
)
