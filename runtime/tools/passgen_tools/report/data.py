"""The data of a report: one run record or two as one JSON document, which pages draw.

Rows refer to one another by their place in the lists. `executions` is a table by
columns, with a row for each call of a pass.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from passgen_tools.record import RunRecord, is_outermost, report_damage
from passgen_tools.report.comparison import comparison

REPORT_VERSION: Final = 1
"""The version of the form of the data."""

_LISTS: Final = (
    "runs",
    "passes",
    "operations",
    "ir",
    "nested",
    "unsuccessful",
    "skipped",
    "statistics",
    "uncounted",
    "diagnostics",
    "remarks",
)
_COLUMNS: Final = ("pass", "operation", "thread", "beginS", "timeS", "before", "after")


def report_data(
    path: str | Path, other: str | Path | None = None, *, with_times: bool = True
) -> dict[str, Any]:
    """Return the data of the record at `path`, compared with `other` if it is given.

    Args:
        path: of the record.
        other: the path of a second record.
        with_times: whether times are a part; without them, the same run gives the same
            data.

    Raises:
        RecordError: a file is no record.
    """
    data: dict[str, Any] = {
        "version": REPORT_VERSION,
        "hasTimes": with_times,
        **{name: [] for name in _LISTS},
        "executions": {column: [] for column in _COLUMNS},
    }
    places: dict[object, int] = {}
    num_runs = 0
    for record_path in (path,) if other is None else (path, other):
        num_runs = len(data["runs"])
        with report_damage(record_path):
            _RecordData(RunRecord(record_path), data, places).add()
    if other is not None:
        differences = comparison(data, num_runs)
        data["comparison"] = {"records": [str(path), str(other)], **differences}
    paths = {operation["path"] for operation in data["operations"]}
    data["outermost"] = sorted(filter(is_outermost, paths))
    times = data["executions"]["timeS"]
    if times and not any(time_s is not None for time_s in times):
        data["hasTimes"] = False  # a log of IR dumps tells none
    return data


class _RecordData:
    """Adds a record to data, which may have another one whose IR it shares."""

    def __init__(
        self, record: RunRecord, data: dict[str, Any], places: dict[object, int]
    ) -> None:
        """Let `places` find the texts that are in `data`, by what they are."""
        self._record = record
        self._data = data
        self._places = places
        self._place_of_ir: dict[int | None, int | None] = {None: None}
        self._ir = {row.id: row for row in record.compressed_ir}

    def add(self) -> None:
        """Add all tables, in the order of one thread."""
        data, record = self._data, self._record
        calls = {call.id: call for call in record.begun_executions()}
        # Those of one thread: other threads may begin a later pass before.
        in_order = dict.fromkeys(calls[call.id].pass_id for call in record.executions)
        run_on = record.operations.values()
        paths: dict[int | None, str] = {row.id: row.path for row in run_on}
        runs = self._add(
            "runs",
            {
                run.id: {
                    "pipeline": run.pipeline,
                    "settings": _json_object(run.settings),
                    "versions": _json_object(run.versions),
                    "status": run.status,
                    "error": run.error,
                    "wallTimeS": self._time(run.wall_time_s),
                    "operation": paths.get(run.operation_id),
                    "before": self._place(run.before_id),
                    "after": self._place(run.after_id),
                }
                for run in record.runs
            },
        )
        ids: dict[str, dict[int | None, int | None]] = {"run": dict(runs.items())}
        rows = record.passes
        passes = self._add("passes", _plain((rows[id_] for id_ in in_order), ids))
        operations = self._add("operations", _plain(run_on, ids))
        columns: dict[str, list[Any]] = data["executions"]
        first = len(columns["pass"])
        places = {row.id: place for place, row in enumerate(record.executions, first)}
        ids["execution"] = {None: None} | dict(places.items())
        for execution in record.executions:
            place = places[execution.id]
            call = calls[execution.id]
            if call.parent_id is not None:
                data["nested"].append((place, places[call.parent_id]))
            if execution.status == "skipped":
                data["skipped"].append(place)
            elif not execution.is_done:
                data["unsuccessful"].append((place, execution.status))
            columns["pass"].append(passes[call.pass_id])
            columns["operation"].append(operations[call.operation_id])
            is_timed = data["hasTimes"] and execution.wall_time_s is not None
            columns["thread"].append(call.thread if is_timed else None)
            begin_s = max(round(call.begin_s, 6), 0.0)
            columns["beginS"].append(begin_s if is_timed else None)
            columns["timeS"].append(self._time(execution.wall_time_s))
            columns["before"].append(self._place(execution.before_id))
            columns["after"].append(self._place(execution.after_id))
        sums: dict[tuple[int, str], int] = {}
        for execution_id, name, value in record.counts:
            if value:
                data["statistics"].append((places[execution_id], name, value))
            key = calls[execution_id].pass_id, name
            sums[key] = sums.get(key, 0) + value
        data["statistics"].sort()
        data["uncounted"] += [
            (passes[pass_id], name)
            for (pass_id, name), total in sorted(sums.items())
            if not total
        ]
        self._add("diagnostics", _plain(record.diagnostics, ids))
        self._add("remarks", _plain(record.remarks, ids))

    def _add(self, name: str, rows: Mapping[int, dict[str, Any]]) -> dict[int, int]:
        """Add the rows of a table; return their places by their ids."""
        first = len(self._data[name])
        self._data[name] += rows.values()
        return {row_id: place for place, row_id in enumerate(rows, first)}

    def _time(self, seconds: float | None) -> float | None:
        """Return a time as the data has it, if it has any."""
        if seconds is None or not self._data["hasTimes"]:
            return None
        return max(round(seconds, 7), 0.0)

    def _place(self, ir_id: int | None) -> int | None:
        """Return the place of a text; its children stand before it."""
        if ir_id not in self._place_of_ir:
            assert ir_id is not None
            state = self._ir.pop(ir_id)
            text = self._record.decompress(state.text)
            text += self._record.resource_comments(ir_id)
            children = [
                (name, self._place(child))
                for name, child in self._record.children.get(ir_id, {}).items()
            ]
            rows: list[dict[str, Any]] = self._data["ir"]
            place = self._places.setdefault((text, tuple(children)), len(rows))
            if place == len(rows):
                row = {
                    "text": text,
                    "numOperations": state.num_operations,
                    "children": children,
                }
                rows.append(row)
            self._place_of_ir[ir_id] = place
        return self._place_of_ir[ir_id]


def _plain(
    rows: Iterable[Any], places: Mapping[str, Mapping[int | None, int | None]]
) -> dict[int, dict[str, Any]]:
    """Return the columns of rows by id, with `places` instead of other ids."""
    plain: dict[int, dict[str, Any]] = {}
    for row in rows:
        columns = plain[row.id] = {}
        for name, value in row._asdict().items():
            column = name.removesuffix("_id")
            if column in places:
                columns[column] = places[column][value]
            elif name == "parent_id":
                columns["isNote"] = value is not None
            elif name == "fields":
                columns[name] = _json_object(value)
            elif name != "id":
                columns[name] = value
    return plain


def _json_object(text: str) -> dict[str, Any]:
    """Return the JSON object that `text` spells.

    Raises:
        ValueError: it is no JSON, which knows no NaN.
        TypeError: it is no object.
    """
    return {**json.loads(text, parse_constant=int)}
