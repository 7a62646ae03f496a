"""The model converted to TableGen records, with all spellings in C++.

The `cpp:` of an entity overrides the tables of its pass, which override those of its
group, which override the regular spellings of `types`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from passgen import naming
from passgen.cpp.layouts import with_values
from passgen.cpp.syntax import (
    Enumerator,
    enum_flags,
    enumerator_name,
    escape_string,
    float_literal,
    integer_literal,
    list_default,
    string_literal,
)
from passgen.cpp.types import operation_class, option_type, regular_dialect_class
from passgen.model import (
    FOREIGN,
    INTERFACE_PASS_CLASSES,
    LIST_OPTION_CLASSES,
    OPTION_CLASSES,
    OPTION_TYPES,
    PASS_CLASSES,
    STATISTIC_CLASSES,
    CppGroup,
    DescriptionLayout,
    EnumValue,
    Fields,
    Option,
    OptionRecord,
    OptionValue,
    Pass,
    PassGroup,
    PassRecord,
    Statistic,
    StatisticRecord,
)

OPERATION_PASS: Final = "::mlir::OperationPass<"  # noqa: S105 - a class, no password
INTERFACE_PASS: Final = "::mlir::InterfacePass<"  # noqa: S105 - as above
DEPRECATED: Final = "Deprecated"
DEPRECATED_FIELD: Final = "odsDeprecated"


@dataclass(frozen=True)
class DeclaredEnum:
    """An enum that generated C++ declares because the spec has no C++ type for it."""

    name: str
    enumerators: tuple[str, ...]


def group_records(group: PassGroup) -> tuple[PassRecord, ...]:
    """Return the records of the passes of `group`, in the order of the spec."""
    return tuple(_pass(pass_, group.cpp) for pass_ in group.passes)


def _pass(pass_: Pass, tables: CppGroup) -> PassRecord:
    cpp = pass_.cpp
    base_class = _base_class(pass_, tables)
    fields = cpp.tablegen.fields
    classes = regular_classes(base_class)
    if pass_.deprecated:
        classes, fields = _deprecation(classes, fields, pass_.deprecated)
    return PassRecord(
        name=pass_.name if cpp.name is None else cpp.name,
        argument=pass_.argument if cpp.argument is None else cpp.argument,
        base_class=base_class,
        summary=pass_.summary if cpp.summary is None else cpp.summary,
        description=laid_out(pass_.description, cpp.layout),
        constructor=cpp.constructor or "",
        dependent_dialects=_dialects(pass_, tables),
        options=tuple(option_record(option, tables) for option in pass_.options),
        statistics=tuple(_statistic(statistic) for statistic in pass_.statistics),
        classes=cpp.tablegen.classes or classes,
        fields=fields,
    )


def _deprecation(
    classes: tuple[str, ...], fields: Fields, reason: str
) -> tuple[tuple[str, ...], Fields]:
    """Return the classes and fields of a record with those of `Deprecated`."""
    return (*classes, DEPRECATED), tuple(sorted((*fields, (DEPRECATED_FIELD, reason))))


def regular_classes(base_class: str) -> tuple[str, ...]:
    """Return the superclasses of the record of a pass with this C++ base class."""
    if base_class.startswith(OPERATION_PASS):
        return PASS_CLASSES
    if base_class.startswith(INTERFACE_PASS):
        return INTERFACE_PASS_CLASSES
    return PASS_CLASSES[:1]


def laid_out(description: str, layout: DescriptionLayout) -> str:
    """Return a description with the layout that it has in TableGen."""
    if layout.text is not None:
        return layout.text
    if not description:
        return ""
    margin = " " * layout.indent
    lines = description.split("\n")
    body = "\n".join(margin + line if line else "" for line in lines)
    return f"{layout.start}{body}{layout.end}"


def declared_enums(options: Iterable[Option]) -> tuple[DeclaredEnum, ...]:
    """Return the enums of `options` without a C++ type, each once."""
    enums = {
        option.type.enum_name: DeclaredEnum(
            option.type.enum_name,
            tuple(enumerator(value) for value in option.type.values),
        )
        for option in options
        if option.type.enum_name and option.cpp.type is None
    }
    return tuple(enums.values())


def _base_class(pass_: Pass, tables: CppGroup) -> str:
    cpp = pass_.cpp
    if cpp.base_class is not None:
        return cpp.base_class
    if name := pass_.interface:
        return f"{INTERFACE_PASS}{cpp.anchor or tables.interfaces.get(name, name)}>"
    spelled = cpp.anchor or ""
    if not spelled and (name := pass_.operation):
        spelled = tables.operations.get(name) or operation_class(name)
    return f"{OPERATION_PASS}{spelled}>"


def _dialects(pass_: Pass, tables: CppGroup) -> tuple[str, ...]:
    if pass_.cpp.dependent_dialects is not None:
        return pass_.cpp.dependent_dialects
    classes = {**tables.dialects, **pass_.cpp.dialects}
    names = map(str, pass_.dependent_dialects)
    return tuple(classes.get(name, regular_dialect_class(name)) for name in names)


def option_record(option: Option, tables: CppGroup) -> OptionRecord:
    """Return the record of an option of a pass or a pipeline."""
    cpp = option.cpp
    classes: tuple[str, ...] = OPTION_CLASSES
    if option.is_list:
        classes = LIST_OPTION_CLASSES
    fields = cpp.tablegen.fields
    if option.deprecated:
        classes, fields = _deprecation(classes, fields, option.deprecated)
    type_ = _option_type(option, tables)
    is_optional = option.optional and not option.is_list
    return OptionRecord(
        cpp_name=variable_name(option.name) if cpp.name is None else cpp.name,
        argument=option.argument if cpp.argument is None else cpp.argument,
        type=f"std::optional<{type_}>" if is_optional else type_,
        default=_default(option, type_) if cpp.default is None else cpp.default,
        description=option.description,
        flags=_flags(option, type_),
        is_list=option.is_list,
        classes=cpp.tablegen.classes or classes,
        fields=fields,
    )


def _option_type(option: Option, tables: CppGroup) -> str:
    name = option.type.name
    if option.cpp.type is not None:
        return option.cpp.type
    if name == FOREIGN:
        # Text, as in Python, where a type is spelled for Python only.
        return option.type.cpp or OPTION_TYPES["string"].cpp_type
    if name == "enum":
        return option.type.enum_name
    return option_type(name, tables.types, is_list=option.is_list)


def variable_name(name: str) -> str:
    """Return the C++ variable for `name`, which may be a keyword or a macro."""
    return f"{name}_" if name in naming.CPP_NO_NAMES else name


def _default(option: Option, type_: str) -> str:
    """Return the expression of a default; that of a list is one of the flags."""
    if option.default is None or isinstance(option.default, tuple):
        return ""
    return option_literal(option, option.default, type_)


def option_literal(option: Option, value: OptionValue, type_: str) -> str:
    """Return the expression of a value of `option`, or of an element of its list.

    Args:
        option: the option.
        value: the value.
        type_: the C++ type of the option, or of the elements of its list.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if option.type.literal == "float":
        return float_literal(float(value), option.type.name)
    if option.type.literal == "int":
        return integer_literal(int(value))
    for case in option.type.values:
        if case.value == value:
            return f"{type_}::{enumerator(case)}"
    return string_literal(str(value))


def _flags(option: Option, type_: str) -> str:
    values = [
        Enumerator(enumerator(value), value.value, value.description)
        for value in option.type.values
    ]
    if option.cpp.flags is not None:
        return with_values(option.cpp.flags, values)
    flags = []
    if isinstance(option.default, tuple) and option.default:
        elements = [
            option_literal(option, element, type_) for element in option.default
        ]
        flags.append(list_default(type_, elements))
    if option.type.name == "enum":
        flags.append(enum_flags(type_, values))
    return ", ".join(flags)


def enumerator(value: EnumValue) -> str:
    """Return the C++ enumerator of a value, without its enum."""
    if value.cpp is not None:
        return value.cpp
    return variable_name(enumerator_name(naming.pascal_case(value.value)))


def _statistic(statistic: Statistic) -> StatisticRecord:
    cpp = statistic.cpp
    name = escape_string(statistic.display_name)
    return StatisticRecord(
        cpp_name=variable_name(statistic.name) if cpp.name is None else cpp.name,
        name=name if cpp.display_name is None else cpp.display_name,
        description=statistic.description,
        classes=cpp.tablegen.classes or STATISTIC_CLASSES,
        fields=cpp.tablegen.fields,
    )
