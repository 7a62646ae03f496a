"""Changes in the pipelines and bundles of a group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from operator import attrgetter
from typing import Final

from passgen import naming
from passgen.diagnostics import Note
from passgen.findings.diff.matching import Kind, compare_parts
from passgen.findings.diff.options import compare_options
from passgen.findings.diff.passes import compare_forms
from passgen.findings.finding import Finding, Subject
from passgen.model import (
    Block,
    Bundle,
    BundleElement,
    Element,
    OptionReference,
    PassElement,
    PassGroup,
    Pipeline,
    PipelineElement,
    Scalar,
    SetOption,
)
from passgen.source import Location

_PIPELINE: Final = Kind[Pipeline]("pipeline")
_BUNDLE: Final = Kind[Bundle]("bundle", attrgetter("name"))


def compare_pipelines(
    old: PassGroup, new: PassGroup, group: Subject
) -> Iterator[Finding]:
    """Yield the changes in pipelines and bundles."""
    pipelines, bundles = (old.pipelines, new.pipelines), (old.bundles, new.bundles)
    yield from compare_parts(_PIPELINE, *pipelines, group, _compare_pipeline)
    yield from compare_parts(_BUNDLE, *bundles, group, _compare_bundle)


def _compare_pipeline(
    old: Pipeline, new: Pipeline, pipeline: Subject
) -> Iterator[Finding]:
    places = new.location, old.location
    now, was = map(naming.build_pipeline_function, (new.name, old.name))
    if now != was:
        message = f"{pipeline.what} is '{now}' in code now, and was '{was}'"
        yield pipeline.finding("pipeline-function-renamed", message, *places)
    if _anchor(old) != _anchor(new):
        rule = "anchor-changed" if new.anchor else "anchor-widened"
        now, was = _anchor(new), _anchor(old)
        message = f"{pipeline.what} runs on {now} now, and ran on {was}"
        yield pipeline.finding(rule, message, *places)
    if changes := tuple(_changes(old.elements, new.elements)):
        message = f"{pipeline.what} runs other passes, or runs them differently"
        found = pipeline.finding("pipeline-changed", message, *places)
        yield found.noting(*changes)
    yield from compare_forms(old.forms, new.forms, pipeline, new.location)
    yield from compare_options(old.options, new.options, pipeline)


def _compare_bundle(old: Bundle, new: Bundle, bundle: Subject) -> Iterator[Finding]:
    if changes := tuple(_changes(old.elements, new.elements)):
        message = f"{bundle.what} contains other passes, or has them in another order"
        found = bundle.finding("bundle-changed", message, new.location, old.location)
        yield found.noting(*changes)


@dataclass(frozen=True)
class _Step:
    """A pass, bundle or pipeline among the elements of another one."""

    name: str
    text: str
    """The step with its options, and the blocks and conditions around it."""

    location: Location


def _steps(elements: tuple[Element, ...], around: str = "") -> Iterator[_Step]:
    for element in elements:
        text = around
        if test := element.condition:
            text += (
                f"if {test.option} is{' not' * test.is_negated} {_text(test.value)}: "
            )
        match element:
            case Block(kind=kind, name=name, elements=inner):
                yield from _steps(inner, f"{text}{kind} {name}: " if name else text)
                continue
            case BundleElement(name=name):
                name, options = f"bundle {name}", ""
            case PassElement(argument=name) | PipelineElement(argument=name):
                options = " ".join(map(_setting, element.options))
        text += f"{name}{{{options}}}" if options else name
        yield _Step(name, text, element.location)


def _setting(option: SetOption) -> str:
    value = option.value
    if isinstance(value, OptionReference):
        return f"{option.argument}=<{value.name}>"
    values = value if isinstance(value, tuple) else (value,)
    return f"{option.argument}={','.join(map(_text, values))}"


def _text(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _changes(old: tuple[Element, ...], new: tuple[Element, ...]) -> Iterator[Note]:
    """Yield a note for each step that is new, gone, elsewhere, or changed."""
    before, after = list(_steps(old)), list(_steps(new))
    was, now = ([step.text for step in steps] for steps in (before, after))
    removed: list[_Step] = []
    added: list[_Step] = []
    matcher = SequenceMatcher(None, was, now, autojunk=False)
    for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if kind != "equal":
            removed += before[old_start:old_end]
            added += after[new_start:new_end]
    for step in added:
        same = next((other for other in removed if other.name == step.name), None)
        if same is None:
            yield Note(f"'{step.text}' is new", step.location)
            continue
        removed.remove(same)
        is_moved = same.text == step.text
        change = "has another place" if is_moved else f"was '{same.text}'"
        yield Note(f"'{step.text}' {change}", step.location)
    for step in removed:
        yield Note(f"'{step.text}' was removed", step.location)


def _anchor(pipeline: Pipeline) -> str:
    return f"'{pipeline.anchor.name}'" if pipeline.anchor else "any operation"
