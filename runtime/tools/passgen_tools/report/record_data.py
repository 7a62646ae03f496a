"""The tables of one run record as rows of the data of a report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from passgen_tools.record import (
    Execution,
    RecordedDiagnostic,
    RecordedOperation,
    RecordedPass,
    RecordedRemark,
    RecordedRun,
    RunRecord,
)
from passgen_tools.report.ir_texts import IRTexts, TextKey

LISTS: Final = (
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
"""The names of the lists of rows."""

COLUMNS: Final = ("pass", "operation", "thread", "beginS", "timeS", "before", "after")
"""The columns of the table of executions."""

_Places: TypeAlias = Mapping[int, int]
"""The place of each row in its list of the data, by the id of the row."""

_RowWithId: TypeAlias = (
    RecordedPass | RecordedOperation | RecordedDiagnostic | RecordedRemark
)
"""A row of the record whose columns are those of the data, but for ids."""


class RecordData:
    """Adds a record to data, which may have another one whose IR it shares."""

    def __init__(
        self, record: RunRecord, data: dict[str, Any], texts: dict[TextKey, int]
    ) -> None:
        """Read the executions of `record`.

        Args:
            record: the record.
            data: gets the rows.
            texts: the places of the texts of IR that are in `data`.
        """
        self._record = record
        self._data = data
        self._texts = IRTexts(record, data["ir"], texts)
        self._calls = {call.id: call for call in record.begun_executions()}
        """The rows of executions, in the order in which they began."""

        self._executions = record.executions
        """The executions in the order of one thread."""

        first_place = len(data["executions"]["pass"])
        self._places_of_executions = {
            execution.id: place
            for place, execution in enumerate(self._executions, first_place)
        }

    def add(self) -> None:
        """Add all tables, in the order of one thread."""
        operations = self._record.operations
        paths = {row.id: row.path for row in operations.values()}
        runs = self._add_rows("runs", self._runs(paths))
        places = {"run": runs, "execution": self._places_of_executions}
        pass_rows = _plain_rows(self._used_passes(), places)
        places_of_passes = self._add_rows("passes", pass_rows)
        operation_rows = _plain_rows(operations.values(), places)
        places_of_operations = self._add_rows("operations", operation_rows)
        for execution in self._executions:
            self._add_execution(execution, places_of_passes, places_of_operations)
        self._add_statistics(places_of_passes)
        self._add_rows("diagnostics", _plain_rows(self._record.diagnostics, places))
        self._add_rows("remarks", _plain_rows(self._record.remarks, places))

    def _add_rows(
        self, name: str, rows: Mapping[int, dict[str, Any]]
    ) -> dict[int, int]:
        """Add the rows of a list; return their places by their ids."""
        first_place = len(self._data[name])
        self._data[name] += rows.values()
        return {row_id: place for place, row_id in enumerate(rows, first_place)}

    def _runs(self, operation_paths: Mapping[int, str]) -> dict[int, dict[str, Any]]:
        """Return the rows of all runs, by id."""
        return {run.id: self._run(run, operation_paths) for run in self._record.runs}

    def _run(
        self, run: RecordedRun, operation_paths: Mapping[int, str]
    ) -> dict[str, Any]:
        """Return the row of a run."""
        operation = run.operation_id
        return {
            "pipeline": run.pipeline,
            "settings": _json_object(run.settings),
            "versions": _json_object(run.versions),
            "status": run.status,
            "error": run.error,
            "wallTimeS": self._time_s(run.wall_time_s),
            "operation": None if operation is None else operation_paths.get(operation),
            "before": self._texts.place(run.before_id),
            "after": self._texts.place(run.after_id),
        }

    def _used_passes(self) -> list[RecordedPass]:
        """Return the passes that ran, in the order of their first executions.

        It is the order of one thread: other threads may begin a later pass before.
        """
        passes = self._record.passes
        pass_ids = [self._calls[execution.id].pass_id for execution in self._executions]
        unique_ids = dict.fromkeys(pass_ids)
        return [passes[pass_id] for pass_id in unique_ids]

    def _add_execution(
        self,
        execution: Execution,
        places_of_passes: Mapping[int, int],
        places_of_operations: Mapping[int, int],
    ) -> None:
        """Add a row to the table of executions, and to the lists that refer to it."""
        place = self._places_of_executions[execution.id]
        call = self._calls[execution.id]
        if call.parent_id is not None:
            parent_place = self._places_of_executions[call.parent_id]
            self._data["nested"].append((place, parent_place))
        if execution.status == "skipped":
            self._data["skipped"].append(place)
        elif not execution.is_done:
            self._data["unsuccessful"].append((place, execution.status))
        is_timed = self._data["hasTimes"] and execution.wall_time_s is not None
        row = {
            "pass": places_of_passes[call.pass_id],
            "operation": places_of_operations[call.operation_id],
            "thread": call.thread if is_timed else None,
            "beginS": max(round(call.begin_s, 6), 0.0) if is_timed else None,
            "timeS": self._time_s(execution.wall_time_s),
            "before": self._texts.place(execution.before_id),
            "after": self._texts.place(execution.after_id),
        }
        for column, value in row.items():
            self._data["executions"][column].append(value)

    def _add_statistics(self, places_of_passes: Mapping[int, int]) -> None:
        """Add the statistics of executions, and those that no execution counted."""
        sums: dict[tuple[int, str], int] = {}
        for execution_id, name, value in self._record.counts:
            if value:
                place = self._places_of_executions[execution_id]
                self._data["statistics"].append((place, name, value))
            key = self._calls[execution_id].pass_id, name
            sums[key] = sums.get(key, 0) + value
        self._data["statistics"].sort()
        for (pass_id, name), total in sorted(sums.items()):
            if not total:
                self._data["uncounted"].append((places_of_passes[pass_id], name))

    def _time_s(self, seconds: float | None) -> float | None:
        """Return a duration as the data has it, if the data has times."""
        if seconds is None or not self._data["hasTimes"]:
            return None
        return max(round(seconds, 7), 0.0)


def _plain_rows(
    rows: Iterable[_RowWithId], places: Mapping[str, _Places]
) -> dict[int, dict[str, Any]]:
    """Return rows of the record as rows of the data, by id.

    Args:
        rows: rows of one table of the record.
        places: where the rows of other tables are in the data, by the name of the
            columns that refer to them: `run` for `run_id`.
    """
    return {row.id: _plain_row(row, places) for row in rows}


def _plain_row(row: _RowWithId, places: Mapping[str, _Places]) -> dict[str, Any]:
    """Return a row of the record with places instead of ids."""
    columns: dict[str, Any] = {}
    for name, value in row._asdict().items():
        referenced = name.removesuffix("_id")
        if referenced in places:
            columns[referenced] = None if value is None else places[referenced][value]
        elif name == "parent_id":  # of a diagnostic, which is a note on its parent
            columns["isNote"] = value is not None
        elif name == "fields":
            columns[name] = _json_object(value)
        elif name != "id":
            columns[name] = value
    return columns


def _json_object(text: str) -> dict[str, Any]:
    """Return the JSON object that `text` spells.

    Raises:
        ValueError: it is no JSON, which knows no NaN.
        TypeError: it is no object.
    """
    return {**json.loads(text, parse_constant=int)}
