"""`passgen` and `PassManagerBuilder` find the same broken rules in pipelines.

`passgen` checks a declared pipeline for all values of its options at once. The builder
checks the passes that one call of the generated function has added. Rules mean the same
to both; this test holds together what they make of blocks, conditions and inclusions.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from types import ModuleType, new_class

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from passgen import naming
from passgen.checks.pipelines.conditions import domain
from passgen.checks.pipelines.ordering import check_order
from passgen.checks.pipelines.references import known_passes
from passgen.model import Pass, PassGroup
from passgen.model.constraints import Constraints, Name, OrderingRule, Partner
from passgen.model.pipelines import Bundle
from passgen.render import render
from passgen.targets import TARGETS
from passgen.targets.origin import Origin
from passgen_runtime import PassRegistry
from passgen_runtime.pass_manager_builder import PassManagerBuilder
from tests import model_groups
from tests.model_groups import PLACE, RULE_KINDS, Nameable, elements, option

ARGUMENTS = ("a", "b", "c", "d")
TAGS = ("low", "high")
OPTIONS = (
    option("fast", "fast", "bool"),
    option("mode", "mode", "enum", enum_name="Mode", values=[("x", ""), ("y", "")]),
)


@st.composite
def rules(draw: st.DrawFn) -> OrderingRule:
    kind = draw(st.sampled_from(RULE_KINDS))
    partners = st.sampled_from(
        [Partner(each, is_tag=False, location=PLACE) for each in ARGUMENTS]
        + [Partner(each, is_tag=True, location=PLACE) for each in TAGS]
    )
    most = 2 if kind == "cleanup" else 1
    return OrderingRule(
        kind, tuple(draw(st.lists(partners, min_size=1, max_size=most)))
    )


@st.composite
def passes(draw: st.DrawFn, argument: str) -> Pass:
    names = st.sampled_from([Name(each.name, PLACE) for each in model_groups.ANALYSES])
    some = st.lists(names, max_size=1).map(tuple)
    constraints = Constraints(
        tuple(Name(each, PLACE) for each in TAGS if draw(st.booleans())),
        tuple(draw(st.lists(rules(), max_size=1))),
        draw(some),
        draw(some),
        draw(st.booleans()),
    )
    return model_groups.pass_(argument.upper(), argument, constraints=constraints)


@st.composite
def groups(draw: st.DrawFn) -> PassGroup:
    members = [draw(passes(argument)) for argument in ARGUMENTS]
    inside = elements(Nameable((), members, is_closed=True))
    held = tuple(draw(st.lists(inside, min_size=1, max_size=2)))
    bundles = [Bundle("both", "Both", "", held, PLACE)]
    inner = model_groups.pipeline(
        "Inner",
        OPTIONS,
        draw(
            st.lists(
                elements(Nameable(OPTIONS, members, is_closed=True)),
                min_size=1,
                max_size=2,
            )
        ),
    )
    of = Nameable(OPTIONS, members, bundles, (inner,), is_closed=True)
    outer = model_groups.pipeline(
        "Outer", OPTIONS, draw(st.lists(elements(of), min_size=1, max_size=4))
    )
    return model_groups.group(
        *members,
        analyses=model_groups.ANALYSES,
        bundles=bundles,
        pipelines=(inner, outer),
    )


def load(group: PassGroup) -> ModuleType:
    target = TARGETS["python"]
    text = render(target.template, target.values(group, Origin("a.yaml", "passgen")))
    module = ModuleType("made_passes")
    sys.modules[module.__name__] = module  # where dataclasses look for annotations
    code = compile(text, "made_passes.py", "exec")
    exec(code, vars(module))  # noqa: S102 - it was written just now
    return module


def registered(module: ModuleType, group: PassGroup) -> PassRegistry:
    registry = PassRegistry()
    body = {"run_on_operation": lambda _self: None}
    for pass_ in group.passes:
        base = vars(module)[naming.base_class(pass_.name)]
        made = new_class(pass_.name, (base,), exec_body=lambda ns: ns.update(body))
        registry.register_pass(made)
    return registry


def violations(group: PassGroup) -> Iterator[str]:
    """Yield the builder's findings in each pipeline for all values of its options."""
    module = load(group)
    registry = registered(module, group)
    for pipeline in group.pipelines:
        options_class = vars(module)[f"{pipeline.name}PipelineOptions"]
        build = vars(module)[f"build{pipeline.name}Pipeline"]
        for values in itertools.product(*map(domain, OPTIONS)):
            given_ = dict(zip(("fast", "mode"), values, strict=True))
            given_["mode"] = module.Mode(given_["mode"])
            builder = PassManagerBuilder(registry=registry, defers_checks=True)
            build(builder, options_class(**given_))
            yield from map(str, builder.check())


@pytest.mark.slow
@given(groups())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_passgen_refuses_what_the_builder_would_for_some_options(
    group: PassGroup,
) -> None:
    found = list(violations(group))

    event("broken" if found else "obeyed")
    refusals = check_order(group, known_passes(group, ()))
    assert any(refusals) == bool(found), found
