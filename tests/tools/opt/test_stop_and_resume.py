"""Flags of the driver that run a part of a pipeline, or go on with a recorded run."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from passgen_tools.opt import main

SOURCE = """\
func.func @f(%x: i32) -> i32 {
  %c = arith.constant 2 : i32
  %0 = arith.muli %x, %c : i32
  %1 = arith.muli %x, %c : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
func.func private @unused() -> i32
"""
PIPELINE = "builtin.module(func.func(cse,arith-strength-reduction,cse),symbol-dce)"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """Return a function that runs the driver, by default on the input and pipeline."""
    monkeypatch.chdir(tmp_path)
    Path("input.mlir").write_text(SOURCE)

    def run(*flags: str, input_: str = "input.mlir") -> tuple[int, str, str]:
        arguments = [input_, f"--pass-pipeline={PIPELINE}"] if input_ else []
        code = main([*arguments, *flags])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def counts(text: str) -> tuple[int, int, int]:
    """Return the number of multiplications, additions and functions."""
    return text.count("muli"), text.count("addi"), text.count("func.func ")


def test_no_pass_runs_after_the_one_to_stop_after(run: Run) -> None:
    assert counts(run("--stop-after=cse")[1]) == (1, 1, 2)
    assert counts(run("--stop-after=arith-strength-reduction")[1]) == (0, 2, 2)
    assert counts(run("--stop-after=cse#2")[1]) == (0, 2, 2)
    assert counts(run()[1]) == (0, 2, 1)


def test_no_pass_runs_before_the_one_to_start_after(run: Run) -> None:
    assert counts(run("--start-after=cse")[1]) == (0, 2, 1)
    assert counts(run("--start-after=arith-strength-reduction")[1]) == (1, 1, 1)
    assert counts(run("--start-after=cse#2")[1]) == (2, 1, 1)
    assert counts(run("--start-after=cse", "--stop-after=cse#2")[1]) == (0, 2, 2)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--stop-after=cs"], "--stop-after option: the pipeline has no pass 'cs'"),
        (["--stop-after=cse#3"], "did you mean 'cse#2'?"),
        (
            ["--start-after=cse#2", "--stop-after=cse"],
            "it is before --start-after=cse#2",
        ),
        (["--start-from=run.db"], "expected RECORD:STEP"),
        (["--start-from=no.db:cse"], "it has an input"),
        (["--opt-bisect-limit=few"], "'few' is no number and no interval"),
        (["--opt-bisect-limit=1,5-2"], "an interval of '1,5-2' ends before it begins"),
        (["--edit-ir-after=cse"], "set $EDITOR"),
    ],
)
def test_wrong_values_are_refused(
    flags: list[str], message: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)

    code, out, err = run(*flags)

    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize("step", ["0", "cse", "arith-strength-reduction", "cse#2", "4"])
def test_a_run_goes_on_from_any_step_of_a_record(step: str, run: Run) -> None:
    _, whole, _ = run("--record=run.db")

    assert run(f"--start-from=run.db:{step}", input_="") == (0, whole, "")


def test_the_steps_of_a_record_can_be_stopped_at(run: Run) -> None:
    run("--record=run.db")
    _, expected, _ = run("--stop-after=arith-strength-reduction")

    flags = "--start-from=run.db:1", "--stop-after=arith-strength-reduction"
    assert run(*flags, input_="") == (0, expected, "")


def test_other_passes_may_run_on_the_ir_of_a_record(run: Run) -> None:
    run("--record=run.db")

    _, out, _ = run("--start-from=run.db:0", "--symbol-dce", input_="")
    assert counts(out) == (2, 1, 1)


def forget_executions(path: str, after: int) -> None:
    """Make a record that of a run that was killed after some executions."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM statistic WHERE execution_id > ?", (after,))
        connection.execute("DELETE FROM execution WHERE id > ?", (after,))
        connection.execute("UPDATE run SET status = 'running', after_id = NULL")


@pytest.mark.parametrize("num_executions", range(1, 8))
def test_a_killed_run_goes_on_without_the_passes_that_have_succeeded(
    num_executions: int, run: Run
) -> None:
    _, whole, _ = run("--record=run.db")
    forget_executions("run.db", num_executions)

    code, out, err = run("--resume=run.db", "--opt-bisect-limit=-1")

    assert (code, out) == (0, whole)
    assert err.count("BISECT: running") == 7 - num_executions


def test_a_run_that_is_another_one_is_not_resumed(run: Run) -> None:
    run("--record=run.db")
    Path("other.mlir").write_text(SOURCE.replace("2", "4"))

    code, _, err = run("--resume=run.db", "--stop-after=cse", input_="other.mlir")

    assert code == 2
    assert "this is not the recorded run; different: the input, the pipeline" in err


def test_the_pipeline_of_a_record_is_not_trusted(run: Run) -> None:
    run("--record=run.db")
    pipeline = "builtin.module(mlir-opt{executable=touch})"
    with closing(sqlite3.connect("run.db")) as connection, connection:
        connection.execute("UPDATE run SET pipeline = ?", (pipeline,))

    code, out, err = run("--start-from=run.db:0", input_="")

    assert (code, out) == (1, "")
    assert "--trust-reproducer lets the passes of a reproducer do that" in err


@pytest.mark.parametrize(
    ("editor", "code", "message"),
    [
        ("'vi", 2, "the editor ''vi' is no command: No closing quotation"),
        (" ", 2, "set $EDITOR"),
        ("no-such-editor", 1, "error: the editor has failed: "),
        ("rm", 1, "error: the editor has failed: "),
        (r"sh -c 'printf \\377 > $0'", 1, "error: the editor has failed: "),
    ],
)
@pytest.mark.process
def test_an_editor_that_fails_is_reported(
    editor: str, code: int, message: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VISUAL", editor)

    ended, out, err = run("--edit-ir-after=cse")

    assert (ended, out) == (code, "")
    assert message in err
    assert "bug" not in err


@pytest.mark.process
def test_the_ir_after_a_pass_is_edited(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "sed -i s/muli/subi/")

    code, out, err = run("--edit-ir-after=cse", "--mlir-pass-statistics")

    assert code == 0
    assert "arith.subi" in out
    assert counts(out) == (0, 1, 1)
    assert err.count("\n  CSE\n") == 2  # the report has the passes before and after it


@pytest.mark.process
def test_edited_ir_that_is_not_valid_is_edited_again_or_given_up(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i s/arith.mul/arith.bar/ $1\n")
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    answers = tmp_path / "answers"
    answers.write_text("y\n")

    with answers.open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        code, out, err = run("--edit-ir-after=cse")

    assert (code, out) == (1, "")
    assert err.count("edit.mlir:4:10: error: Operation arith.bari is not regist") == 2
    assert err.endswith("error: the edited IR is not valid\n")


@pytest.mark.parametrize("reads", ["--resume=run.db", "--start-from=./run.db:1"])
@pytest.mark.parametrize(
    "writes",
    [
        "-o",
        "--info-output-file",
        "--log-actions-to",
        "--mlir-generate-reproducer",
        "--mlir-pass-pipeline-crash-reproducer",
        "--profile-actions-to",
        "--record",
        "--remarks-output-file",
        "--report",
        "--trace",
    ],
)
def test_the_record_that_is_read_is_not_written(
    reads: str, writes: str, run: Run
) -> None:
    run("--record=run.db")
    Path("link.json").hardlink_to("run.db")
    before = Path("run.db").read_bytes()
    flag = [writes, "link.json"] if writes == "-o" else [f"{writes}=link.json"]

    code, out, err = run(reads, *flag, input_="" if "start" in reads else "input.mlir")

    assert (code, out) == (1, "")
    assert "'link.json' would overwrite the record that --" in err
    assert Path("run.db").read_bytes() == before
