"""The first divergence: where two runs did something different for the first time.

A difference between two executions of a pass may only follow from an earlier one. It is
the pass's own if both runs gave the pass the same IR. If only one run has the pass, it
is its own if the inputs of the runs do not differ there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from passgen_tools.record import inner_path, is_outermost
from passgen_tools.report.pass_pairs import Pair

InputDifferences: TypeAlias = Mapping[str, Pair]
"""The operations on which two runs began with different IR: both texts, by path."""

_Data: TypeAlias = Mapping[str, Any]


def input_differences(data: _Data, runs: Pair) -> InputDifferences:
    """Return the operations whose IR before the first pass differs between two runs."""
    old_run, new_run = runs
    old = _input(data, old_run)
    new = _input(data, new_run)
    return {
        path: (old.get(path), new.get(path))
        for path in {**old, **new}
        if old.get(path) != new.get(path)
    }


def _input(data: _Data, run: int | None) -> dict[str, int]:
    """Return the texts that a run began with, by the paths of their operations."""
    if run is None:
        return {}
    row = data["runs"][run]
    path, text = row["operation"], row["before"]
    if path is None or text is None:
        return {}
    return _texts_inside(data["ir"], path, text)


def _texts_inside(ir: Sequence[_Data], path: str, text: int) -> dict[str, int]:
    """Return the text of the operation at `path`, and of the operations inside."""
    texts = {path: text}
    for name, inner_text in ir[text]["children"]:
        texts |= _texts_inside(ir, inner_path(path, name), inner_text)
    return texts


def first_divergence(
    data: _Data,
    runs: Sequence[Pair],
    inputs: Sequence[InputDifferences],
    passes: Sequence[_Data],
) -> dict[str, Any] | None:
    """Return the first own difference of a pass, or else that of the inputs.

    Args:
        data: the data of a report.
        runs: the pairs of runs.
        inputs: the differences between the inputs of each pair of runs.
        passes: the rows of the pairs of passes, with their different executions.
    """
    inputs_by_run: dict[int | None, InputDifferences] = {}
    for (old_run, new_run), differences in zip(runs, inputs, strict=True):
        inputs_by_run[old_run] = inputs_by_run[new_run] = differences
    for index, row in enumerate(passes):
        for executions in row["executions"]:
            path = _operation_path(data, executions)
            if _is_own(data, executions, path, inputs_by_run):
                return {
                    "pass": index,
                    "operation": path,
                    "executions": executions,
                    "ir": _different_ir(data["executions"], executions),
                }
    return _first_of_inputs(inputs)


def _operation_path(data: _Data, executions: Pair) -> str:
    """Return the path of the operation of a pair of executions."""
    operation = data["executions"]["operation"][_present_execution(executions)]
    path: str = data["operations"][operation]["path"]
    return path


def _is_own(
    data: _Data,
    executions: Pair,
    path: str,
    inputs_by_run: Mapping[int | None, InputDifferences],
) -> bool:
    """Return whether a difference between executions is the pass's own."""
    table = data["executions"]
    old, new = executions
    if old is None or new is None:
        pass_ = table["pass"][_present_execution(executions)]
        run = data["passes"][pass_]["run"]
        return path not in inputs_by_run[run]
    old_before, new_before = table["before"][old], table["before"][new]
    return old_before is not None and old_before == new_before


def _different_ir(table: _Data, executions: Pair) -> Pair:
    """Return the texts with which both runs went on after a pair of executions.

    A run without the execution went on with the IR that the other run began it with.
    """
    old, new = executions
    before, after = table["before"], table["after"]
    if old is None:
        return before[new], after[new]
    if new is None:
        return after[old], before[old]
    return after[old], after[new]


def _present_execution(executions: Pair) -> int:
    """Return the execution of run A, or that of run B if only that run has one."""
    old, new = executions
    known = new if old is None else old
    assert known is not None
    return known


def _first_of_inputs(inputs: Sequence[InputDifferences]) -> dict[str, Any] | None:
    """Return the first innermost operation of which the runs began with other IR."""
    for differences in inputs:
        for path, ir in differences.items():
            if not any(_is_inside(other, path) for other in differences):
                return {"pass": None, "operation": path, "executions": None, "ir": ir}
    return None


def _is_inside(path: str, around: str) -> bool:
    """Return whether the operation at `path` is inside the one at `around`."""
    if is_outermost(around):
        return path != around
    return path.startswith(f"{around}/")
