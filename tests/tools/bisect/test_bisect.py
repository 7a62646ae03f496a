"""`bisect`: the pass and the operation that made good IR bad, from a record."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from math import log2
from pathlib import Path

import pytest

from passgen_tools.bisect import (
    BisectError,
    Culprit,
    FlakyCheckError,
    bisect,
)
from tests.planted_faults import (
    Counting,
    Fault,
    is_broken,
    is_valid,
    random_faults,
    record_run,
)

NUM_PASSES, NUM_FUNCTIONS = 9, 8


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """Return the record of a run in which the sixth pass has made @f2 wrong."""
    path = tmp_path / "run.db"
    record_run(path, NUM_PASSES, NUM_FUNCTIONS, Fault(5, 2, is_required=True))
    return path


def found(culprit: Culprit) -> tuple[str, str]:
    assert culprit.part is not None
    return culprit.step.name, culprit.part.path


def run(
    record: Path,
    is_bad: Callable[[str], bool | None],
    is_valid: Callable[[str], bool] = lambda _: True,
) -> Culprit:
    return bisect(record, is_bad, is_valid=is_valid)


@pytest.mark.parametrize(
    "fault",
    [
        *random_faults(3, NUM_PASSES, NUM_FUNCTIONS),
        Fault(3, 2, is_required=True),  # of a pass on the module
    ],
)
def test_faults_are_found_also_in_passes_that_cannot_be_skipped(
    fault: Fault, tmp_path: Path
) -> None:
    record_run(tmp_path / "run.db", NUM_PASSES, NUM_FUNCTIONS, fault)
    judge = Counting(is_broken)

    culprit = run(tmp_path / "run.db", judge, is_valid)

    place = f"stage-{fault.pass_number}#1", f"@f{fault.function_number}"
    assert found(culprit) == place
    assert not is_broken(culprit.before)
    assert is_broken(culprit.after)
    assert judge.count <= 2 * (log2(NUM_PASSES) + log2(NUM_FUNCTIONS) + 4)


def test_passes_around_ir_that_cannot_be_judged_are_named_together(
    broken: Path,
) -> None:
    def judge(text: str) -> bool | None:
        return None if "stage = 4 :" in text else is_broken(text)

    with pytest.raises(BisectError, match="it is one of stage-4#1, stage-5#1"):
        run(broken, judge)


def test_ir_that_cannot_be_judged_elsewhere_is_skipped(broken: Path) -> None:
    def judge(text: str) -> bool | None:
        return None if "stage = 3 :" in text else is_broken(text)

    assert found(run(broken, judge)) == ("stage-5#1", "@f2")


@pytest.mark.parametrize(
    "unjudged",
    [{8}, {7, 8}, {6, 7, 8}, {-1}, {-1, 0, 1, 2}, {-1, 0, 7, 8}, {-1, 2, 6, 8}],
)
def test_ends_that_cannot_be_judged_are_left_out(
    unjudged: set[int], broken: Path
) -> None:
    def judge(text: str) -> bool | None:
        stages = {int(stage) for stage in re.findall(r"stage = (\d+) :", text)}
        return None if max(stages, default=-1) in unjudged else is_broken(text)

    assert found(run(broken, judge)) == ("stage-5#1", "@f2")


@pytest.mark.parametrize(
    ("judged", "message"),
    [
        (
            {-1, 0, 4},
            (
                "the check cannot judge the IR after stage-8#1 (step 9 of 9)\n"
                "note: none of the other IR that it can judge is bad\n"
                "note: --lower=PIPELINE brings all IR into a form that it can judge"
            ),
        ),
        (
            {6, 7},
            (
                "the check cannot judge the IR before the first pass\n"
                "note: none of the other IR that it can judge is good\n"
                "note: --lower=PIPELINE brings all IR into a form that it can judge"
            ),
        ),
        (
            {},
            (
                "the check cannot judge the IR before the first pass\n"
                "note: it can judge no other IR\n"
                "note: --lower=PIPELINE brings all IR into a form that it can judge"
            ),
        ),
    ],
)
def test_error_no_state_is_good_or_none_is_bad(
    judged: set[int], message: str, broken: Path
) -> None:
    def judge(text: str) -> bool | None:
        stages = {int(stage) for stage in re.findall(r"stage = (\d+) :", text)}
        return is_broken(text) if max(stages, default=-1) in judged else None

    with pytest.raises(BisectError) as error:
        run(broken, judge)

    assert str(error.value) == message


def test_input_that_is_bad_already_accuses_no_pass(broken: Path) -> None:
    with pytest.raises(BisectError, match="before the first pass is bad: the culprit"):
        run(broken, lambda _: True)


def test_a_run_that_ends_well_has_nothing_to_find(broken: Path) -> None:
    with pytest.raises(
        BisectError, match=r"after stage-\d#1 .* is good: there is nothi"
    ):
        run(broken, lambda _: False)


def test_an_end_that_cannot_be_judged_is_reported_with_the_flag_that_helps(
    broken: Path,
) -> None:
    with pytest.raises(BisectError, match="--lower=PIPELINE"):
        run(broken, lambda _: None)


@pytest.mark.parametrize("seed", range(20))
def test_a_check_that_is_not_deterministic_accuses_nobody(
    seed: int, broken: Path
) -> None:
    generator = random.Random(seed)  # noqa: S311 - no secret
    rate = 0.3 + 0.2 * seed / 20

    with pytest.raises(BisectError):
        run(broken, lambda text: is_broken(text) != (generator.random() < rate))


def test_good_and_bad_that_alternate_accuse_nobody(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    record_run(path, 16, 1, Fault(99, 0, is_required=True))
    bad_stages = {2, 3, 4, 5, 10, 11, 12, 13, 14, 15}

    def judge(text: str) -> bool:
        return any(f"stage = {stage} :" in text for stage in bad_stages)

    with pytest.raises(FlakyCheckError, match="alternate") as raised:
        run(path, judge)

    assert "note: good after stage-7#1 (step 8 of 16)" in str(raised.value)


def test_operations_that_cannot_be_mixed_leave_the_pass_as_the_answer(
    broken: Path,
) -> None:
    pure = run(broken, is_broken)

    culprit = run(broken, is_broken, lambda text: text == full_text(broken))

    assert culprit.step.name == pure.step.name
    assert culprit.part is None
    assert "some operations from before the pass" in culprit.note


def test_ir_that_the_driver_does_not_know_leaves_the_pass_as_the_answer(
    broken: Path,
) -> None:
    culprit = run(broken, is_broken, lambda _: False)

    assert culprit.part is None
    assert "cannot verify the IR" in culprit.note


def test_operations_that_are_bad_only_together_are_reported_so(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    record_run(path, 3, 4, Fault(99, 0, is_required=True))

    culprit = run(path, lambda text: len(re.findall("stage = [12] :", text)) >= 2)

    assert found(culprit) == ("stage-1#1", "@f1")
    assert culprit.note == "it is bad only together with other operations of the pass"


def full_text(record: Path) -> str:
    """Return the module after the pass with the fault."""
    return bisect(record, is_broken, is_valid=lambda _: False).after
