"""The data of a report: a run record as one JSON document, which the page draws.

Rows refer to one another by their place in the lists. `executions` has a row for each
call of a pass: the pass, the operation, the execution around it, the status, begin and
time in seconds, and the IR before and after.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from passgen_runtime.run_record import RunRecord

REPORT_VERSION: Final = 1
"""The version of the form of the data."""


def report_data(path: str | Path, *, with_times: bool = True) -> dict[str, Any]:
    """Return the data of the record at `path`.

    Args:
        path: of the record.
        with_times: whether times are a part; without them, the same run gives the same
            data.

    Raises:
        RecordError: it is no record.
    """
    RunRecord(path)  # which checks the file
    with closing(sqlite3.connect(Path(path))) as connection:
        connection.row_factory = sqlite3.Row
        return _Reader(connection, with_times=with_times).data()


class _Reader:
    def __init__(self, connection: sqlite3.Connection, *, with_times: bool) -> None:
        self._connection = connection
        self._with_times = with_times

    def data(self) -> dict[str, Any]:
        """Return all tables, in the order of one thread."""
        rows = self._rows
        runs = rows("SELECT * FROM run ORDER BY id")
        passes = rows(
            "SELECT pass.*, min(position) AS first FROM pass"
            " LEFT JOIN execution ON pass_id = pass.id"
            " GROUP BY pass.id ORDER BY pass.run_id, first IS NULL, first, pass.id"
        )
        operations = rows("SELECT * FROM operation ORDER BY run_id, path")
        executions = rows(
            "SELECT * FROM execution ORDER BY run_id, position IS NULL, position, id"
        )
        texts = rows("SELECT * FROM ir ORDER BY digest")
        run, pass_, operation, execution, ir = map(
            _places, (runs, passes, operations, executions, texts)
        )
        children: dict[int, list[tuple[str, int]]] = {}
        for row in rows("SELECT * FROM ir_child ORDER BY ir_id, position"):
            children.setdefault(row["ir_id"], []).append(
                (row["name"], ir[row["child_id"]])
            )
        return {
            "version": REPORT_VERSION,
            "hasTimes": self._with_times,
            "runs": [self._run(each) for each in runs],
            "passes": [
                {
                    "run": run[each["run_id"]],
                    "path": each["path"],
                    "argument": each["argument"],
                    "name": each["name"],
                    "text": each["text"],
                }
                for each in passes
            ],
            "operations": [
                {
                    "run": run[each["run_id"]],
                    "path": each["path"],
                    "name": each["name"],
                    "location": each["location"],
                }
                for each in operations
            ],
            "executions": [
                (
                    pass_[each["pass_id"]],
                    operation[each["operation_id"]],
                    execution.get(each["parent_id"]),
                    each["status"],
                    self._time(each["begin_s"]),
                    self._time(_difference(each["end_s"], each["begin_s"])),
                    ir[each["before_id"]],
                    ir.get(each["after_id"]),
                )
                for each in executions
            ],
            "ir": [
                {
                    "text": zlib.decompress(each["text"]).decode(errors="replace"),
                    "numOperations": each["num_operations"],
                    "children": children.get(each["id"], []),
                }
                for each in texts
            ],
            "statistics": [
                (execution[each["execution_id"]], each["name"], each["value"])
                for each in rows(
                    "SELECT * FROM statistic WHERE value != 0"
                    " ORDER BY execution_id, name"
                )
            ],
            "diagnostics": [
                {
                    "run": run[each["run_id"]],
                    "execution": execution.get(each["execution_id"]),
                    "severity": each["severity"],
                    "message": each["message"],
                    "location": each["location"],
                    "isNote": each["parent_id"] is not None,
                }
                for each in rows("SELECT * FROM diagnostic ORDER BY id")
            ],
        }

    def _run(self, row: sqlite3.Row) -> dict[str, Any]:
        return {
            "pipeline": row["pipeline"],
            "settings": json.loads(row["settings"]),
            "versions": json.loads(row["versions"]),
            "status": row["status"],
            "error": row["error"],
            "wallTimeS": self._time(row["wall_time_s"]),
        }

    def _time(self, seconds: float | None) -> float | None:
        if seconds is None or not self._with_times:
            return None
        return round(seconds, 7)

    def _rows(self, query: str) -> list[sqlite3.Row]:
        return self._connection.execute(query).fetchall()


def _places(rows: list[sqlite3.Row]) -> Mapping[int, int]:
    """Return the place of each row in `rows` by its id."""
    return {row["id"]: place for place, row in enumerate(rows)}


def _difference(end_s: float | None, begin_s: float) -> float | None:
    return None if end_s is None else end_s - begin_s
