"""C++ spellings: the model as TableGen records, and C++ code read as values."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen.cpp.expressions import (
    bool_value as bool_value,
    character_value as character_value,
    enum_values as enum_values,
    float_value as float_value,
    integer_value as integer_value,
    list_values as list_values,
    optional_value as optional_value,
    split_parts as split_parts,
    string_value as string_value,
    unwrap as unwrap,
)
from passgen.cpp.layouts import (
    MARKS as MARKS,
    enum_layout as enum_layout,
    laid_out_count as laid_out_count,
    marks as marks,
)
from passgen.cpp.records import (
    DEPRECATED as DEPRECATED,
    DEPRECATED_FIELD as DEPRECATED_FIELD,
    INTERFACE_PASS as INTERFACE_PASS,
    OPERATION_PASS as OPERATION_PASS,
    DeclaredEnum as DeclaredEnum,
    declared_enums as declared_enums,
    enumerator as enumerator,
    group_records as group_records,
    laid_out as laid_out,
    option_literal as option_literal,
    option_record as option_record,
    regular_classes as regular_classes,
    variable_name as variable_name,
)
from passgen.cpp.syntax import (
    RAW_OPTION_END as RAW_OPTION_END,
    RAW_STATISTIC_END as RAW_STATISTIC_END,
    RAW_SUMMARY_END as RAW_SUMMARY_END,
    SPACE as SPACE,
    Enumerator as Enumerator,
    cpp_code as cpp_code,
    cpp_comment as cpp_comment,
    cpp_field_type as cpp_field_type,
    cpp_form_function as cpp_form_function,
    cpp_literals as cpp_literals,
    cpp_macro as cpp_macro,
    cpp_member_type as cpp_member_type,
    cpp_names as cpp_names,
    cpp_nested as cpp_nested,
    cpp_raw as cpp_raw,
    cpp_string as cpp_string,
    enum_flags as enum_flags,
    enumerator_name as enumerator_name,
    escape_string as escape_string,
    float_literal as float_literal,
    integer_literal as integer_literal,
    list_default as list_default,
    string_literal as string_literal,
)
from passgen.cpp.types import (
    known_dialect as known_dialect,
    known_operation as known_operation,
    meaning as meaning,
    operation_class as operation_class,
    option_type as option_type,
    regular_dialect_class as regular_dialect_class,
)
