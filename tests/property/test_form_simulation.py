"""The checks of forms against a simulation of passes on operations.

The simulation runs every pass of a pipeline on every operation of a module, and notes
for each operation which forms are broken. It shares no code with the checks.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, TypeAlias

import pytest
from hypothesis import settings

from passgen import checks
from passgen.diagnostics import SpecError
from passgen.model import PassGroup
from passgen.site.held_forms import with_forms
from passgen.site.pipeline_boxes import element_boxes
from passgen.source import SourceFile
from passgen.spec import read
from passgen.targets.markdown import Line
from passgen_runtime import PassRegistry
from passgen_runtime.pass_manager_builder import PassManagerBuilder
from tests.passgen.checks.test_form_cases import FORMS
from tests.runtime.pass_manager_builder.test_form_cases import class_of, text_of

ARGUMENTS: Final = ("open", *"pqrstu")
CHILDREN: Final = {
    "builtin.module": ("func.func", "gpu.module"),
    "gpu.module": ("gpu.func",),
}

Found: TypeAlias = set[tuple[str, str, str]]
"""The argument of a pass, the form that it needs, and the pass that breaks that."""


@dataclass(eq=False)
class SimulatedOperation:
    """An operation, and the pass that last broke each form of it."""

    name: str
    parent: SimulatedOperation | None = None
    children: list[SimulatedOperation] = field(default_factory=list)
    broken_by: dict[str, str] = field(default_factory=dict)

    @classmethod
    def tree(
        cls, name: str, parent: SimulatedOperation | None = None
    ) -> SimulatedOperation:
        """Return an operation with two children of each type that it may hold."""
        root = cls(name, parent)
        root.children = [
            cls.tree(child, root) for child in CHILDREN.get(name, ()) for _ in range(2)
        ]
        return root

    def inside(self) -> list[SimulatedOperation]:
        """Return all operations that are nested in it."""
        return [inner for child in self.children for inner in (child, *child.inside())]

    def around(self) -> list[SimulatedOperation]:
        """Return all operations that it is nested in."""
        return [self.parent, *self.parent.around()] if self.parent else []

    def run(self, argument: str, declared: dict[str, Any]) -> Found:
        """Run a pass; return its needs that are broken."""
        found = {
            (argument, form, self.broken_by[form])
            for form in declared.get("needs", ())
            if form in self.broken_by
        }
        related = [self, *self.inside(), *self.around()]
        for form in FORMS:
            if form in declared.get("breaks", ()):
                for each in [self, *self.around()] if form == "c" else related:
                    each.broken_by[form] = argument
            elif argument == "open" or form in declared.get("gives", ()):
                for each in related:
                    each.broken_by.pop(form, None)
        return found


def simulate(elements: list[Any], passes: dict[str, Any]) -> Found:
    """Return the broken needs that running `elements` on a module meets."""
    found: Found = set()

    def run(elements: list[Any], operation: SimulatedOperation) -> None:
        for element in elements:
            if isinstance(element, str):
                found.update(operation.run(element, passes.get(element, {})))
                continue
            for child in operation.children:
                if child.name == element["nest"]:
                    run(element["elements"], child)

    run(elements, SimulatedOperation.tree("builtin.module"))
    return found


def random_passes(random: Random) -> dict[str, Any]:
    """Return what each pass with a spec declares."""
    passes: dict[str, Any] = {}
    for argument in ARGUMENTS[1:]:
        rules: dict[str, Any] = {}
        for form in FORMS:
            effect = random.choice(["gives", "keeps", "breaks", "breaks", ""])
            for key in (effect, random.choice(["needs", ""])):
                if key:
                    rules.setdefault(key, []).append(form)
        if random.random() < 0.3:
            rules["creates"] = random.choice([[], ["linalg.fill"], ["arith"]])
        passes[argument] = rules
    return passes


def random_elements(random: Random, anchor: str) -> list[Any]:
    """Return elements of a spec, some of them with conditions."""
    elements = []
    for _ in range(random.randint(1, 4)):
        nests = CHILDREN.get(anchor, ())
        element: dict[str, Any] = {"pass": random.choice(ARGUMENTS)}
        if nests and random.random() < 0.4:
            nest = random.choice(nests)
            element = {"nest": nest, "elements": random_elements(random, nest)}
        if random.random() < 0.3:
            condition = {
                "option": random.choice("mn"),
                "is": random.choice([True, False]),
            }
            element["when"] = condition
        elements.append(element)
    return elements


def present(elements: list[Any], options: dict[str, bool]) -> list[Any]:
    """Return the elements that `options` leave, without conditions."""
    left: list[Any] = []
    for element in elements:
        condition = element.get("when")
        if condition and options[condition["option"]] != condition["is"]:
            continue
        if "pass" in element:
            left.append(element["pass"])
        elif inside := present(element["elements"], options):
            left.append({"nest": element["nest"], "elements": inside})
    return left


def group_of(elements: list[Any], passes: dict[str, Any]) -> PassGroup:
    """Return the group of a spec with one pipeline."""
    spec = {
        "forms": FORMS,
        "externalPasses": ["open"],
        "passes": {
            argument.title(): {"summary": "Do it", **rules}
            for argument, rules in passes.items()
        },
        "pipelines": {
            "All": {
                "summary": "Do all",
                "anchor": "builtin.module",
                "options": [{"name": name, "type": "bool"} for name in "mn"],
                "elements": elements,
            }
        },
    }
    return read(SourceFile("spec.yaml", json.dumps(spec)))


def found_in_spec(group: PassGroup) -> Found:
    """Return the broken needs that `passgen` finds, for any values of the options."""
    try:
        checks.check(group)
    except SpecError as error:
        return {broken_need(each.message) for each in error.diagnostics}
    return set()


def drawn_as_broken(elements: list[Any], group: PassGroup) -> set[tuple[str, str]]:
    """Return the passes with needs that a drawing shows as broken before them."""

    def lines(elements: list[Any], depth: int) -> Iterator[Line]:
        for element in elements:
            if isinstance(element, str):
                yield Line(depth, added_pass=element)
            else:
                yield Line(depth, nest=element["nest"])
                yield from lines(element["elements"], depth + 1)

    known = checks.known_passes(group, ()).by_argument
    around = Line(0, nest="builtin.module")
    boxes = [*element_boxes([around, *lines(elements, 1)], {}, {}, {})]
    forms = checks.known_forms(group, ())
    drawn, _ = with_forms(boxes, group.pipelines[0], forms, known)
    return {
        (box.label, form.name)
        for box in drawn
        for form in box.forms
        for need in (known[box.label].constraints.forms.needs if box.number else ())
        if form.state == "broken" and need.name == form.name
    }


def broken_need(message: str) -> tuple[str, str, str]:
    """Return what `message` names."""
    _, user, _, form, _, breaker, *_ = message.split("'")
    return user, form, breaker


def found_by_builder(elements: list[Any], passes: dict[str, Any]) -> Found:
    """Return the broken needs that a builder finds."""
    registry = PassRegistry()
    for argument in ARGUMENTS:
        registry.register_pass(class_of(argument, passes.get(argument, {})))
    builder = PassManagerBuilder(registry=registry, defers_checks=True)
    if elements:
        builder.add(text_of(elements))
    return {broken_need(found.message) for found in builder.check()}


@pytest.mark.slow
def test_checks_find_what_a_simulation_meets() -> None:
    random = Random(50)  # noqa: S311 - the same pipelines in each run
    num_pipelines = 10 * settings().max_examples  # 5,000 in `make explore`
    num_wrong = 0
    for _ in range(num_pipelines):
        passes = random_passes(random)
        elements = random_elements(random, "builtin.module")
        group = group_of(elements, passes)
        met: Found = set()
        for values in itertools.product((False, True), repeat=2):
            left = present(elements, dict(zip("mn", values, strict=True)))
            simulated = simulate(left, passes)
            assert found_by_builder(left, passes) == simulated
            assert drawn_as_broken(left, group) == {need[:2] for need in simulated}
            met |= simulated
        # Of the passes that may break a form, a spec's error names one.
        judged = found_in_spec(group)
        assert judged <= met
        assert {need[:2] for need in judged} == {need[:2] for need in met}
        num_wrong += bool(met)
    assert num_pipelines / 4 < num_wrong < 3 * num_pipelines / 4
