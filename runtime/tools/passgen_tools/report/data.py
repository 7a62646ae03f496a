"""The data of a report: one run record or two as one JSON document, which pages draw.

Rows refer to one another by their place in the lists. `executions` is a table by
columns, with a row for each call of a pass.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from passgen_tools.record import (
    RunRecord,
    is_outermost,
    report_damage,
)
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
    "statistics",
    "uncounted",
    "diagnostics",
    "remarks",
)
_COLUMNS: Final = (
    "pass",
    "operation",
    "thread",
    "beginS",
    "timeS",
    "before",
    "after",
)


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
        rows = self._record.rows("SELECT id, text, num_operations FROM ir")
        self._ir = {ir_id: (text, size) for ir_id, text, size in rows}

    def add(self) -> None:
        """Add all tables, in the order of one thread."""
        data, record = self._data, self._record
        runs = self._add(
            "runs",
            "SELECT run.id, pipeline, settings, versions, status, error,"
            " wall_time_s AS wallTimeS, operation.path AS operation,"
            " before_id AS before, after_id AS after FROM run"
            " LEFT JOIN operation ON operation.id = operation_id ORDER BY run.id",
            settings=_json_object,
            versions=_json_object,
            wallTimeS=self._time,
            before=self._place,
            after=self._place,
        )
        passes = self._add(
            "passes",
            "SELECT pass.id, pass.run_id AS run, path, argument, name, text FROM pass"
            " LEFT JOIN execution ON pass_id = pass.id GROUP BY pass.id"
            " ORDER BY pass.run_id, min(position) IS NULL, min(position), pass.id",
            run=runs.get,
        )
        operations = self._add(
            "operations",
            "SELECT id, run_id AS run, path, name, location FROM operation"
            " ORDER BY run_id, path",
            run=runs.get,
        )
        columns: dict[str, list[Any]] = data["executions"]
        first = len(columns["pass"])
        places = {row.id: place for place, row in enumerate(record.executions, first)}
        references = {
            row["id"]: row
            for row in record.rows(
                "SELECT id, pass_id, operation_id, parent_id, thread, begin_s"
                " FROM execution"
            )
        }
        for execution in record.executions:
            place = places[execution.id]
            _, pass_, operation, parent, thread, begin_s = references[execution.id]
            if parent is not None:
                data["nested"].append((place, places[parent]))
            if execution.status != "succeeded":
                data["unsuccessful"].append((place, execution.status))
            columns["pass"].append(passes[pass_])
            columns["operation"].append(operations[operation])
            is_timed = data["hasTimes"] and execution.wall_time_s is not None
            columns["thread"].append(thread if is_timed else None)
            columns["beginS"].append(max(round(begin_s, 6), 0.0) if is_timed else None)
            columns["timeS"].append(self._time(execution.wall_time_s))
            columns["before"].append(self._place(execution.before_id))
            columns["after"].append(self._place(execution.after_id))
        counts = record.rows("SELECT * FROM statistic WHERE value != 0")
        data["statistics"] += sorted(
            (places[execution], name, value) for execution, name, value in counts
        )
        never = record.rows(
            "SELECT pass_id, name FROM statistic"
            " JOIN execution ON execution.id = execution_id"
            " GROUP BY pass_id, name HAVING sum(value) = 0 ORDER BY pass_id, name"
        )
        data["uncounted"] += [(passes[pass_id], name) for pass_id, name in never]
        self._add(
            "diagnostics",
            "SELECT id, run_id AS run, execution_id AS execution, severity, message,"
            " location, parent_id IS NOT NULL AS isNote FROM diagnostic ORDER BY id",
            run=runs.get,
            execution=places.get,
            isNote=bool,
        )
        self._add(
            "remarks",
            "SELECT id, run_id AS run, execution_id AS execution, kind, category, name,"
            " operation, location, message, fields FROM remark ORDER BY id",
            run=runs.get,
            execution=places.get,
            fields=_json_object,
        )

    def _add(
        self, name: str, query: str, **forms: Callable[[Any], Any]
    ) -> dict[int, int]:
        """Add the rows of a table, some columns in another form.

        Returns:
            Their places by their ids.
        """
        rows: list[dict[str, Any]] = self._data[name]
        places: dict[int, int] = {}
        for row in self._record.rows(query):
            values = dict(row)
            places[values.pop("id")] = len(rows)
            for column, form in forms.items():
                values[column] = form(values[column])
            rows.append(values)
        return places

    def _time(self, seconds: float | None) -> float | None:
        """Return a time as the data has it, if it has any."""
        if seconds is None or not self._data["hasTimes"]:
            return None
        return max(round(seconds, 7), 0.0)

    def _place(self, ir_id: int | None) -> int | None:
        """Return the place of a text; its children stand before it."""
        if ir_id not in self._place_of_ir:
            assert ir_id is not None
            data, size = self._ir.pop(ir_id)
            text = self._record.decompress(data)
            children = [
                (name, self._place(child))
                for name, child in self._record.children.get(ir_id, {}).items()
            ]
            rows: list[dict[str, Any]] = self._data["ir"]
            place = self._places.setdefault((text, tuple(children)), len(rows))
            if place == len(rows):
                row = {"text": text, "numOperations": size, "children": children}
                rows.append(row)
            self._place_of_ir[ir_id] = place
        return self._place_of_ir[ir_id]


def _json_object(text: str) -> dict[str, Any]:
    """Return the JSON object that `text` spells.

    Raises:
        ValueError: it is no JSON, which knows no NaN.
        TypeError: it is no object.
    """
    return {**json.loads(text, parse_constant=int)}
