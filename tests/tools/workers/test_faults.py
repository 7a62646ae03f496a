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
from xdsl.dialects.builtin import StringAttr

from passgen_runtime import Pass, PassFailure
from passgen_runtime.instrumentations.crash_reproducer import (
    enable_crash_reproducer_generation,
)
from passgen_tools.opt.reports import report_failure
from passgen_tools.workers import ProcessPool
from tests.recording import Session
from tests.tools.workers.passes_for_workers import (
    Count,
    Fork,
    Mischief,
    MischiefOptions,
    Within,
)
from tests.tools.workers.running import (
    CALLING,
    NUM_FUNCTIONS,
    shown,
    workers_of,
)

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
    pipeline = "func.func(test-count,test-mischief{how=kill to=f3})"
    assert f"while it ran 'test-mischief' of {pipeline} on 'func" in failure
    assert "pass 'test-mischief' failed on 'func.func' operation: @f3" in failure
    assert "'func.func' operation: @f3 at input.mlir:19:1" in failure
    assert str(found["ir"]).count("counted") == NUM_FUNCTIONS - 1


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize(
    ("how", "named"),
    [("close", "'test-mischief' of func.func("), ("write", "func.func(")],
)
def test_a_pass_that_closes_the_pipe_of_its_worker_or_writes_to_it_is_named(
    how: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def make() -> list[Pass]:
        return [Mischief(MischiefOptions(how=how, to="f3")), Count()]

    found = shown(capsys, partial(ProcessPool, 2), make)
    failure = str(found["failure"])
    assert "was ended: a pass has used or closed its pipe, 3 times" in failure
    assert f"while it ran {named}test-mischief{{how={how} to=f3}}," in failure
    assert str(found["ir"]).count("counted") == NUM_FUNCTIONS - 1


@pytest.mark.usefixtures("nothing_left")
def test_the_pass_of_a_dynamic_pipeline_that_kills_its_worker_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = shown(capsys, partial(ProcessPool, 1), lambda: [Count(), Within(), Count()])
    assert "while it ran 'test-mischief' of func.func(test-count,test-within" in (
        str(found["failure"])
    )


def test_of_several_passes_that_other_workers_may_have_run_the_pipeline_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def make() -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, mp_context=get_context("spawn"))

    found = shown(capsys, make, killing)
    failure = str(found["failure"])
    assert "while it ran func.func(test-count,test-mischief{how=kill" in failure
    assert "the pipeline failed on 'func.func' operation: @f3" in failure


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("num_workers", [1, 2])
def test_results_of_a_pass_that_forks_are_at_their_operations(num_workers: int) -> None:
    names = [f"m{number}" for number in range(40)]
    session = Session(
        "\n".join(f'module attributes {{test.name = "{name}"}} {{}}' for name in names)
    )
    session.manager.nest("builtin.module").add_pass(Fork())

    executor = partial(ProcessPool, num_workers)
    session.manager.run(session.module, workers_of(executor))

    seen = [
        (module.attributes["test.name"], module.attributes["test.seen"])
        for module in session.context.children(session.module)
    ]
    assert seen == [(StringAttr(name), StringAttr(name)) for name in names]


def test_the_calls_of_a_pass_in_a_worker_are_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    session = Session(CALLING)
    raising = Mischief(MischiefOptions(how="raise", to="f3"))
    session.manager.nest("func.func").add_pass(raising)
    with pytest.raises(PassFailure) as raised:
        session.manager.run(session.module, workers_of(partial(ProcessPool, 1)))

    options: Any = SimpleNamespace(
        color="never",
        diagnostics_format="text",
        crash_reproducer="",
        generate_reproducer="",
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
    subject = "`Mischief` on 'func.func' operation: @f3"
    message = f"Pipeline failed while executing [{subject}]: reproducer generated at"
    assert message in "".join(found["diagnostics"])  # type: ignore[arg-type]
    text = file.read_text()
    assert f'pipeline: "builtin.module({pipeline})"' in text
    session = Session(text)
    alone, *declarations = session.context.children(session.module)
    assert session.context.symbol_name(alone) == "f3"
    assert [session.context.symbol_name(each) for each in declarations] == ["f4"]
    session.context.verify(session.module)


def test_the_reproducer_of_a_lost_worker_has_resources(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "reproducer.mlir"
    begin = "func.func @f3(%a: i32) -> i32 {\n"
    constant = "  %w = arith.constant dense_resource<weights> : tensor<1xi32>\n"
    weights = 'weights: "0x0400000001000000"'
    text = CALLING.replace(begin, begin + constant)
    text += f"\n{{-# dialect_resources: {{ builtin: {{ {weights} }} }} #-}}"

    def configure(session: Session) -> None:
        enable_crash_reproducer_generation(session.manager, file)

    pool = partial(ProcessPool, 1)
    shown(capsys, pool, killing, text=text, configure=configure)
    assert weights in file.read_text()


def test_an_executor_that_was_given_and_breaks_fails_the_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        found = shown(capsys, pool, killing)
    assert "the executor is broken and was lost with item" in str(found["failure"])
