"""`--jobs`, `--executor` and `--job-timeout` of the driver."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from passgen_runtime import PassRegistry
from passgen_tools.opt.main import main
from passgen_tools.record import RunRecord
from passgen_tools.report import html_page, report_data
from passgen_tools.workers.batch import JOBS_VARIABLE
from tests.tools.workers.passes_for_workers import Busy, Mischief, Work
from tests.tools.workers.running import CALLING, NUM_FUNCTIONS


@pytest.fixture
def opt(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs the driver on functions; it returns all it shows."""
    monkeypatch.delenv(JOBS_VARIABLE, raising=False)
    (tmp_path / "input.mlir").write_text(CALLING)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        registry = PassRegistry()
        for pass_class in (Work, Mischief, Busy):
            registry.register_pass(pass_class)
        code = main(["input.mlir", *arguments], registry=registry)
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


Opt = Callable[..., tuple[int, str, str]]


def test_few_operations_stay_here_and_timing_says_why(opt: Opt) -> None:
    pipeline = "--pass-pipeline=builtin.module(func.func(test-work))"
    code, _, errors = opt(pipeline, "--jobs=2", "--mlir-timing")
    assert code == 1  # of the pass
    assert "  Workers: func.func(test-work): kept in the parent process: " in errors


def test_without_timing_the_output_is_that_of_one_process(opt: Opt) -> None:
    pipeline = "--pass-pipeline=builtin.module(func.func(test-work))"
    assert opt(pipeline, "--jobs=2") == opt(pipeline)


@pytest.mark.slow
@pytest.mark.process
def test_a_run_that_must_not_leave_the_process_says_so(opt: Opt) -> None:
    pipeline = "--pass-pipeline=builtin.module(func.func(test-busy{us=1}))"
    _, _, errors = opt(pipeline, "--jobs=2", "--audit")
    assert "remark: all ran in this process: " in errors


@pytest.mark.process
@pytest.mark.slow
def test_a_run_with_workers_is_recorded_and_reported(opt: Opt, tmp_path: Path) -> None:
    pipeline = "--pass-pipeline=builtin.module(func.func(test-busy{us=1}))"
    files = ("--record=run.db", "--report=run.html")
    code, _, errors = opt(
        pipeline, *files, "--jobs=2", "--jobs-always", "--mlir-timing"
    )

    assert code == 0
    assert "all ran in this process" not in errors
    assert "  Workers: worker " in errors
    executions = RunRecord(tmp_path / "run.db").executions
    assert [each.operation for each in executions] == [
        f"@f{i}" for i in range(NUM_FUNCTIONS)
    ]
    assert all(each.has_changed for each in executions)
    page = html_page(report_data(tmp_path / "run.db"), "run")
    assert (tmp_path / "run.html").read_text() == page


def test_the_environment_bounds_the_jobs(
    opt: Opt, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(JOBS_VARIABLE, "1")
    pipeline = "--pass-pipeline=builtin.module(func.func(test-busy))"
    _, _, errors = opt(pipeline, "--jobs=64", "--mlir-timing")
    assert "Workers:" not in errors
    monkeypatch.setenv(JOBS_VARIABLE, "many")
    code, _, errors = opt(pipeline, "--jobs=64")
    assert code == 1
    assert "must be 1 or more, and is 'many'" in errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--jobs=2", "--contain"], "--contain option: workers contain the passes"),
        (["--executor=ray:local", "--timeout=1"], "for the --timeout option"),
        (
            ["--jobs=2", "--executor=ray:local"],
            "--jobs starts processes on this machine",
        ),
        (["--job-timeout=1"], "it needs --jobs"),
        (["--jobs-always"], "it needs --jobs"),
    ],
)
def test_flags_that_contradict_one_another_are_refused(
    arguments: list[str], message: str, opt: Opt
) -> None:
    code, _, errors = opt(*arguments)
    assert code == 2
    assert message in errors


def test_an_unknown_cluster_is_refused(opt: Opt) -> None:
    pipeline = "--pass-pipeline=builtin.module(func.func(test-busy))"
    code, _, errors = opt(pipeline, "--executor=dusk:tcp://host:1")
    assert code == 1
    assert "did you mean 'dask:tcp://host:1'?" in errors
