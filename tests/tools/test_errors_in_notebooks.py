"""Errors as IPython shows them in a cell."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from IPython.core.interactiveshell import InteractiveShell

from passgen_runtime import OperationPass, PassOptions
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes.affine.loop_unroll import AffineLoopUnroll
from passgen_tools import run

UNKNOWN = "'cze' does not refer to a registered pass or pass pipeline"
FUNCTION = "func.func @f() { return }"


class Raise(OperationPass[PassOptions]):
    def run_on_operation(self) -> None:
        raise ValueError("no such loop")


class ParseBadly(OperationPass[PassOptions]):
    def run_on_operation(self) -> None:
        XDSLContext().parse("func.func", "inner.mlir")


def shown(cell: Callable[[], object], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return the lines that IPython shows of the error of a cell."""
    shell = InteractiveShell()  # type: ignore[no-untyped-call]
    shell.run_line_magic("colors", "nocolor")
    try:
        cell()
    except Exception:  # noqa: BLE001 - as IPython does
        shell.showtraceback()
    return capsys.readouterr().out.splitlines()


def test_a_typo_in_a_pipeline_shows_the_place_and_no_frame(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert shown(lambda: run("func.func(cze)", FUNCTION), capsys) == [
        f"pass-pipeline:1:11: error: {UNKNOWN}",
        "func.func(cze)",
        "          ^~~",
        "note: did you mean 'dce'?",
    ]


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        (lambda: run("cse{x=1}", FUNCTION), "pass-pipeline:1:5: error: "),
        (lambda: run("cse(", FUNCTION), "pass-pipeline:1:5: error: "),
        (
            lambda: AffineLoopUnroll(unroll_factor="x"),
            "for the --unroll-factor option: ",
        ),
        (lambda: run("cse", "func.func"), "input:1:10: error: "),
    ],
)
def test_an_error_that_says_its_place_shows_no_frame(
    cell: Callable[[], object], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first, *others = shown(cell, capsys)

    assert first.startswith(line)
    assert not [other for other in others if "File" in other or "---" in other]


@pytest.mark.parametrize("pass_", [Raise(), ParseBadly()])
def test_an_exception_of_a_pass_shows_its_frames(
    pass_: OperationPass[PassOptions], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = shown(lambda: run([pass_], FUNCTION), capsys)

    assert [line for line in lines if "run_on_operation" in line]
