"""Options, their values and rules in Python: filters of the Python templates.

py_value(option.default, option.type) is "[Mode.FAST]" of a list of enums
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import Formatter

from passgen.model import (
    FOREIGN,
    OPTION_TYPES,
    OPTIONAL_BOOL,
    Analysis,
    ConditionValue,
    Name,
    Option,
    OptionDefault,
    OptionType,
    OptionTypeRow,
    Partner,
    Pass,
    Remark,
    RemarkField,
)
from passgen.naming import enum_member, form_constant, options_class, snake_case
from passgen.render.python import py_documentation, py_literal, py_name, py_tuple


def python_row(type_: OptionType) -> OptionTypeRow | None:
    """Return the row of a type; a foreign type without Python is a string."""
    if type_.is_optional_bool:
        return OPTIONAL_BOOL
    is_text = type_.name == FOREIGN and not type_.python
    return OPTION_TYPES["string"] if is_text else type_.row


def runtime_class(pass_: Pass) -> str:
    """Return the runtime's class that the base class of `pass_` derives from."""
    return "InterfacePass" if pass_.interface else "OperationPass"


def py_pass_documentation(
    pass_: Pass, descriptions: Mapping[str, str], depth: int
) -> str:
    """Return the docstring of a pass, whose description is found by its name."""
    return py_documentation(pass_.summary, descriptions[pass_.name], depth)


def py_bases(pass_: Pass) -> str:
    """Return the runtime's classes that the base class of `pass_` derives from."""
    bases = ["Remarks"] if pass_.remarks else []
    bases += ["Patterns"] if pass_.patterns else []
    return ", ".join((*bases, runtime_class(pass_)))


def py_message(remark: Remark) -> str:
    """Return the message of a remark with the names that its fields have in Python."""
    parts: list[str] = []
    for text, name, form, _ in Formatter().parse(remark.message):
        parts.append(text.replace("{", "{{").replace("}", "}}"))
        if name is not None:
            parts += ["{", snake_case(name), f":{form}" * bool(form), "}"]
    return "".join(parts)


def py_field(option: Option) -> str:
    """Return the field of xDSL's pass that has become `option`."""
    return option.argument.replace("-", "_")


def py_field_names(names: Sequence[str]) -> str:
    """Return the tuple of the names of fields in Python."""
    return py_tuple([snake_case(name) for name in names])


def py_field_type(field: RemarkField) -> str:
    """Return the annotation of a field of a remark."""
    row = OPTION_TYPES.get(field.type)
    single = row.python_type if row else "Operation"
    return f"list[{single}]" if field.is_list else single


def py_own_options(pass_: Pass) -> str:
    """Return the class of the options of `pass_`, which may have none."""
    return options_class(pass_.name) if pass_.options else "PassOptions"


def py_class(name: str, classes: Mapping[str, str]) -> str:
    """Return the class of `name`, one of `classes`, with its module."""
    return py_name(classes[name].replace(":", "."))


def py_type(type_: OptionType) -> str:
    """Return the annotation of a value; for a list, of an element."""
    row = python_row(type_)
    built_in = row.python_type if row else "Any"
    return py_name(type_.enum_name) if type_.enum_name else built_in


def py_or_none(option: Option) -> str:
    """Return the end of the annotation of an option that may be `None`.

    Such an option is optional, or only C++ knows its default.
    """
    has_none = option.type.is_optional_bool and not option.is_list
    may_be_none = option.optional or option.unknown_default
    return " | None" if may_be_none and not has_none else ""


def py_option_type(type_: OptionType, foreign: Mapping[str, str]) -> str:
    """Return the runtime's object that parses values of a type, or a foreign one.

    Args:
        type_: the type of an option, no enum.
        foreign: the name of each foreign type in the file.
    """
    row = python_row(type_)
    return py_name(row.python_option_type if row else foreign[type_.python])


def py_value(value: OptionDefault, type_: OptionType) -> str:
    """Return a value of an option's type, as its default or its parser takes it."""
    if isinstance(value, tuple):
        return f"[{', '.join(py_value(element, type_) for element in value)}]"
    if type_.enum_name:
        return py_name(f"{type_.enum_name}.{enum_member(str(value))}")
    return py_literal(float(value) if type_.literal == "float" else value)


def py_native_kind(type_: OptionType) -> str:
    """Return the type of an option of a native pass, as a spec names it."""
    if type_.is_optional_bool:
        return "bool"
    row = python_row(type_)
    return row.name if row else "string"


def py_native_type(option: Option) -> str:
    """Return the annotation of an option of a native pass."""
    kind = py_native_kind(option.type)
    if option.type.enum_name:
        values = ", ".join(py_literal(value.value) for value in option.type.values)
        element = f"typing.Literal[{values}]"
    else:
        element = "str" if kind == "pipeline" else OPTION_TYPES[kind].python_type
    written = f"list[{element}] | tuple[{element}, ...]" if option.is_list else element
    is_unset = not option.required and py_native_default(option) == "None"
    return f"{written} | None" if is_unset else written


def py_native_values(type_: OptionType) -> str:
    """Return the tuple of the values of an enum."""
    return py_tuple([value.value for value in type_.values])


def py_native_default(option: Option) -> str:
    """Return the default of an option of a native pass; `None` leaves it to C++."""
    default, type_ = option.default, option.type
    is_unset = option.unknown_default or option.optional
    if isinstance(default, tuple) or (option.is_list and not is_unset):
        elements = default if isinstance(default, tuple) else ()
        written = ", ".join(map(py_literal, elements))
        return f"({written},)" if len(elements) == 1 else f"({written})"
    if default is not None:
        return py_literal(default)
    if is_unset or type_.is_optional_bool or type_.enum_name:
        return "None"
    return py_literal("" if type_.zero is None else type_.zero)


def py_test(
    option: Option,
    value: ConditionValue,
    is_negated: bool,  # noqa: FBT001 - a filter's argument has no name
) -> str:
    """Return the condition that an option of a pipeline has `value`, or another."""
    own = _own(option)
    if isinstance(value, bool):
        return own if value != is_negated else f"not {own}"
    return f"{own} {'!=' if is_negated else '=='} {py_value(value, option.type)}"


def py_setting(
    value: OptionDefault | Option, target: Option | None, foreign: Mapping[str, str]
) -> str:
    """Return the value that a pipeline gives to an option of an element.

    Args:
        value: the value, or the option of the pipeline that has it.
        target: the option, of another pipeline; `None` for an option of a pass, whose
            types the builder knows.
        foreign: the name of each foreign type in the file.
    """
    if isinstance(value, tuple):
        elements = (py_setting(element, target, foreign) for element in value)
        return f"[{', '.join(elements)}]"
    if isinstance(value, Option):
        own, enum = _own(value), target.type.enum_name if target else ""
        if target is None or enum == value.type.enum_name:
            return own
        return (
            f"[{enum}(each) for each in {own}]" if target.is_list else f"{enum}({own})"
        )
    if target is None:
        return py_literal(value)
    parser = foreign.get(target.type.python)
    if target.type.row and target.type.literal == "pipeline":
        parser = target.type.row.python_option_type
    given = py_value(value, target.type)
    return f"{py_name(parser)}.parse({given})" if parser else given


def _own(option: Option) -> str:
    return py_name(f"options.{snake_case(option.name)}")


def py_partners(partners: Sequence[Partner]) -> str:
    """Return the arguments of an ordering rule."""
    return ", ".join(
        (
            f"tag({py_literal(partner.name)})"
            if partner.is_tag
            else py_literal(partner.name)
        )
        for partner in partners
    )


def py_analysis(name: str, analyses: Sequence[Analysis]) -> str:
    """Return the declaration of the analysis called `name`, one of `analyses`."""
    python = next(analysis.python for analysis in analyses if analysis.name == name)
    arguments = [py_literal(python)]
    if not python.endswith(f":{name}"):
        arguments.append(f"name={py_literal(name)}")
    return f"analysis({', '.join(arguments)})"


def py_form_names(names: Sequence[Name]) -> str:
    """Return a tuple of the constants of the forms called `names`."""
    constants = ", ".join(py_name(form_constant(name.name)) for name in names)
    return f"({constants},)" if len(names) == 1 else f"({constants})"
