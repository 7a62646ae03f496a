"""The comparison of two runs: pairs of passes, and the differences between the runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import Any, TypeAlias

from passgen_tools.report.divergence import first_divergence, input_differences
from passgen_tools.report.pass_pairs import Pair, pass_pairs

_Data: TypeAlias = Mapping[str, Any]

_Counts: TypeAlias = defaultdict[int | None, Counter[tuple[str, ...]]]
"""Counts by pass, and by the columns that name what is counted."""


def comparison(data: _Data, num_runs: int) -> dict[str, Any]:
    """Return the differences of the first `num_runs` runs of `data` to the others."""
    old_runs = range(num_runs)
    new_runs = range(num_runs, len(data["runs"]))
    runs = list(zip_longest(old_runs, new_runs))
    inputs = [input_differences(data, pair) for pair in runs]
    differences = _PassDifferences(data)
    passes: list[dict[str, Any]] = []
    for pair in runs:
        passes += map(differences.row, pass_pairs(data["passes"], pair))
    return {
        "runs": runs,
        "passes": passes,
        "inputsDiffer": any(inputs),
        "firstDivergence": first_divergence(data, runs, inputs, passes),
    }


class _PassDifferences:
    """The differences between passes of two runs."""

    def __init__(self, data: _Data) -> None:
        """Group the rows of `data` by pass."""
        self._operations = data["operations"]
        self._executions = data["executions"]
        self._status = dict(data["unsuccessful"])
        """The status of each execution that did not succeed."""

        self._times_s = defaultdict[int | None, list[float]](list)
        """The times of the executions of each pass."""

        self._by_path = defaultdict[int | None, dict[str, list[int]]](dict)
        """The executions of each pass, by the paths of their operations."""

        self._group_executions()
        self._statistics = self._sums(data["statistics"])
        self._diagnostics = self._num_messages(
            data["diagnostics"], "severity", "message"
        )
        self._remarks = self._num_messages(data["remarks"], "kind", "name")

    def row(self, passes: Pair) -> dict[str, Any]:
        """Return the row of a pair of passes."""
        return {
            "passes": passes,
            "timeS": [self._time_s(pass_) for pass_ in passes],
            "executions": self._different_executions(passes),
            "statistics": _different_counts(self._statistics, passes),
            "diagnostics": _different_counts(self._diagnostics, passes),
            "remarks": _different_counts(self._remarks, passes),
        }

    def _group_executions(self) -> None:
        """Group the executions by pass."""
        columns = self._executions
        rows = zip(columns["pass"], columns["operation"], columns["timeS"], strict=True)
        for execution, (pass_, operation, time_s) in enumerate(rows):
            path = self._operations[operation]["path"]
            self._by_path[pass_].setdefault(path, []).append(execution)
            if time_s is not None:
                self._times_s[pass_].append(time_s)

    def _sums(self, statistics: Iterable[tuple[int, str, int]]) -> _Counts:
        """Return the sum of each statistic over the executions of a pass."""
        sums: _Counts = defaultdict(Counter)
        for execution, name, value in statistics:
            pass_ = self._executions["pass"][execution]
            names = (name,)
            sums[pass_][names] += value
        return sums

    def _num_messages(self, messages: Iterable[_Data], *columns: str) -> _Counts:
        """Return the number of messages of each pass, by the texts in `columns`."""
        counts: _Counts = defaultdict(Counter)
        for message in messages:
            execution = message["execution"]
            if execution is not None:
                pass_ = self._executions["pass"][execution]
                counts[pass_][tuple(message[column] for column in columns)] += 1
        return counts

    def _time_s(self, pass_: int | None) -> float | None:
        """Return the time of all executions of a pass, if it is known."""
        times_s = self._times_s[pass_]
        return round(sum(times_s), 7) if times_s else None

    def _different_executions(self, passes: Pair) -> list[Pair]:
        """Return the pairs of executions on operations with equal paths that differ."""
        old_pass, new_pass = passes
        old_by_path = self._by_path[old_pass]
        new_by_path = self._by_path[new_pass]
        different: list[Pair] = []
        for path in {**old_by_path, **new_by_path}:
            pairs = zip_longest(old_by_path.get(path, ()), new_by_path.get(path, ()))
            different += [pair for pair in pairs if self._differ(pair)]
        return different

    def _differ(self, executions: Pair) -> bool:
        """Return whether the results differ, or only one run has changed something."""
        old, new = executions
        if old is None:
            return self._has_changed(new)
        if new is None:
            return self._has_changed(old)
        after = self._executions["after"]
        is_same_ir = after[old] == after[new]
        return not is_same_ir or self._status.get(old) != self._status.get(new)

    def _has_changed(self, execution: int | None) -> bool:
        """Return whether an execution is known to have changed its operation."""
        before = self._executions["before"][execution]
        after = self._executions["after"][execution]
        if before is None or after is None:
            return False
        is_changed: bool = before != after
        return is_changed


def _different_counts(counts: _Counts, passes: Pair) -> list[tuple[object, ...]]:
    """Return the counts of two passes that differ: names, old count, new count."""
    old_pass, new_pass = passes
    old, new = counts[old_pass], counts[new_pass]
    return [
        (*names, old[names], new[names])
        for names in sorted(old.keys() | new.keys())
        if old[names] != new[names]
    ]
