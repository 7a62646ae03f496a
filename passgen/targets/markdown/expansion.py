"""Pipelines as the text of the passes that they run with their default options."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from passgen.model import (
    Block,
    BundleElement,
    Condition,
    Element,
    Option,
    OptionDefault,
    OptionReference,
    PassElement,
    PassGroup,
    Pipeline,
    SetOption,
)
from passgen.targets.lines import Setting
from passgen.targets.markdown.examples import example_nesting, spell_value

_Value: TypeAlias = OptionDefault | Option | None
"""The value of an option; a required one, which has none, stands for itself."""


def expand(pipeline: Pipeline, group: PassGroup) -> str:
    """Return the textual pipeline that `pipeline` of `group` is by default."""
    values = {option.name: _initial(option) for option in pipeline.options}
    text = _Expansion(group).elements(pipeline.elements, values)
    for operation in reversed(example_nesting(pipeline)):
        text = f"{operation}({text})"
    return text


class _Expansion:
    """The elements of the pipelines of one group as text."""

    def __init__(self, group: PassGroup) -> None:
        self._bundles = {bundle.name: bundle for bundle in group.bundles}
        self._pipelines = {pipeline.argument: pipeline for pipeline in group.pipelines}
        self._passes = {pass_.argument: pass_ for pass_ in group.passes}

    def elements(
        self, elements: Iterable[Element], values: Mapping[str, _Value]
    ) -> str:
        present = (element for element in elements if _holds(element.condition, values))
        return ",".join(
            filter(None, (self._text(element, values) for element in present))
        )

    def _text(self, element: Element, values: Mapping[str, _Value]) -> str:
        match element:
            case PassElement(argument=name):
                known = self._passes.get(name)
                given = _settings(element.options, values)
                written = _written(given, known.options if known else ())
                options = " ".join(written)
                return f"{name}{{{options}}}" if options else name
            case BundleElement(name=name):
                return self.elements(self._bundles[name].elements, {})
            case Block(kind="nest", name=name, elements=inner):
                return f"{name}({self.elements(inner, values)})"
            case Block(elements=inner):
                return self.elements(inner, values)
        pipeline = self._pipelines[element.argument]
        given = _settings(element.options, values)
        inside = {
            option.name: given.get(option.argument, _initial(option))
            for option in pipeline.options
        }
        return self.elements(pipeline.elements, inside)


def _initial(option: Option) -> _Value:
    if option.required:
        return option
    if option.default is not None or option.optional or option.unknown_default:
        return option.default
    return () if option.is_list else option.type.zero


def _holds(condition: Condition | None, values: Mapping[str, _Value]) -> bool:
    if condition is None:
        return True
    return (values[condition.option] == condition.value) != condition.is_negated


def _settings(
    settings: Iterable[SetOption], values: Mapping[str, _Value]
) -> dict[str, _Value]:
    given = {setting.argument: setting.value for setting in settings}
    return {
        name: values[value.name] if isinstance(value, OptionReference) else value
        for name, value in given.items()
    }


def _written(given: Mapping[str, _Value], options: Iterable[Option]) -> Iterator[str]:
    """Yield the settings of a pass that have a value."""
    declared = {option.argument: option for option in options}
    for argument, value in given.items():
        option = declared.get(argument)
        if value is None:
            continue
        if option is None or isinstance(value, Option):
            yield str(Setting(argument, value, None))
        else:
            yield f"{argument}={spell_value(option, value)}"
