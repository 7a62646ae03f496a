"""Options of passes: declared once, typed, parsed and printed."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_rules.option_types import *  # noqa: F403 - its rows are public types
from passgen_rules.option_types import OPTION_TYPES as OPTION_TYPES
from passgen_rules.option_values import (
    OptionType as OptionType,
    choice_type as choice_type,
    enum_type as enum_type,
    parse_bool as parse_bool,
)
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
