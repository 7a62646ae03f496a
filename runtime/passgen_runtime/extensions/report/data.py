"""The data of a report: one run record or two as one JSON document, which pages draw.

Rows refer to one another by their place in the lists. `executions` is a table by
columns, with a row for each call of a pass.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NoReturn

from passgen_runtime.extensions.record import (
    RunRecord,
    damage_reported,
    decompress_text,
    is_outermost,
)
from passgen_runtime.extensions.report.comparison import comparison

REPORT_VERSION: Final = 1
"""The version of the form of the data."""


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
    document = _Document(with_times=with_times)
    document.add(path)
    if other is not None:
        num_runs = len(document.data["runs"])
        document.add(other)
        document.data["comparison"] = {
            "records": [str(path), str(other)],
            **comparison(document.data, num_runs),
        }
    paths = {operation["path"] for operation in document.data["operations"]}
    document.data["outermost"] = sorted(filter(is_outermost, paths))
    times = document.data["executions"]["timeS"]
    if times and not any(time_s is not None for time_s in times):
        document.data["hasTimes"] = False  # a log of IR dumps tells none
    return document.data


class _Document:
    """The data of all records that were added, which share their IR."""

    def __init__(self, *, with_times: bool) -> None:
        columns = ("pass", "operation", "timeS", "before", "after")
        lists = (
            "runs",
            "passes",
            "operations",
            "ir",
            "nested",
            "unsuccessful",
            "statistics",
            "diagnostics",
        )
        self.data: dict[str, Any] = {
            "version": REPORT_VERSION,
            "hasTimes": with_times,
            **{name: [] for name in lists},
            "executions": {column: [] for column in columns},
        }
        self._with_times = with_times
        self._ir: dict[object, int] = {}
        """The places of texts, by themselves and the places of their children."""

    def add(self, path: str | Path) -> None:
        """Add all tables of the record at `path`, in the order of one thread.

        Raises:
            RecordError: it is no record, or is damaged.
        """
        ends = RunRecord(path).unwritten_ends
        with (
            damage_reported(path),
            closing(sqlite3.connect(Path(path))) as connection,
        ):
            connection.row_factory = sqlite3.Row
            _RecordReader(connection, self, ends).add()

    def time(self, seconds: float | None) -> float | None:
        """Return a time as the data has it, if it has any.

        Raises:
            ValueError: it is not finite.
        """
        if seconds is None or not self._with_times:
            return None
        if not math.isfinite(seconds):
            message = f"a time is {seconds}"
            raise ValueError(message)
        return max(round(seconds, 7), 0.0)

    def ir(self, row: dict[str, Any]) -> int:
        """Return the place of a text, which is a new one if need be."""
        ir: list[dict[str, Any]] = self.data["ir"]
        key = row["text"], tuple(row["children"])
        place = self._ir.setdefault(key, len(ir))
        if place == len(ir):
            ir.append(row)
        return place


class _RecordReader:
    """Adds the tables of a record to a document."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        document: _Document,
        ends: Mapping[int, int | None],
    ) -> None:
        self._connection = connection
        self._document = document
        self._ends = ends
        self._ir_places: dict[int, int] = {}
        self._children: dict[int, list[tuple[str, int]]] = {}
        for ir_id, name, child in self._rows(
            "SELECT ir_id, name, child_id FROM ir_child ORDER BY ir_id, position"
        ):
            self._children.setdefault(ir_id, []).append((name, child))

    def add(self) -> None:
        """Add all tables."""
        data = self._document.data
        run = self._add(
            "runs",
            "SELECT run.*, operation.path AS operation FROM run"
            " LEFT JOIN operation ON operation.id = operation_id ORDER BY run.id",
            self._run,
        )
        passes = self._add(
            "passes",
            "SELECT pass.*, min(position) AS first FROM pass"
            " LEFT JOIN execution ON pass_id = pass.id"
            " GROUP BY pass.id ORDER BY pass.run_id, first IS NULL, first, pass.id",
            lambda row: {
                "run": run[row["run_id"]],
                "path": row["path"],
                "argument": row["argument"],
                "name": row["name"],
                "text": row["text"],
            },
        )
        operations = self._add(
            "operations",
            "SELECT * FROM operation ORDER BY run_id, path",
            lambda row: {
                "run": run[row["run_id"]],
                "path": row["path"],
                "name": row["name"],
                "location": row["location"],
            },
        )
        execution = self._add_executions(passes, operations)
        counts = [
            (execution[row["execution_id"]], row["name"], row["value"])
            for row in self._rows("SELECT * FROM statistic WHERE value != 0")
        ]
        data["statistics"] += sorted(counts)
        self._add(
            "diagnostics",
            "SELECT * FROM diagnostic ORDER BY id",
            lambda row: {
                "run": run[row["run_id"]],
                "execution": execution.get(row["execution_id"]),
                "severity": row["severity"],
                "message": row["message"],
                "location": row["location"],
                "isNote": row["parent_id"] is not None,
            },
        )

    def _add(
        self, name: str, query: str, form: Callable[[sqlite3.Row], Any]
    ) -> dict[int, int]:
        """Add the rows of a table; return their places by their ids."""
        rows: list[dict[str, Any]] = self._document.data[name]
        places: dict[int, int] = {}
        for row in self._rows(query):
            places[row["id"]] = len(rows)
            rows.append(form(row))
        return places

    def _add_executions(
        self, passes: dict[int, int], operations: dict[int, int]
    ) -> dict[int, int]:
        data = self._document.data
        columns: dict[str, list[Any]] = data["executions"]
        add = [column.append for column in columns.values()]
        first = len(columns["pass"])
        rows = self._rows(
            "SELECT id, pass_id, operation_id, parent_id, status, end_s - begin_s,"
            " before_id, after_id FROM execution"
            " ORDER BY run_id, position IS NULL, position, id"
        ).fetchall()
        places = {row[0]: place for place, row in enumerate(rows, first)}
        for place, row in enumerate(rows, first):
            id_, pass_, operation, parent, status, time_s, before, after = row
            if id_ in self._ends:
                status, after = "succeeded", self._ends[id_]
            if parent is not None:
                data["nested"].append((place, places[parent]))
            if status != "succeeded":
                data["unsuccessful"].append((place, status))
            values = (
                passes[pass_],
                operations[operation],
                self._document.time(time_s),
                self._ir(before),
                self._ir(after),
            )
            for append, value in zip(add, values, strict=True):
                append(value)
        return places

    def _run(self, row: sqlite3.Row) -> dict[str, Any]:
        return {
            "pipeline": row["pipeline"],
            "settings": _json_object(row["settings"]),
            "versions": _json_object(row["versions"]),
            "status": row["status"],
            "error": row["error"],
            "wallTimeS": self._document.time(row["wall_time_s"]),
            "operation": row["operation"],
            "before": self._ir(row["before_id"]),
            "after": self._ir(row["after_id"]),
        }

    def _ir(self, ir_id: int | None) -> int | None:
        """Return the place of a text; its children stand before it."""
        if ir_id is None:
            return None
        place = self._ir_places.get(ir_id)
        if place is None:
            children = [
                (name, self._ir(child)) for name, child in self._children.get(ir_id, ())
            ]
            query = "SELECT text, num_operations FROM ir WHERE id = ?"
            text, size = self._connection.execute(query, (ir_id,)).fetchone()
            place = self._ir_places[ir_id] = self._document.ir(
                {
                    "text": decompress_text(text),
                    "numOperations": size,
                    "children": children,
                }
            )
        return place

    def _rows(self, query: str) -> sqlite3.Cursor:
        return self._connection.execute(query)


def _json_object(text: str) -> dict[str, Any]:
    """Return the JSON object that `text` spells.

    Raises:
        ValueError: it spells none.
    """

    def refuse(name: str) -> NoReturn:
        message = f"{name} is no JSON"
        raise ValueError(message)

    found = json.loads(text, parse_constant=refuse)
    if not isinstance(found, dict):
        message = "'run' has JSON that is no object"
        raise TypeError(message)
    return found
