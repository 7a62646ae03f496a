"""Workers that end: the run goes on, and names what has ended them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from passgen_runtime import Pass, PassFailure
from passgen_runtime.executors import ProcessPool
from passgen_runtime.instrumentations.crash_reproducer import (
    enable_crash_reproducer_generation,
)
from passgen_runtime.opt.reports import report_failure
from tests.recording import Session
from tests.runtime.distribution.passes_for_workers import (
    Count,
    Mischief,
    MischiefOptions,
)
from tests.runtime.distribution.running import CALLING, NUM_FUNCTIONS, shown

pytestmark = [pytest.mark.process, pytest.mark.slow]


def killing() -> list[Pass]:
    return [Count(), Mischief(MischiefOptions(how="kill", to="f3"))]


def children() -> list[str]:
    folder = Path(f"/proc/self/task/{os.getpid()}/children")
    return folder.read_text().split()


@pytest.fixture
def nothing_left() -> Iterator[None]:
    before = children()
    yield
    assert children() == before


@pytest.mark.usefixtures("nothing_left")
def test_a_pass_that_kills_its_worker_is_named_and_others_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = shown(capsys, partial(ProcessPool, 2), killing)
    failure = str(found["failure"])
    assert "was ended by SIGKILL, 3 times" in failure
    assert "while it ran func.func(test-count,test-mischief{how=kill to=f3})" in failure
    assert "'func.func' operation: @f3 at input.mlir:19:1" in failure
    assert str(found["ir"]).count("counted") == NUM_FUNCTIONS - 1


def test_the_calls_of_a_pass_in_a_worker_are_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    session = Session(CALLING)
    raising = Mischief(MischiefOptions(how="raise", to="f3"))
    session.manager.nest("func.func").add_pass(raising)
    with pytest.raises(PassFailure) as raised:
        session.manager.run(session.module, partial(ProcessPool, 1), sends_always=True)

    options: Any = SimpleNamespace(
        color="never", crash_reproducer="", generate_reproducer=""
    )
    report_failure(options, raised.value)

    assert "passes_for_workers.py:" in capsys.readouterr().err


def test_a_lost_worker_leaves_a_reproducer(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "reproducer.mlir"

    def configure(session: Session) -> None:
        enable_crash_reproducer_generation(session.manager, file)

    found = shown(capsys, partial(ProcessPool, 1), killing, configure=configure)
    pipeline = "func.func(test-count,test-mischief{how=kill to=f3})"
    message = f"Pipeline failed while executing [`{pipeline}`]: reproducer generated at"
    assert message in str(found["diagnostics"])
    assert f'pipeline: "builtin.module({pipeline})"' in file.read_text()


def test_an_executor_that_was_given_and_breaks_fails_the_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        found = shown(capsys, pool, killing)
    assert "the executor is broken and was lost with item" in str(found["failure"])
