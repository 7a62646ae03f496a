"""The module of a group: its names, types and docstrings.

The templates decide how they are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from passgen import naming
from passgen.model import (
    Constraints,
    Name,
    Option,
    OptionType,
    OrderingRule,
    Pass,
    PassGroup,
    Pipeline,
    Statistic,
)
from passgen.render import COLUMNS, Call, Expression, Literal, wrapped
from passgen.targets.origin import Origin
from passgen.targets.python.imports import (
    Import,
    foreign_names,
    import_sections,
    needs_builder,
    needs_types,
    row_of,
    runtime_class,
)
from passgen.targets.python.operations import (
    OperationModule,
    operation_modules,
    operation_type,
    own_operation_modules,
)
from passgen.targets.python.pipelines import (
    Statement,
    bundle_statements,
    default_value,
    pipeline_statements,
)


@dataclass(frozen=True)
class Declaration:
    """A class attribute that holds a tuple."""

    name: str
    values: tuple[Expression, ...]


@dataclass(frozen=True)
class PassRules:
    """The requirements of a pass on the pipeline around it; each may be empty."""

    tags: tuple[str, ...]
    declarations: tuple[Declaration, ...]
    preserves_all: bool


def _pass_rules(constraints: Constraints, classes: Mapping[str, str]) -> PassRules:
    """Return the rules of a pass; `classes` are those of the analyses, by name."""

    def analyses(names: tuple[Name, ...]) -> tuple[Expression, ...]:
        return tuple(_analysis(name.name, classes[name.name]) for name in names)

    declarations = (
        Declaration("ordering", tuple(map(_rule, constraints.ordering))),
        Declaration("required_analyses", analyses(constraints.required_analyses)),
        Declaration("provided_analyses", analyses(constraints.provided_analyses)),
        Declaration("preserved_analyses", analyses(constraints.preserved_analyses)),
    )
    return PassRules(
        tags=tuple(tag.name for tag in constraints.tags),
        declarations=tuple(
            declaration for declaration in declarations if declaration.values
        ),
        preserves_all=constraints.preserves_all,
    )


def _rule(rule: OrderingRule) -> Expression:
    partners = (
        (
            Call("tag", (Literal(partner.name),))
            if partner.is_tag
            else Literal(partner.name)
        )
        for partner in rule.partners
    )
    return Call(naming.snake_case(rule.kind), tuple(partners))


def _analysis(name: str, python: str) -> Expression:
    is_class_name = python.endswith(f":{name}")
    keywords = () if is_class_name else (("name", Literal(name)),)
    return Call("analysis", (Literal(python),), keywords)


@dataclass(frozen=True)
class Member:
    """A member of a generated enum."""

    name: str
    value: str
    description: str


@dataclass(frozen=True)
class Enum:
    """The class of an enum option."""

    name: str
    users: tuple[EnumUser, ...]
    is_shared: bool
    """Whether there is more than one user."""

    members: tuple[Member, ...]


@dataclass(frozen=True)
class EnumUser:
    """An option whose values an enum holds."""

    option: str
    owner: str
    """The argument of the pass or pipeline."""


@dataclass(frozen=True)
class Field:
    """A field of an options dataclass."""

    name: str
    argument: str
    is_list: bool
    type: str
    """The annotation of the value; for a list, of an element."""

    is_enum: bool
    option_type: str
    """The runtime's object that parses it, or makes such an object for an enum."""

    default: Expression | None
    cpp_default: str
    """The C++ expression of a default that only C++ knows; empty for other options."""

    description: str
    deprecated: str


@dataclass(frozen=True)
class OptionsClass:
    """The dataclass of the options of a pass or a pipeline."""

    name: str
    argument: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class PassClass:
    """The base class of a pass, and the functions beside it."""

    name: str
    argument: str
    summary: str
    docstring: str
    own_options: tuple[OptionsClass, ...]
    """One, or none for a pass without options."""

    options_class: str
    """`PassOptions` of the runtime for a pass without options."""

    base_class: str
    runtime_class: str
    create_function: str
    register_function: str
    interface: str
    anchor: str
    unknown_anchor: str
    dependent_dialects: tuple[str, ...]
    deprecated: str
    operation_type: str
    """With its module, for type checkers; empty if it may be of any IR library."""

    constructor: str
    rules: PassRules
    statistics: tuple[Statistic, ...]
    """With their names in Python."""


@dataclass(frozen=True)
class BundleFunction:
    """The function that adds a bundle to a pipeline."""

    name: str
    docstring: str
    function: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class PipelineFunction:
    """The functions that build and register a pipeline."""

    argument: str
    summary: str
    docstring: str
    anchor: str
    """Empty for a pipeline that runs on any operation."""

    own_options: tuple[OptionsClass, ...]
    """One, or none for a pipeline without options."""

    build_function: str
    register_function: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class PythonModule:
    """One generated file."""

    name: str
    docstring: str
    imports: tuple[tuple[Import, ...], ...]
    """In sections: the standard library, the runtime, the author's own modules."""

    needs_types: bool
    """Whether it imports anything for type checkers alone."""

    needs_builder: bool
    operation_modules: tuple[OperationModule, ...]
    """Of the types of operations; imported for type checkers alone."""

    own_operation_modules: tuple[tuple[str, ...], ...]
    """Those of the author: one section of imports, or none."""

    enums: tuple[Enum, ...]
    passes: tuple[PassClass, ...]
    register_function: str
    bundles: tuple[BundleFunction, ...]
    pipelines: tuple[PipelineFunction, ...]
    register_pipelines_function: str


def values(group: PassGroup, origin: Origin) -> dict[str, object]:
    """Return the variables of `python/passes.py.j2`."""
    foreign = foreign_names(group)
    classes = {analysis.name: analysis.python for analysis in group.analyses}
    module = PythonModule(
        name=group.title,
        docstring=docstring(group.summary, group.description, 0),
        imports=tuple(filter(None, import_sections(group, foreign))),
        needs_types=needs_types(group),
        needs_builder=needs_builder(group),
        operation_modules=operation_modules(group),
        own_operation_modules=tuple(filter(None, [own_operation_modules(group)])),
        enums=_enums(group),
        passes=tuple(
            _pass_class(pass_, foreign, classes, group) for pass_ in group.passes
        ),
        register_function=naming.register_group_function(group.name),
        bundles=tuple(
            BundleFunction(
                name=bundle.name,
                docstring=docstring(bundle.summary, bundle.description),
                function=naming.bundle_function(bundle.name),
                statements=bundle_statements(bundle, group),
            )
            for bundle in group.bundles
        ),
        pipelines=tuple(
            _pipeline_function(pipeline, group, foreign) for pipeline in group.pipelines
        ),
        register_pipelines_function=naming.register_pipelines_function(group.name),
    )
    return {"module": module, "origin": origin}


_QUOTES: Final = 6
"""The columns of the quotes around a docstring of one line."""


def docstring(summary: str, description: str, depth: int = 1) -> str:
    """Return summary and description as a docstring `depth` levels deep, if any.

    The description is wrapped. The summary is not: a docstring begins with one line.
    """
    columns = COLUMNS - 4 * depth
    if not summary:
        return wrapped(description, columns - _QUOTES)
    description = wrapped(description, columns)
    sentence = summary if summary.endswith((".", "!", "?")) else f"{summary}."
    return f"{sentence}\n\n{description}" if description else sentence


def _pass_class(
    pass_: Pass,
    foreign: dict[str, str],
    classes: Mapping[str, str],
    group: PassGroup,
) -> PassClass:
    anchor = pass_.anchor
    own_options = tuple(_own_options(pass_, pass_.name, foreign))
    is_interface = anchor is not None and anchor.kind == "interface"
    return PassClass(
        name=pass_.name,
        argument=pass_.argument,
        summary=pass_.summary,
        docstring=docstring(pass_.summary, pass_.description),
        own_options=own_options,
        options_class=own_options[0].name if own_options else "PassOptions",
        base_class=naming.base_class(pass_.name),
        runtime_class=runtime_class(pass_),
        create_function=naming.create_function(pass_.name),
        register_function=naming.register_function(pass_.name),
        interface=anchor.name if anchor and is_interface else "",
        anchor=anchor.name if anchor and not is_interface else "",
        unknown_anchor=pass_.unknown_anchor,
        dependent_dialects=tuple(
            dependent_dialect.name for dependent_dialect in pass_.dependent_dialects
        ),
        deprecated=pass_.deprecated,
        operation_type=operation_type(pass_, group),
        constructor=pass_.constructor,
        rules=_pass_rules(pass_.constraints, classes),
        statistics=tuple(
            replace(statistic, name=naming.snake_case(statistic.name))
            for statistic in pass_.statistics
        ),
    )


def _own_options(
    owner: Pass | Pipeline, stem: str, foreign: dict[str, str]
) -> Iterator[OptionsClass]:
    if owner.options:
        fields = tuple(_field(option, foreign) for option in owner.options)
        yield OptionsClass(naming.options_class(stem), owner.argument, fields)


def _pipeline_function(
    pipeline: Pipeline, group: PassGroup, foreign: dict[str, str]
) -> PipelineFunction:
    stem = naming.pipeline_stem(pipeline.name)
    return PipelineFunction(
        argument=pipeline.argument,
        summary=pipeline.summary,
        docstring=docstring(pipeline.summary, pipeline.description),
        anchor=pipeline.anchor.name if pipeline.anchor else "",
        own_options=tuple(_own_options(pipeline, stem, foreign)),
        build_function=naming.build_pipeline_function(pipeline.name),
        register_function=naming.register_function(stem),
        statements=pipeline_statements(pipeline, group, foreign),
    )


def _field(option: Option, foreign: dict[str, str]) -> Field:
    type_ = option.type
    row = row_of(type_)
    return Field(
        name=naming.snake_case(option.name),
        argument=option.argument,
        is_list=option.is_list,
        type=type_.enum_name or (row.python_type if row else "Any"),
        is_enum=bool(type_.enum_name),
        option_type=row.python_option_type if row else foreign[type_.python],
        default=default_value(option),
        cpp_default=option.unknown_default,
        description=option.description,
        deprecated=option.deprecated,
    )


def _enums(group: PassGroup) -> tuple[Enum, ...]:
    """Return each enum of the group once, although options may share it."""
    users: dict[str, list[EnumUser]] = {}
    types: dict[str, OptionType] = {}
    owners: tuple[Pass | Pipeline, ...] = (*group.passes, *group.pipelines)
    for owner in owners:
        for option in owner.options:
            if name := option.type.enum_name:
                types.setdefault(name, option.type)
                user = EnumUser(option.argument, owner.argument)
                users.setdefault(name, []).append(user)
    return tuple(
        Enum(
            name,
            tuple(users[name]),
            len(users[name]) > 1,
            tuple(
                Member(
                    naming.enum_member(value.value),
                    value.value,
                    docstring("", value.description),
                )
                for value in type_.values
            ),
        )
        for name, type_ in types.items()
    )
