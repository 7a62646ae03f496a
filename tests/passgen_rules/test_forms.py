"""The table of forms, and the state machine behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from passgen_rules.form_judgement import (
    FormEffect,
    FormState,
    effect_on,
    find_breaker,
    find_case_without_giver,
    find_losers,
    joined_states,
    may_do_anything,
    next_state,
)
from passgen_rules.forms import NO_FORMS, Form, FormRules
from passgen_rules.sequence import Guard, Nest, describe_case
from tests.cases.reader import read_cases

FORMS: Final = {"a": Form("a", absent=("linalg",)), "c": Form("c", check="m:check")}
DOMAINS: Final = {"full": (False, True)}
IN_MODULE: Final = ("builtin.module",)
IN_FUNCTIONS: Final = ("builtin.module", "func.func")


@dataclass(frozen=True)
class Placed:
    """A pass in a pipeline."""

    argument: str
    forms: FormRules = NO_FORMS
    nest: Nest = IN_MODULE
    guard: Guard = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether it may do to forms what it does not declare."""
        return may_do_anything(
            self.argument,
            has_spec=self.argument not in {"canonicalize", "open"},
            has_forms=self.forms != NO_FORMS,
            runs_pipelines=self.argument == "dynamic",
        )


def rules_of(declared: dict[str, list[str]]) -> FormRules:
    """Return the rules that a pass of the table declares."""
    rules: dict[str, Any] = {
        key: tuple(names if key == "creates" else map(FORMS.__getitem__, names))
        for key, names in declared.items()
    }
    return FormRules(**rules)


def placed(
    elements: list[Any], passes: dict[str, Any], nest: Nest = IN_MODULE
) -> Iterator[Placed]:
    """Yield the passes in `elements` of the table."""
    for element in elements:
        if "nest" in element:
            yield from placed(element["elements"], passes, (*nest, element["nest"]))
            continue
        argument, guard = element, {}
        if isinstance(element, dict):
            argument = element["pass"]
            is_on = "when" in element
            guard = {element["when" if is_on else "unless"]: frozenset({is_on})}
        yield Placed(argument, rules_of(passes.get(argument, {})), nest, guard)


@pytest.mark.parametrize("case", read_cases("forms"), ids=str)
def test_case(case: dict[str, Any]) -> None:
    steps = [*placed(case["pipeline"], case["passes"])]
    broken = [
        (step.argument, form.name, found[0].argument, found[1])
        for index, step in enumerate(steps)
        for form in step.forms.needs
        if (found := find_breaker(form, step, steps[:index], DOMAINS))
    ]

    assert [list(names) for *names, _ in broken] == (
        [case["broken"]] if "broken" in case else []
    )
    cases = [describe_case(each, DOMAINS) for *_, each in broken]
    assert cases == ([case.get("case", "")] if "broken" in case else [])


# Kinds of forms

NO_PAD = Form("noPad", absent=("linalg", "tensor.pad", "spirv.GL"))
LLVM = Form("llvm", only=("llvm", "builtin.module"))
EVEN = Form("even", check="my_dialect.forms:is_even")


@pytest.mark.parametrize(
    ("form", "allowed", "others"),
    [
        (
            NO_PAD,
            ["tensor.cast", "lin.algo", "spirv.GL.Exp"],
            ["linalg.fill", "tensor.pad"],
        ),
        (LLVM, ["llvm.add", "builtin.module"], ["builtin.x", "llvmx.add", "builtin"]),
        (EVEN, ["any.thing"], []),
    ],
)
def test_a_form_allows_operations_by_name_or_dialect(
    form: Form, allowed: list[str], others: list[str]
) -> None:
    assert list(filter(form.allows, [*allowed, *others])) == allowed


@pytest.mark.parametrize(
    ("form", "excluded", "others"),
    [
        (NO_PAD, ["linalg", "linalg.fill", "tensor.pad"], ["tensor", "spirv.GL.Exp"]),
        (LLVM, ["arith", "arith.addi", "builtin.x"], ["llvm", "llvm.add", "builtin"]),
        (EVEN, [], ["arith"]),
    ],
)
def test_a_form_excludes_what_is_created_if_none_of_it_may_be_there(
    form: Form, excluded: list[str], others: list[str]
) -> None:
    assert list(filter(form.excludes, [*excluded, *others])) == excluded


def test_only_an_absent_form_is_kept_by_what_is_created() -> None:
    assert NO_PAD.is_kept_by(())
    assert NO_PAD.is_kept_by(("arith", "tensor.cast"))
    assert not NO_PAD.is_kept_by(("arith", "tensor"))
    assert not LLVM.is_kept_by(("llvm",))
    assert not EVEN.is_kept_by(())


def test_two_forms_are_the_same_if_their_names_and_kinds_are() -> None:
    assert Form("a", "Summary", absent=("x",)) == Form("a", absent=("x",))
    assert Form("a", absent=("x",)) != Form("a", only=("x",))


# States

EFFECTS: Final = {
    FormEffect.GIVES: "holds   holds   holds   holds",
    FormEffect.MAY_GIVE: "unknown holds   unknown lost",
    FormEffect.KEEPS: "unknown holds   broken  lost",
    FormEffect.MAY_LOSE: "unknown lost    broken  lost",
    FormEffect.MAY_DO_ANYTHING: "unknown lost    unknown lost",
    FormEffect.BREAKS: "broken  broken  broken  broken",
}
"""The states after unknown, holds, broken and lost."""


@pytest.mark.parametrize("effect", FormEffect)
def test_each_effect_has_a_state_that_follows(effect: FormEffect) -> None:
    after = [next_state(state, effect).name.lower() for state in FormState]

    assert after == EFFECTS[effect].split()


def test_joined_states_say_what_both_say() -> None:
    unknown, holds, broken, lost = FormState
    joined = {
        frozenset({first, second}): joined_states(first, second)
        for first in FormState
        for second in FormState
    }

    assert all(joined[frozenset({state})] is state for state in FormState)
    assert joined[frozenset({unknown, broken})] is unknown
    others = {pair: state for pair, state in joined.items() if {holds, lost} & pair}
    assert {state for pair, state in others.items() if len(pair) == 2} == {lost}


# Effects

A, C = FORMS["a"], FORMS["c"]


@pytest.mark.parametrize(
    ("form", "step", "nest", "effect"),
    [
        (A, Placed("g", FormRules(gives=(A,))), IN_FUNCTIONS, FormEffect.GIVES),
        (C, Placed("g", FormRules(gives=(C,))), IN_MODULE, FormEffect.GIVES),
        # Functions that have the form say nothing of the rest of their module.
        (A, Placed("g", FormRules(gives=(A,)), IN_FUNCTIONS), IN_MODULE, FormEffect.MAY_GIVE),
        # A function says nothing of what is around or inside of the operation.
        (C, Placed("g", FormRules(gives=(C,))), IN_FUNCTIONS, FormEffect.MAY_DO_ANYTHING),
        (C, Placed("b", FormRules(breaks=(C,))), IN_FUNCTIONS, FormEffect.MAY_LOSE),
        (A, Placed("b", FormRules(breaks=(A,))), IN_FUNCTIONS, FormEffect.BREAKS),
        (A, Placed("k", FormRules(keeps=(A,))), IN_MODULE, FormEffect.KEEPS),
        (A, Placed("k", FormRules(creates=("arith",))), IN_MODULE, FormEffect.KEEPS),
        (A, Placed("p", FormRules(creates=("linalg",))), IN_MODULE, FormEffect.MAY_LOSE),
        (A, Placed("p"), IN_MODULE, FormEffect.MAY_LOSE),
        (A, Placed("open"), IN_MODULE, FormEffect.MAY_DO_ANYTHING),
        (A, Placed("canonicalize"), IN_MODULE, FormEffect.MAY_LOSE),
        (A, Placed("dynamic", FormRules(keeps=(A,))), IN_MODULE, FormEffect.MAY_GIVE),
        (A, Placed("dynamic", FormRules(breaks=(A,))), IN_MODULE, FormEffect.BREAKS),
        (A, Placed("open", NO_FORMS, ("m", "gpu")), ("m", "func"), FormEffect.KEEPS),
    ],
)  # fmt: skip
def test_the_effect_of_a_step(
    form: Form, step: Placed, nest: Nest, effect: FormEffect
) -> None:
    assert effect_on(form, step, nest) is effect


# Searches

END: Final = Placed("end")
CREATOR: Final = Placed("p", FormRules(creates=("arith", "linalg.fill")))
GIVER: Final = Placed("g", FormRules(gives=(A,)))
GIVER_IF_FULL: Final = Placed(
    "g", FormRules(gives=(A,)), guard={"full": frozenset({True})}
)


def test_the_case_in_which_no_pass_gives_a_form() -> None:
    steps = [Placed("p"), GIVER_IF_FULL]

    assert find_case_without_giver(A, END, [Placed("p")], DOMAINS) == {}
    assert find_case_without_giver(A, END, [GIVER], DOMAINS) is None
    case = find_case_without_giver(A, END, steps, DOMAINS)
    assert case == {"full": frozenset({False})}
    assert find_case_without_giver(A, GIVER_IF_FULL, steps, DOMAINS) is None


def test_the_passes_that_create_what_a_form_excludes() -> None:
    [found] = find_losers(A, END, [GIVER, CREATOR], DOMAINS)
    assert found == (CREATOR, {}, "linalg.fill")

    assert [*find_losers(A, END, [CREATOR, GIVER], DOMAINS)] == []
    assert [*find_losers(A, END, [CREATOR, Placed("open")], DOMAINS)] == []
    [(_, case, _)] = find_losers(A, END, [CREATOR, GIVER_IF_FULL], DOMAINS)
    assert case == {"full": frozenset({False})}
    keeper = Placed("k", FormRules(keeps=(A,), creates=("linalg",)))
    assert [*find_losers(A, END, [keeper], DOMAINS)] == []
