"""Workers: what a run shows is what one thread shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

import pytest

from passgen_runtime import Pass
from passgen_runtime.instrumentations.crash_reproducer import (
    enable_crash_reproducer_generation,
)
from passgen_runtime.instrumentations.ir_printing import (
    IRPrintingConfig,
    enable_ir_printing,
    every_pass,
    passes_called,
)
from passgen_runtime.instrumentations.pass_timing import enable_timing
from passgen_runtime.instrumentations.timing_manager import Timer, TimingManager
from passgen_runtime.passes.canonicalize import Canonicalizer
from passgen_runtime.passes.cse import CSE
from passgen_tools.ir_diff import ir_diff
from passgen_tools.workers import ProcessPool
from tests.recording import Session
from tests.tools.workers.passes_for_workers import (
    Count,
    Mischief,
    MischiefOptions,
    Work,
)
from tests.tools.workers.running import CALLING, TREE, shown


@pytest.fixture(scope="module")
def threads() -> Iterator[Executor]:
    """Workers in this process: all that is sent is bytes there, too."""
    with ThreadPoolExecutor(1) as pool:
        yield pool


def mischief(how: str) -> Callable[[], Sequence[Pass]]:
    return lambda: [Count(), Mischief(MischiefOptions(how=how, to="f3")), Count()]


@pytest.mark.parametrize("text", [CALLING, TREE], ids=["flat", "nested"])
@pytest.mark.parametrize("verify_each", [False, True])
def test_workers_show_what_one_thread_shows(
    text: str,
    verify_each: bool,  # noqa: FBT001 - a parameter of the test
    threads: Executor,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def run(executor: Executor | None) -> dict[str, object]:
        passes: list[Pass] = [Work(), CSE(), Canonicalizer()]
        return shown(
            capsys, executor, lambda: passes, text=text, verify_each=verify_each
        )

    assert run(threads) == run(None)


@pytest.mark.parametrize("how", ["raise", "raise-mute", "exit", "interrupt", "invalid"])
def test_failures_are_those_of_one_thread(
    how: str, threads: Executor, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = shown(capsys, None, mischief(how))
    found = shown(capsys, threads, mischief(how))
    assert found == alone
    assert alone["failure"] or alone["ended"]


@pytest.mark.parametrize("verify_each", [False, True])
def test_what_cannot_be_encoded_is_left_as_in_one_thread(
    verify_each: bool,  # noqa: FBT001 - a parameter of the test
    threads: Executor,
    capsys: pytest.CaptureFixture[str],
) -> None:
    alone = shown(capsys, None, mischief("leak"), verify_each=verify_each)
    found = shown(capsys, threads, mischief("leak"), verify_each=verify_each)
    assert found == alone
    assert bool(alone["failure"]) == verify_each


@pytest.mark.parametrize(
    "config",
    [
        IRPrintingConfig(before=every_pass, after=every_pass),
        IRPrintingConfig(after=passes_called("test-work"), pass_options=True),
        IRPrintingConfig(after=every_pass, after_only_on_change=True),
        IRPrintingConfig(after=every_pass, diff=ir_diff),
        IRPrintingConfig(after=every_pass, after_only_on_failure=True, generic=True),
    ],
)
def test_printed_ir_is_that_of_one_thread(
    config: IRPrintingConfig, threads: Executor, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(executor: Executor | None) -> dict[str, object]:
        return shown(
            capsys,
            executor,
            lambda: [Work(), CSE()],
            configure=lambda session: enable_ir_printing(session.manager, config),
        )

    alone = run(None)
    assert "IR D" in str(alone["printed"])
    assert run(threads) == alone


@pytest.mark.parametrize("how", ["raise", "invalid", "none"])
def test_crash_reproducers_are_those_of_one_thread(
    how: str, threads: Executor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "reproducer.mlir"

    def run(executor: Executor | None) -> tuple[dict[str, object], str]:
        def configure(session: Session) -> None:
            enable_crash_reproducer_generation(session.manager, file)

        found = shown(capsys, executor, mischief(how), configure=configure)
        text = file.read_text() if file.exists() else ""
        file.unlink(missing_ok=True)
        return found, text

    alone = run(None)
    assert bool(alone[1]) == (how != "none")
    assert run(threads) == alone


def test_times_are_those_of_the_same_passes(
    threads: Executor, capsys: pytest.CaptureFixture[str]
) -> None:
    def names(executor: Executor | None, text: str) -> object:
        timing = TimingManager()

        def configure(session: Session) -> None:
            enable_timing(session.manager, timing)

        shown(capsys, executor, lambda: [Work()], text=text, configure=configure)
        return tree(timing.root)

    for text in (CALLING, TREE):
        assert names(threads, text) == names(None, text)


def tree(timer: Timer) -> object:
    assert timer.record.wall_s > 0 or timer.name == "root"
    return timer.name, [tree(each) for each in timer.children.values()]


@pytest.mark.process
@pytest.mark.slow
def test_processes_show_what_one_thread_shows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pool = ProcessPool(2)
    try:
        for passes in (lambda: [Work(), CSE()], mischief("raise")):
            alone = shown(capsys, None, passes)
            assert shown(capsys, pool, passes) == alone
    finally:
        pool.kill()
