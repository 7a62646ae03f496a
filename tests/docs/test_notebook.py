"""The notebook of the documentation, executed as a reader would, and its outputs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "docs/how-to/notebook.ipynb"

pytestmark = [pytest.mark.process, pytest.mark.slow]


def read() -> Any:  # noqa: ANN401 - a NotebookNode, whose attributes are its keys
    return nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]


@pytest.fixture(scope="module")
def outputs() -> list[Any]:
    """The outputs of each cell of code."""
    notebook = read()
    path = os.pathsep.join((str(ROOT), str(ROOT / "runtime")))
    environment = {**os.environ, "PYTHONPATH": path}
    NotebookClient(notebook, timeout=300).execute(env=environment)
    return [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]


def shown(outputs: list[Any]) -> str:
    return "".join(
        output.get("text") or output.data["text/plain"] for output in outputs
    )


def test_it_is_committed_without_outputs() -> None:
    assert [cell for cell in read().cells if cell.get("outputs")] == []


def test_the_pipeline_is_drawn(outputs: list[Any]) -> None:
    (drawn,) = outputs[1]

    assert drawn.data["text/html"].count("<div style=") == 5
    assert "double-to-shift" in drawn.data["text/html"]


def test_the_first_version_reports(outputs: list[Any]) -> None:
    assert shown(outputs[2]) == (
        "twice.mlir:3:8: remark: this adds a value to itself\n"
        "twice.mlir:4:8: remark: this adds a value to itself\n"
    )


def test_the_version_that_was_defined_again_rewrites(outputs: list[Any]) -> None:
    assert shown(outputs[3]).count("arith.shli") == 2
    assert "remark" not in shown(outputs[3])


def test_the_run_is_timed_and_looked_at(outputs: list[Any]) -> None:
    timed, counted, printed, *_ = outputs[4:]

    assert "... Execution time report ..." in shown(timed)
    assert "'DoubleToShift': '" in shown(timed)
    assert "'DoubleToShift': {'num-shifts': 4}" in shown(counted)
    assert "IR Dump After DoubleToShift (double-to-shift)" in shown(printed)


def test_the_report_is_shown_in_a_frame_and_is_data(outputs: list[Any]) -> None:
    (shown_as,), data = outputs[-4:-2]

    assert shown_as.data["text/html"].startswith("<iframe sandbox=")
    assert "2 of 3 executions changed" in shown_as.data["text/plain"]
    assert "[('double-to-shift', '@twice'), ('cse', '@twice')]" in shown(data)
    assert "'builtin.module/func.func[0]/double-to-shift[0]': {'num-shifts': 2}" in (
        shown(data)
    )


def test_a_pass_that_a_cell_declares_runs_in_the_next_one(outputs: list[Any]) -> None:
    declared, (result,) = outputs[-2:]

    assert shown(declared) == "sum-of-two: registered\n"
    assert "arith.addi %x, %x" in result.data["text/plain"]
    assert '<div class="added">' in result.data["text/html"]
