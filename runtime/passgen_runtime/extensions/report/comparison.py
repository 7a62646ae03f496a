"""Two runs compared: which passes belong together, and where the runs differ."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, TypeAlias, TypeVar

from passgen_runtime.extensions.record import inner_path, is_outermost

_Pair: TypeAlias = tuple[int | None, int | None]
"""Places in a list of the data: of run A, and of run B."""

_Data: TypeAlias = Mapping[str, Any]

_Name = TypeVar("_Name", str, tuple[str, str])


def comparison(data: _Data, num_runs: int) -> dict[str, Any]:
    """Return the differences of the first `num_runs` runs of `data` to the others."""
    executions = data["executions"]
    of_pass: list[list[int]] = [[] for _ in data["passes"]]
    for place, pass_ in enumerate(executions["pass"]):
        of_pass[pass_].append(place)
    rows = _Rows(data, of_pass)
    runs = list(
        zip_longest(range(num_runs), range(num_runs, len(data["runs"])), fillvalue=None)
    )
    passes = [rows.row(pair) for run in runs for pair in _aligned_passes(data, run)]
    return {
        "runs": runs,
        "passes": passes,
        "firstDivergence": _first_divergence(data, runs, passes),
    }


# What belongs together.


def _aligned_passes(data: _Data, runs: _Pair) -> Iterator[_Pair]:
    """Yield the passes of two runs, in an order that suits both."""
    old, new = (
        [place for place, row in enumerate(data["passes"]) if row["run"] == run]
        for run in runs
    )

    def key(place: int) -> tuple[str, str]:
        """Return a pass with its options, and the anchors around it."""
        pass_ = data["passes"][place]
        return _anchors(pass_["path"]), pass_["text"]

    def loose_key(place: int) -> tuple[str, str]:
        pass_ = data["passes"][place]
        return _anchors(pass_["path"]), pass_["argument"] or pass_["name"]

    for is_same, some_old, some_new in _align(old, new, key):
        if is_same:
            yield from zip(some_old, some_new, strict=True)
            continue
        # Passes with other options.
        for is_alike, olds, news in _align(some_old, some_new, loose_key):
            if is_alike:
                yield from zip(olds, news, strict=True)
            else:
                yield from ((place, None) for place in olds)
                yield from ((None, place) for place in news)


def _align(
    old: Sequence[int], new: Sequence[int], key: Callable[[int], object]
) -> Iterator[tuple[bool, Sequence[int], Sequence[int]]]:
    """Yield stretches of both sequences, and whether these have the same keys."""
    matcher = SequenceMatcher(
        None,
        [key(pass_) for pass_ in old],
        [key(pass_) for pass_ in new],
        autojunk=False,
    )
    for tag, i, j, k, n in matcher.get_opcodes():
        yield tag == "equal", old[i:j], new[k:n]


def _anchors(path: str) -> str:
    """Return the path around a pass, without the numbers that insertions change."""
    return re.sub(r"\[\d+\]", "", path.rpartition("/")[0])


# What differs.


class _Rows:
    """Makes a row for each pair of passes."""

    def __init__(self, data: _Data, of_pass: Sequence[Sequence[int]]) -> None:
        self._data = data
        self._of_pass = of_pass
        self._executions = data["executions"]
        self._status = dict(data["unsuccessful"])
        self._statistics: dict[int | None, Counter[str]] = defaultdict(Counter)
        self._diagnostics: dict[int | None, Counter[tuple[str, str]]] = defaultdict(
            Counter
        )
        pass_of = self._executions["pass"]
        for execution, name, value in data["statistics"]:
            self._statistics[pass_of[execution]][name] += value
        for diagnostic in data["diagnostics"]:
            if diagnostic["execution"] is not None:
                key = diagnostic["severity"], diagnostic["message"]
                self._diagnostics[pass_of[diagnostic["execution"]]][key] += 1

    def row(self, passes: _Pair) -> dict[str, Any]:
        """Return the row of a pair of passes."""
        old, new = passes
        return {
            "passes": passes,
            "timeS": [self._time_s(pass_) for pass_ in passes],
            "executions": [
                pair for pair in self._pairs(passes) if self._differs(*pair)
            ],
            "statistics": _different_counts(
                self._statistics[old], self._statistics[new]
            ),
            "diagnostics": [
                (*name, *counts)
                for name, *counts in _different_counts(
                    self._diagnostics[old], self._diagnostics[new]
                )
            ],
        }

    def _time_s(self, pass_: int | None) -> float | None:
        if pass_ is None or not self._data["hasTimes"]:
            return None
        times = [
            self._executions["timeS"][execution] for execution in self._of_pass[pass_]
        ]
        known = [time_s for time_s in times if time_s is not None]
        return round(sum(known), 7) if known else None

    def _pairs(self, passes: _Pair) -> list[_Pair]:
        """Return the executions of two passes on operations with the same path."""
        sides: tuple[dict[str, list[int]], dict[str, list[int]]] = ({}, {})
        operation_of = self._executions["operation"]
        for side, pass_ in zip(sides, passes, strict=True):
            for execution in () if pass_ is None else self._of_pass[pass_]:
                path = self._data["operations"][operation_of[execution]]["path"]
                side.setdefault(path, []).append(execution)
        old, new = sides
        return [
            pair
            for path in {**old, **new}
            for pair in zip_longest(old.get(path, ()), new.get(path, ()))
        ]

    def _differs(self, old: int | None, new: int | None) -> bool:
        """Return whether the results differ, or only one run has changed something."""
        executions = self._executions
        if old is not None and new is not None:
            is_same = executions["after"][old] == executions["after"][new]
            return not is_same or self._status.get(old) != self._status.get(new)
        only = old if new is None else new
        states = executions["before"][only], executions["after"][only]
        return None not in states and states[0] != states[1]


def _different_counts(
    old: Counter[_Name], new: Counter[_Name]
) -> list[tuple[_Name, int, int]]:
    """Return the names that are not counted alike, with both counts."""
    names = sorted(old.keys() | new.keys())
    return [(name, old[name], new[name]) for name in names if old[name] != new[name]]


# Where it began.


def _first_divergence(
    data: _Data, runs: Sequence[_Pair], rows: Sequence[_Data]
) -> dict[str, Any] | None:
    """Return the first pass and operation with an own difference; else that of inputs.

    A difference is the pass's own if both runs gave it the same IR, or if only one run
    has the pass, and the input of the runs did not differ there.
    """
    executions, operations = data["executions"], data["operations"]
    before, after = executions["before"], executions["after"]
    inputs = [_input_differences(data, run) for run in runs]
    run_of_pass = [row["run"] for row in data["passes"]]
    input_by_run = {
        run: paths for pair, paths in zip(runs, inputs, strict=True) for run in pair
    }
    for place, row in enumerate(rows):
        for old, new in row["executions"]:
            one = new if old is None else old
            path = operations[executions["operation"][one]]["path"]
            if old is None or new is None:
                # It is a difference to the IR that the other run went on with.
                states = before[one], after[one]
                pair = states if old is None else states[::-1]
                is_own = path not in input_by_run[run_of_pass[executions["pass"][one]]]
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
    parts: dict[str, int] = {}
    if path is not None and place is not None:
        _add_parts(data, path, place, parts)
    return parts


def _add_parts(data: _Data, path: str, place: int, parts: dict[str, int]) -> None:
    parts[path] = place
    for name, child in data["ir"][place]["children"]:
        _add_parts(data, inner_path(path, name), child, parts)


def _is_inside(path: str, around: str) -> bool:
    return is_outermost(around) or path.startswith(f"{around}/")
