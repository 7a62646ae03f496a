"""The comparison of two runs: pairs of passes, and the differences between the runs."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import Any, TypeAlias

from passgen_tools.ir_diff import align_by_least_edits
from passgen_tools.record import inner_path, is_outermost

_Pair: TypeAlias = tuple[int | None, int | None]
"""Places in a list of the data: of run A, and of run B."""

_Data: TypeAlias = Mapping[str, Any]

_Counts: TypeAlias = defaultdict[int | None, Counter[tuple[str, ...]]]
"""Counts by pass and name."""


def comparison(data: _Data, num_runs: int) -> dict[str, Any]:
    """Return the differences of the first `num_runs` runs of `data` to the others."""
    runs = list(zip_longest(range(num_runs), range(num_runs, len(data["runs"]))))
    rows = _Rows(data)
    passes = [rows.row(pair) for run in runs for pair in _aligned_passes(data, run)]
    inputs = [_input_differences(data, run) for run in runs]
    return {
        "runs": runs,
        "passes": passes,
        "inputsDiffer": any(inputs),
        "firstDivergence": _first_divergence(data, runs, inputs, passes),
    }


# Pairs of passes.


def _aligned_passes(data: _Data, runs: _Pair) -> Iterator[_Pair]:
    """Yield the passes of two runs, in an order that suits both."""
    old, new = (
        [place for place, row in enumerate(data["passes"]) if row["run"] == run]
        for run in runs
    )

    def key(place: int) -> str:
        """Return a pass with its options, and the anchors around it."""
        pass_ = data["passes"][place]
        return f"{_anchors(pass_['path'])}/{pass_['text']}"

    def loose_key(place: int) -> str:
        pass_ = data["passes"][place]
        return f"{_anchors(pass_['path'])}/{pass_['argument'] or pass_['name']}"

    for some_old, some_new, pair in _align(old, new, key):
        # Passes with other options.
        for olds, news, like in _align(some_old, some_new, loose_key):
            yield from ((place, None) for place in olds)
            yield from ((None, place) for place in news)
            yield from like
        yield from pair


def _align(
    old: Sequence[int], new: Sequence[int], key: Callable[[int], str]
) -> Iterator[tuple[Sequence[int], Sequence[int], Sequence[_Pair]]]:
    """Yield the elements of one sequence alone, with the equal pair behind them."""
    ends = len(old), len(new)
    pairs = align_by_least_edits(list(map(key, old)), list(map(key, new)))
    for (i, j), (next_i, next_j) in pairwise([(-1, -1), *pairs, ends]):
        pair = [] if (next_i, next_j) == ends else [(old[next_i], new[next_j])]
        yield old[i + 1 : next_i], new[j + 1 : next_j], pair


def _anchors(path: str) -> str:
    """Return the path around a pass, without the numbers that insertions change."""
    return re.sub(r"\[\d+\]", "", path.rpartition("/")[0])


# Differences.


class _Rows:
    """Makes a row for each pair of passes."""

    def __init__(self, data: _Data) -> None:
        self._executions = executions = data["executions"]
        self._status = dict(data["unsuccessful"])
        self._times: defaultdict[int | None, list[float]] = defaultdict(list)
        self._calls: defaultdict[int | None, dict[str, list[int]]] = defaultdict(dict)
        """The executions of each pass by the paths of their operations."""

        self._statistics: _Counts = defaultdict(Counter)
        self._remarks: _Counts = defaultdict(Counter)
        self._diagnostics: _Counts = defaultdict(Counter)
        pass_of = executions["pass"]
        for execution, pass_ in enumerate(pass_of):
            path = data["operations"][executions["operation"][execution]]["path"]
            self._calls[pass_].setdefault(path, []).append(execution)
            time_s = executions["timeS"][execution]
            if time_s is not None:
                self._times[pass_].append(time_s)
        for execution, name, value in data["statistics"]:
            self._statistics[pass_of[execution]][name,] += value
        for diagnostic in data["diagnostics"]:
            if diagnostic["execution"] is not None:
                key = diagnostic["severity"], diagnostic["message"]
                self._diagnostics[pass_of[diagnostic["execution"]]][key] += 1
        for remark in data["remarks"]:
            if remark["execution"] is not None:
                key = remark["kind"], remark["name"]
                self._remarks[pass_of[remark["execution"]]][key] += 1

    def row(self, passes: _Pair) -> dict[str, Any]:
        """Return the row of a pair of passes."""
        old, new = (self._calls[pass_] for pass_ in passes)
        pairs = (
            pair
            for path in {**old, **new}
            for pair in zip_longest(old.get(path, ()), new.get(path, ()))
        )
        times = (self._times[pass_] for pass_ in passes)
        return {
            "passes": passes,
            "timeS": [round(sum(known), 7) if known else None for known in times],
            "executions": [pair for pair in pairs if self._differs(*pair)],
            "statistics": _different_counts(self._statistics, passes),
            "diagnostics": _different_counts(self._diagnostics, passes),
            "remarks": _different_counts(self._remarks, passes),
        }

    def _differs(self, old: int | None, new: int | None) -> bool:
        """Return whether the results differ, or only one run has changed something."""
        executions = self._executions
        if old is not None and new is not None:
            is_same = executions["after"][old] == executions["after"][new]
            return not is_same or self._status.get(old) != self._status.get(new)
        only = old if new is None else new
        states = executions["before"][only], executions["after"][only]
        return None not in states and states[0] != states[1]


def _different_counts(counts: _Counts, passes: _Pair) -> list[tuple[object, ...]]:
    """Return the counts of two passes that differ, each with its name."""
    old, new = (counts[pass_] for pass_ in passes)
    names = sorted(old.keys() | new.keys())
    return [(*name, old[name], new[name]) for name in names if old[name] != new[name]]


# The first divergence.


def _first_divergence(
    data: _Data,
    runs: Sequence[_Pair],
    inputs: Sequence[Mapping[str, _Pair]],
    rows: Sequence[_Data],
) -> dict[str, Any] | None:
    """Return the first pass and operation with an own difference; else that of inputs.

    A difference is the pass's own if both runs gave it the same IR, or if only one run
    has the pass, and the input of the runs did not differ there.
    """
    executions, operations = data["executions"], data["operations"]
    before, after = executions["before"], executions["after"]
    pairs = zip(runs, inputs, strict=True)
    input_by_run = {run: paths for pair, paths in pairs for run in pair}
    for place, row in enumerate(rows):
        for old, new in row["executions"]:
            known = new if old is None else old
            path = operations[executions["operation"][known]]["path"]
            if old is None or new is None:
                # It is a difference to the IR that the other run went on with.
                states = before[known], after[known]
                pair = states if old is None else states[::-1]
                run = data["passes"][executions["pass"][known]]["run"]
                is_own = path not in input_by_run[run]
            else:
                pair = after[old], after[new]
                is_own = before[old] is not None and before[old] == before[new]
            if is_own:
                return {
                    "pass": place,
                    "operation": path,
                    "executions": (old, new),
                    "ir": pair,
                }
    for paths in inputs:
        for path, ir in paths.items():
            # Of an operation and one inside, the inner one tells more.
            if not any(other != path and _is_inside(other, path) for other in paths):
                return {"pass": None, "operation": path, "executions": None, "ir": ir}
    return None


def _input_differences(data: _Data, runs: _Pair) -> dict[str, _Pair]:
    """Return the operations whose IR before the first pass differs, by path."""
    old, new = ({} if run is None else _input(data, run) for run in runs)
    return {
        path: (old.get(path), new.get(path))
        for path in {**old, **new}
        if old.get(path) != new.get(path)
    }


def _input(data: _Data, run: int) -> dict[str, int]:
    """Return the texts of a run's input by the path of their operation."""
    path, place = (data["runs"][run][key] for key in ("operation", "before"))
    return {} if None in {path, place} else _parts(data, path, place)


def _parts(data: _Data, path: str, place: int) -> dict[str, int]:
    parts = {path: place}
    for name, child in data["ir"][place]["children"]:
        parts |= _parts(data, inner_path(path, name), child)
    return parts


def _is_inside(path: str, around: str) -> bool:
    return is_outermost(around) or path.startswith(f"{around}/")
