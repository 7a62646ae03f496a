"""The steps of a record, and the module after each of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.builtin import StringAttr

from passgen_runtime import PassManager
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.record import (
    RecordedSteps,
    RecordError,
    RunRecord,
    begin_record,
    record,
    record_dumps,
    replace_states,
)
from tests.recording import Running, step

SOURCE = """
builtin.module @inner {
  func.func @f() { return }
  func.func @g() { return }
}
func.func @h() { return }
"""


def mark(pass_: Running) -> None:
    """Note in an operation which passes ran on it."""
    before = pass_.operation.attributes.get("by")
    names = f"{before.data}," if before is not None else ""
    pass_.operation.attributes["by"] = StringAttr(names + pass_.name)


def marks(text: str) -> list[str]:
    """Return the names of passes in a module, in the order of the operations."""
    return [line.split('"')[1] for line in text.splitlines() if "by =" in line]


@pytest.fixture
def steps(tmp_path: Path) -> RecordedSteps:
    """Return the steps of passes that are nested in one another."""
    context = XDSLContext()
    module = context.parse(SOURCE, "input.mlir")
    manager = PassManager(context)
    nested = manager.nest("builtin.module")
    functions = nested.nest("func.func")
    functions.add_pass(step("a", do=mark, argument="a"))
    functions.add_pass(step("b", do=mark, argument="b"))
    nested.add_pass(step("c", do=mark, argument="c"))
    manager.nest("func.func").add_pass(step("a", do=mark, argument="a"))
    with record(manager, tmp_path / "run.db"):
        manager.run(module)
    return RecordedSteps(RunRecord(tmp_path / "run.db"))


def test_steps_are_in_the_order_of_the_pipeline(steps: RecordedSteps) -> None:
    assert [step.name for step in steps.steps] == ["a#1", "b#1", "c#1", "a#2"]


def test_the_module_after_a_step_has_all_operations_from_after_it(
    steps: RecordedSteps,
) -> None:
    texts = [steps.text(steps.states_after(number)) for number in range(5)]

    assert marks(texts[0]) == []
    assert marks(texts[1]) == ["a", "a"]
    assert marks(texts[2]) == ["a,b", "a,b"]
    assert sorted(marks(texts[4])) == ["a", "a,b", "a,b", "c"]


def test_the_modules_are_valid(steps: RecordedSteps) -> None:
    context = XDSLContext()
    for number in range(5):
        text = steps.text(steps.states_after(number))
        context.verify(context.parse(text, "step.mlir"))


def test_states_inside_an_operation_go_with_its_state(steps: RecordedSteps) -> None:
    before, after = steps.states_after(2), steps.states_after(3)

    assert set(before) == {"builtin.module", "@inner/@f", "@inner/@g"}
    assert set(after) == {"builtin.module", "@inner"}
    assert replace_states(before, {"@inner": after["@inner"]}) == after


@pytest.mark.parametrize("name", ["b", "b#1", "2"])
def test_a_step_is_named_by_its_pass_or_its_number(
    name: str, steps: RecordedSteps
) -> None:
    assert steps.find(name).path.endswith("/b[1]")


def test_a_step_that_does_not_exist_is_an_error_with_the_nearest_one(
    steps: RecordedSteps,
) -> None:
    with pytest.raises(RecordError, match=r"no step 'b#2'\nnote: did you mean 'b#1'"):
        steps.find("b#2")


def test_a_log_without_the_ir_before_the_first_pass_has_no_input(
    tmp_path: Path,
) -> None:
    log = b"""\
// -----// IR Dump After CSE (cse) //----- //
func.func @f() {
  return
}

// -----// IR Dump After SymbolDCE (symbol-dce) //----- //
module {
  func.func @f() {
    return
  }
}


"""
    record_dumps(log.splitlines(keepends=True), tmp_path / "log.db")
    steps = RecordedSteps(RunRecord(tmp_path / "log.db"))

    with pytest.raises(RecordError, match="does not show the IR of"):
        steps.states_after(0)
    assert steps.text(steps.states_after(2)).startswith("module {\n  func.func @f()")


def test_one_of_several_runs_must_be_named(tmp_path: Path) -> None:
    context = XDSLContext()
    manager = PassManager(context)
    manager.add_pass(step("a", argument="a"))
    with record(manager, tmp_path / "run.db"):
        manager.run(context.parse(SOURCE, "input.mlir"))
        manager.run(context.parse(SOURCE, "input.mlir"))

    with pytest.raises(RecordError, match=r"has 2 runs, expected one, e\.g\. --run=1"):
        RecordedSteps(RunRecord(tmp_path / "run.db"))
    with pytest.raises(RecordError, match="has no run 3, expected one of 1, 2"):
        RecordedSteps(RunRecord(tmp_path / "run.db"), 3)
    assert len(RecordedSteps(RunRecord(tmp_path / "run.db"), 2).steps) == 1


@pytest.mark.parametrize("run_id", [None, 1])
def test_a_record_that_ended_before_its_first_run_says_so(
    tmp_path: Path, run_id: int | None
) -> None:
    begin_record(tmp_path / "run.db")

    with pytest.raises(RecordError, match="has no run: its process ended before"):
        RecordedSteps(RunRecord(tmp_path / "run.db"), run_id)
