"""Verdicts about patterns by example are those of an evaluator that shares nothing."""

from __future__ import annotations

from typing import Final

import pytest

from passgen_runtime.ir.mlir import MLIRContext
from passgen_tools.verify import verify_patterns
from passgen_tools.verify.judgements import Judgement
from tests.pattern_cases import pass_of
from tests.tools.verify.brute_force import wrong_flags
from tests.tools.verify.planted_examples import RIGHT, WRONG, PlantedExample

pytestmark = pytest.mark.bindings

ALL: Final = [*RIGHT.values(), *WRONG.values()]
NAMES: Final = [*RIGHT, *(f"{name} (wrong)" for name in WRONG)]


def judge(planted: PlantedExample) -> list[Judgement]:
    judged = verify_patterns(pass_of(planted.pattern), MLIRContext())
    return [row for row in judged if row.verdict != "may-not-end-by-greedy"]


def flags_of(judgement: Judgement) -> set[tuple[tuple[str, str], ...]]:
    """Return the flags for which a pattern is wrong, as the evaluator names them."""
    shown = judgement.counterexample
    assert shown is not None
    listed: dict[str, str] = {}
    for part in filter(None, judgement.flags.split(", ")):
        name, text = part.split(": ")
        listed[name] = text.replace("none", "")
    if shown.flags is None:
        return {tuple(sorted(listed.items()))}
    found: set[tuple[tuple[str, str], ...]] = set()
    for combination in shown.flags.combinations:
        flags = dict(listed)
        for name, text in zip(shown.flags.names, combination, strict=True):
            is_variable = len(name) == 1  # others are operations that show no flags
            if is_variable:
                flags[name] = text.replace(" ", ", ")
        found.add(tuple(sorted(flags.items())))
    return found


@pytest.mark.parametrize("planted", ALL, ids=NAMES)
def test_verdicts_are_those_of_an_evaluator_of_all_values(
    planted: PlantedExample,
) -> None:
    expected = [
        wrong_flags(planted.before, planted.after, planted.made, index_width)
        for index_width in ((32, 64) if "index" in planted.before else (64,))
    ]
    judged = judge(planted)

    wrong = [row for row in judged if row.verdict == "wrong"]
    assert {row.verdict for row in judged} <= {"proved", "wrong"}
    assert set().union(*map(flags_of, wrong)) == set().union(*expected)
    assert bool(wrong) is (planted in WRONG.values())


def test_so_many_are_planted() -> None:
    assert len(RIGHT) >= 20
    assert len(WRONG) >= 20
