"""The Python target: the model as the templates under `templates/python` need it.

Decides names, types and docstrings; the templates decide how they are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from passgen import naming
from passgen.model import (
    OPTION_TYPES,
    Constraints,
    Name,
    Option,
    OptionType,
    OptionValue,
    OrderingRule,
    Pass,
    PassGroup,
    Pipeline,
    Statistic,
)
from passgen.render import Call, Expression, Literal
from passgen.targets.origin import Origin
from passgen.targets.python.imports import (
    Import,
    foreign_names,
    import_sections,
    needs_builder,
    row_of,
    rule_function,
    runtime_class,
)
from passgen.targets.python.pipelines import (
    Statement,
    bundle_statements,
    pipeline_statements,
)


@dataclass(frozen=True)
class Declaration:
    """A class attribute that holds a tuple."""

    name: str
    values: tuple[Expression, ...]


@dataclass(frozen=True)
class PassRules:
    """What a pass asks of the pipeline around it; all of it may be empty."""

    tags: tuple[str, ...]
    declarations: tuple[Declaration, ...]
    preserves_all: bool


def pass_rules(constraints: Constraints, classes: Mapping[str, str]) -> PassRules:
    """Return what a base class says of `constraints`.

    Args:
        constraints: of the pass.
        classes: the classes of the group's analyses by the analyses' names.
    """
    ordering = tuple(_rule(each) for each in constraints.ordering)
    required = tuple(_analyses(constraints.required_analyses, classes))
    provided = tuple(_analyses(constraints.provided_analyses, classes))
    preserved = tuple(_analyses(constraints.preserved_analyses, classes))
    declarations = (
        Declaration("ordering", ordering),
        Declaration("required_analyses", required),
        Declaration("provided_analyses", provided),
        Declaration("preserved_analyses", preserved),
    )
    return PassRules(
        tags=tuple(each.name for each in constraints.tags),
        declarations=tuple(each for each in declarations if each.values),
        preserves_all=constraints.preserves_all,
    )


def _rule(rule: OrderingRule) -> Expression:
    partners = (
        Call("tag", (Literal(each.name),)) if each.is_tag else Literal(each.name)
        for each in rule.partners
    )
    return Call(rule_function(rule.kind), tuple(partners))


def _analyses(
    names: tuple[Name, ...], classes: Mapping[str, str]
) -> Iterator[Expression]:
    for each in names:
        python = classes[each.name]
        is_same = python.endswith(f":{each.name}")
        name = () if is_same else (("name", Literal(each.name)),)
        yield Call("analysis", (Literal(python),), name)


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
    """A field of an options dataclass. Of the three ways to a default one is set."""

    name: str
    argument: str
    is_list: bool
    type: str
    """The annotation of the value, of an element for a list."""

    option_type: str
    """The runtime's object that parses it; empty for an enum."""

    enum: str
    """The class of an enum option, otherwise empty."""

    has_default: bool
    default: OptionValue | None
    """A default that is written as a literal."""

    default_member: str
    """The default of an enum option."""

    description: str


@dataclass(frozen=True)
class OptionsClass:
    """The dataclass of the options of a pass or a pipeline."""

    name: str
    argument: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class PassStatistic:
    """A statistic of a base class."""

    name: str
    display_name: str
    description: str


@dataclass(frozen=True)
class PassClass:
    """What is generated of one pass."""

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
    dependent_dialects: tuple[str, ...]
    constructor: str
    rules: PassRules
    statistics: tuple[PassStatistic, ...]


@dataclass(frozen=True)
class BundleFunction:
    """What is generated of one bundle."""

    name: str
    docstring: str
    function: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class PipelineFunction:
    """What is generated of one pipeline."""

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
class Module:
    """One generated file."""

    name: str
    docstring: str
    imports: tuple[tuple[Import, ...], ...]
    """In sections: the standard library, the runtime, the author's own modules."""

    needs_builder: bool
    enums: tuple[Enum, ...]
    passes: tuple[PassClass, ...]
    register_function: str
    bundles: tuple[BundleFunction, ...]
    pipelines: tuple[PipelineFunction, ...]
    register_pipelines_function: str


def values(group: PassGroup, origin: Origin) -> dict[str, object]:
    """Return what `python/passes.py.j2` may name."""
    foreign = foreign_names(group)
    classes = {analysis.name: analysis.python for analysis in group.analyses}
    module = Module(
        name=group.name,
        docstring=docstring(group.summary, group.description),
        imports=tuple(filter(None, import_sections(group, foreign))),
        needs_builder=needs_builder(group),
        enums=_enums(group),
        passes=tuple(_pass_class(pass_, foreign, classes) for pass_ in group.passes),
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


def docstring(summary: str, description: str) -> str:
    """Return summary and description as one docstring, empty where both are."""
    if not summary:
        return description
    sentence = summary if summary.endswith((".", "!", "?")) else f"{summary}."
    return f"{sentence}\n\n{description}" if description else sentence


def _pass_class(
    pass_: Pass, foreign: dict[str, str], classes: Mapping[str, str]
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
        dependent_dialects=tuple(each.name for each in pass_.dependent_dialects),
        constructor=pass_.constructor,
        rules=pass_rules(pass_.constraints, classes),
        statistics=tuple(_statistic(each) for each in pass_.statistics),
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
    is_enum = bool(type_.enum_name)
    row = row_of(type_)
    member = ""
    if is_enum and option.default is not None:
        member = naming.enum_member(str(option.default))
    return Field(
        name=naming.snake_case(option.name),
        argument=option.argument,
        is_list=option.is_list,
        type=type_.enum_name or (row.python_type if row else "Any"),
        option_type=row.python_option_type if row else foreign[type_.python],
        enum=type_.enum_name,
        has_default=option.default is not None and not is_enum,
        default=_default(option),
        default_member=member,
        description=option.description,
    )


def _default(option: Option) -> OptionValue | None:
    row = OPTION_TYPES.get(option.type.name)
    if row and row.literal == "float" and isinstance(option.default, int):
        return float(option.default)
    return option.default


def _statistic(statistic: Statistic) -> PassStatistic:
    return PassStatistic(
        name=naming.snake_case(statistic.name),
        display_name=statistic.display_name,
        description=statistic.description,
    )


def _enums(group: PassGroup) -> tuple[Enum, ...]:
    """Return each enum of the group once, although options may share it."""
    users: dict[str, list[EnumUser]] = {}
    types: dict[str, OptionType] = {}
    owners: tuple[Pass | Pipeline, ...] = (*group.passes, *group.pipelines)
    for owner in owners:
        for option in owner.options:
            if option.type.enum_name:
                name = option.type.enum_name
                types.setdefault(name, option.type)
                users.setdefault(name, []).append(
                    EnumUser(option.argument, owner.argument)
                )
    return tuple(
        Enum(name, tuple(users[name]), len(users[name]) > 1, tuple(_members(type_)))
        for name, type_ in types.items()
    )


def _members(type_: OptionType) -> Iterator[Member]:
    for each in type_.values:
        yield Member(naming.enum_member(each.value), each.value, each.description)
