"""Bundles and pipelines as the Python templates need them: a part of `targets.python`.

A bundle or a pipeline becomes a function that adds its elements to a builder, and each
element a statement of it: what stands inside another one is deeper.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from passgen import naming
from passgen.model import (
    FOREIGN,
    OPTION_TYPES,
    Bundle,
    BundleElement,
    Condition,
    Element,
    Option,
    OptionReference,
    OptionSetting,
    OptionType,
    PassElement,
    PassGroup,
    Pipeline,
    PipelineElement,
    Scalar,
    SetOption,
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

    tests: tuple[Expression, ...] = ()
    """Of an `if`, one."""

    stage: str = ""
    nest: str = ""
    added_pass: str = ""
    """The argument of a pass."""

    called_function: str = ""
    """That of a bundle or a pipeline."""

    options_class: str = ""
    """Of the pipeline that is called."""

    settings: tuple[Setting, ...] = ()


def bundle_statements(bundle: Bundle, group: PassGroup) -> tuple[Statement, ...]:
    """Return what the function of `bundle` does inside its `with`."""
    return tuple(_Writer(group, {}, {}).statements(bundle.elements, 2))


def pipeline_statements(
    pipeline: Pipeline, group: PassGroup, foreign: Mapping[str, str]
) -> tuple[Statement, ...]:
    """Return what the function of `pipeline` does.

    Args:
        pipeline: one of the group's.
        group: the group.
        foreign: how the file calls each foreign type.
    """
    options = {each.name: each for each in pipeline.options}
    return tuple(_Writer(group, options, foreign).statements(pipeline.elements, 1))


class _Writer:
    """Turns elements to statements."""

    def __init__(
        self,
        group: PassGroup,
        options: Mapping[str, Option],
        foreign: Mapping[str, str],
    ) -> None:
        self._pipelines = {each.argument: each for each in group.pipelines}
        self._options = options
        self._foreign = foreign

    def statements(
        self, elements: tuple[Element, ...], depth: int
    ) -> Iterator[Statement]:
        for element in elements:
            inner = depth
            if element.condition:
                yield Statement(depth, tests=(self._test(element.condition),))
                inner += 1
            yield from self._element(element, inner)

    def _element(self, element: Element, depth: int) -> Iterator[Statement]:
        if isinstance(element, PassElement):
            settings = tuple(
                Setting(each.argument, self._plain(each.value))
                for each in element.options
            )
            yield Statement(depth, added_pass=element.argument, settings=settings)
        elif isinstance(element, BundleElement):
            function = naming.bundle_function(element.name)
            yield Statement(depth, called_function=function)
        elif isinstance(element, PipelineElement):
            pipeline = self._pipelines[element.argument]
            stem = naming.pipeline_stem(pipeline.name)
            yield Statement(
                depth,
                called_function=naming.build_pipeline_function(pipeline.name),
                options_class=naming.options_class(stem),
                settings=tuple(self._typed_settings(element.options, pipeline)),
            )
        elif element.kind == "when":
            yield from self.statements(element.elements, depth)
        else:
            is_stage = element.kind == "stage"
            yield Statement(
                depth,
                stage=element.name if is_stage else "",
                nest="" if is_stage else element.name,
            )
            yield from self.statements(element.elements, depth + 1)

    def _test(self, condition: Condition) -> Expression:
        option = self._options[condition.option]
        value = _own(option)
        if isinstance(condition.value, bool):
            return value if condition.value != condition.is_negated else Not(value)
        member = _member(option.type, condition.value)
        return Comparison(value, member, condition.is_negated)

    def _plain(self, value: OptionSetting) -> Expression:
        """Return a value for the builder, which knows the types of a pass."""
        if isinstance(value, OptionReference):
            return _own(self._options[value.name])
        if isinstance(value, tuple):
            return ListOf(tuple(Literal(each) for each in value))
        return Literal(value)

    def _typed_settings(
        self, options: tuple[SetOption, ...], pipeline: Pipeline
    ) -> Iterator[Setting]:
        targets = {each.argument: each for each in pipeline.options}
        for each in options:
            target = targets[each.argument]
            value = self._typed(each.value, target)
            yield Setting(naming.snake_case(target.name), value)

    def _typed(self, value: OptionSetting, target: Option) -> Expression:
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
            return ListOf(tuple(self._constant(each, type_) for each in value))
        return self._constant(value, type_)

    def _constant(self, value: Scalar, type_: OptionType) -> Expression:
        if type_.enum_name:
            return _member(type_, str(value))
        if type_.name == FOREIGN:
            called = self._foreign.get(type_.python)
            return (
                Call(f"{called}.parse", (Literal(value),)) if called else Literal(value)
            )
        row = OPTION_TYPES[type_.name]
        if row.literal == "pipeline":
            return Call(f"{row.python_option_type}.parse", (Literal(value),))
        if row.literal == "float" and isinstance(value, int):
            return Literal(float(value))
        return Literal(value)


def _own(option: Option) -> Attribute:
    return Attribute("options", naming.snake_case(option.name))


def _member(type_: OptionType, value: str) -> Attribute:
    return Attribute(type_.enum_name, naming.enum_member(value))
