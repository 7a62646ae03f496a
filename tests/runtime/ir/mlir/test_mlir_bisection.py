"""MLIR's own passes, which cannot be changed: bisected, stopped, skipped and resumed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from passgen_runtime.ir.mlir import MLIRContext
from passgen_tools.bisect import bisect
from passgen_tools.opt import main
from tests.mlir_bindings_needed import require_bindings

SOURCE = """\
func.func @f(%x: i32) -> i32 {
  return %x : i32
}
func.func @g(%x: i32) -> i32 {
  %0 = arith.subi %x, %x : i32
  %1 = arith.addi %0, %x : i32
  return %1 : i32
}
"""
PIPELINE = "builtin.module(func.func(cse,canonicalize),convert-func-to-llvm)"

Run = Callable[..., str]


@pytest.fixture
def run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """Return a function that runs the driver, which must succeed, for its output."""
    require_bindings("mlir")
    monkeypatch.chdir(tmp_path)
    Path("input.mlir").write_text(SOURCE)

    def run(*flags: str, input_: str = "input.mlir") -> str:
        arguments = [input_, f"--pass-pipeline={PIPELINE}"] if input_ else []
        assert main([*arguments, "--ir=mlir", *flags]) == 0
        return capsys.readouterr().out

    return run


def is_valid(text: str) -> bool:
    MLIRContext().parse(text, "mixture.mlir")
    return True


def test_the_pass_and_the_operation_are_named_before_a_change_of_dialect(
    run: Run,
) -> None:
    run("--record=run.db")

    culprit = bisect(
        "run.db",
        lambda text: "func @g" in text and "sub" not in text,
        is_valid=is_valid,
    )

    assert culprit.part is not None
    assert (culprit.step.name, culprit.part.path) == ("canonicalize#1", "@g")


def test_a_lowering_of_a_whole_module_is_named(run: Run) -> None:
    run("--record=run.db")

    culprit = bisect("run.db", lambda text: "llvm.func" in text, is_valid=is_valid)

    assert culprit.step.name == "convert-func-to-llvm#1"


def test_runs_stop_skip_and_go_on(run: Run) -> None:
    whole = run("--record=run.db")

    assert "arith.subi" in run("--stop-after=cse")
    assert "arith.subi" in run("--opt-bisect-limit=3")
    assert run("--start-from=run.db:cse", input_="") == whole
    assert run("--resume=run.db") == whole
