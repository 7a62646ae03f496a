"""Bundles and pipelines as the Python templates need them: a part of `targets.python`.

A bundle or a pipeline becomes a function that adds its elements to a builder, one
statement for each element, indented below the conditions and blocks around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from passgen import naming
from passgen.model import (
    OPTION_TYPES,
    Bundle,
    BundleElement,
    Condition,
    Element,
    Option,
    OptionReference,
    OptionSetting,
    OptionType,
    OptionValue,
    PassElement,
    PassGroup,
    Pipeline,
    PipelineElement,
    Scalar,
    outline,
)
from passgen.render import (
    Attribute,
    Call,
    CallForEach,
    Comparison,
    Expression,
    ListOf,
    Literal,
    Not,
)


@dataclass(frozen=True)
class Setting:
    """An option of an element and its value."""

    name: str
    """The option's argument for a pass, its field in Python for a pipeline."""

    value: Expression


@dataclass(frozen=True)
class Statement:
    """A statement of a function, or the head of one. One of the kinds is set."""

    depth: int
    """Levels of indentation."""

    test: Expression | None = None
    """Of an `if`."""

    stage: str = ""
    nest: str = ""
    added_pass: str = ""
    """The argument of a pass."""

    called_function: str = ""
    """The function of a bundle or a pipeline."""

    options_class: str = ""
    """Of the pipeline that is called."""

    settings: tuple[Setting, ...] = ()


def bundle_statements(bundle: Bundle, group: PassGroup) -> tuple[Statement, ...]:
    """Return the statements inside the `with` of a bundle's function."""
    return tuple(_Writer(group, {}, {}).statements(bundle.elements, 2))


def pipeline_statements(
    pipeline: Pipeline, group: PassGroup, foreign: Mapping[str, str]
) -> tuple[Statement, ...]:
    """Return the statements of a pipeline's function.

    Args:
        pipeline: a pipeline of `group`.
        group: the group.
        foreign: the name of each foreign type in the file.
    """
    options = {option.name: option for option in pipeline.options}
    return tuple(_Writer(group, options, foreign).statements(pipeline.elements, 1))


def constant(value: OptionValue, type_: OptionType) -> Expression:
    """Return a value of an option's type, as its default or its parser takes it."""
    if type_.enum_name:
        return _member(type_, str(value))
    row = OPTION_TYPES.get(type_.name)
    if row and row.literal == "float" and isinstance(value, int):
        return Literal(float(value))
    return Literal(value)


def default_value(option: Option) -> Expression | None:
    """Return the default of an option, `None` if the spec has none."""
    if isinstance(option.default, tuple):
        items = tuple(constant(element, option.type) for element in option.default)
        return ListOf(items) if items else None
    return None if option.default is None else constant(option.default, option.type)


class _Writer:
    """Turns elements to statements."""

    def __init__(
        self,
        group: PassGroup,
        options: Mapping[str, Option],
        foreign: Mapping[str, str],
    ) -> None:
        self._pipelines = {pipeline.argument: pipeline for pipeline in group.pipelines}
        self._options = options
        self._foreign = foreign

    def statements(
        self, elements: tuple[Element, ...], outer_depth: int
    ) -> Iterator[Statement]:
        for depth, element in outline(elements, outer_depth):
            if isinstance(element, Condition):
                yield Statement(depth, test=self._test(element))
            elif isinstance(element, PassElement):
                settings = tuple(
                    Setting(option.argument, self._plain(option.value))
                    for option in element.options
                )
                yield Statement(depth, added_pass=element.argument, settings=settings)
            elif isinstance(element, BundleElement):
                function = naming.bundle_function(element.name)
                yield Statement(depth, called_function=function)
            elif isinstance(element, PipelineElement):
                yield self._call(element, depth)
            elif element.kind == "stage":
                yield Statement(depth, stage=element.name)
            else:
                yield Statement(depth, nest=element.name)

    def _test(self, condition: Condition) -> Expression:
        option = self._options[condition.option]
        value = _own(option)
        if isinstance(condition.value, bool):
            return value if condition.value != condition.is_negated else Not(value)
        member = _member(option.type, condition.value)
        return Comparison(value, member, condition.is_negated)

    def _call(self, element: PipelineElement, depth: int) -> Statement:
        pipeline = self._pipelines[element.argument]
        targets = {option.argument: option for option in pipeline.options}
        settings = tuple(
            Setting(
                naming.snake_case(targets[option.argument].name),
                self._typed_value(option.value, targets[option.argument]),
            )
            for option in element.options
        )
        return Statement(
            depth,
            called_function=naming.build_pipeline_function(pipeline.name),
            options_class=naming.options_class(naming.pipeline_stem(pipeline.name)),
            settings=settings,
        )

    def _plain(self, value: OptionSetting) -> Expression:
        """Return a value for the builder, which knows the types of a pass."""
        if isinstance(value, OptionReference):
            return _own(self._options[value.name])
        if isinstance(value, tuple):
            return ListOf(tuple(Literal(element) for element in value))
        return Literal(value)

    def _typed_value(self, value: OptionSetting, target: Option) -> Expression:
        """Return a value of the type that a field of a pipeline's options has."""
        type_ = target.type
        if isinstance(value, OptionReference):
            source = self._options[value.name]
            if source.type.enum_name == type_.enum_name:
                return _own(source)
            if target.is_list:
                return CallForEach(type_.enum_name, _own(source))
            return Call(type_.enum_name, (_own(source),))
        if isinstance(value, tuple):
            return ListOf(tuple(self._parse(element, type_) for element in value))
        return self._parse(value, type_)

    def _parse(self, value: Scalar, type_: OptionType) -> Expression:
        parser = self._foreign.get(type_.python)
        row = OPTION_TYPES.get(type_.name)
        if row and row.literal == "pipeline":
            parser = row.python_option_type
        given = constant(value, type_)
        return Call(f"{parser}.parse", (given,)) if parser else given


def _own(option: Option) -> Attribute:
    return Attribute("options", naming.snake_case(option.name))


def _member(type_: OptionType, value: str) -> Attribute:
    return Attribute(type_.enum_name, naming.enum_member(value))
