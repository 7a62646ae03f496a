"""Values of options: how they are read, checked and written."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from .option_type import (
    ENUM as ENUM,
    LiteralForm as LiteralForm,
    LiteralValue as LiteralValue,
    OptionType as OptionType,
    choice_type as choice_type,
    enum_type as enum_type,
    literal_text as literal_text,
)
from .scalars import (
    BOOL_TEXTS as BOOL_TEXTS,
    floating_point_type as floating_point_type,
    integer_type as integer_type,
    parse_bool as parse_bool,
)
