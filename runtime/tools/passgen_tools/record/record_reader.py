"""The reader of the tables of a record: a method or property for each query."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar

from passgen_tools.record import tables
from passgen_tools.record.record_check import check_record, connect
from passgen_tools.record.record_file import VERSION_WITHOUT_RESOURCES, tables_of
from passgen_tools.record.statements import select_statement

_Row = TypeVar("_Row", bound=tuple[object, ...])

_ROWS_AT_ONCE: Final = 1000


class RecordReader:
    """Reads the tables of a record."""

    def __init__(self, path: str | Path) -> None:
        """Open the record at `path`.

        Raises:
            RecordError: it is not a record, or has another version.
        """
        self.path = Path(path)
        self.version = check_record(self.path)
        """The version of the record's schema."""

    @cached_property
    def runs(self) -> tuple[tables.RecordedRun, ...]:
        """All runs, in the order in which they began."""
        return tuple(self._table(tables.RecordedRun, "ORDER BY id"))

    @property
    def passes(self) -> Mapping[int, tables.RecordedPass]:
        """The passes at each place of the pipelines, by id."""
        return {row.id: row for row in self._table(tables.RecordedPass, "ORDER BY id")}

    @property
    def operations(self) -> Mapping[int, tables.RecordedOperation]:
        """The operations that passes ran on, by id; sorted by run and path."""
        rows = self._table(tables.RecordedOperation, "ORDER BY run_id, path")
        return {row.id: row for row in rows}

    @cached_property
    def parents(self) -> Mapping[int, int]:
        """The id of the execution around each execution in a dynamic pipeline."""
        query = "SELECT id, parent_id FROM execution WHERE parent_id IS NOT NULL"
        return dict(map(tuple, self._rows(query)))

    @property
    def remarks(self) -> list[tables.RecordedRemark]:
        """All remarks, in the order of one thread."""
        return self._table(tables.RecordedRemark, "ORDER BY id")

    @property
    def counts(self) -> list[tables.RecordedStatistic]:
        """The numbers that executions have added to statistics."""
        return self._table(tables.RecordedStatistic)

    @property
    def compressed_ir(self) -> list[tables.RecordedIR]:
        """All texts of IR in the form of the record; see `decompress`."""
        return self._table(tables.RecordedIR)

    @property
    def child_rows(self) -> list[tables.RecordedChild]:
        """The children of all texts, in the order of their positions."""
        return self._table(tables.RecordedChild, "ORDER BY ir_id, position")

    @cached_property
    def references(self) -> Mapping[int, Mapping[tuple[str, str], int]]:
        """The ids of the resources that each text refers to, by dialect and key."""
        references: dict[int, dict[tuple[str, str], int]] = {}
        for ir_id, dialect, key, resource_id in self._table(tables.RecordedReference):
            references.setdefault(ir_id, {})[dialect, key] = resource_id
        return references

    def external_resources(self, run_id: int) -> Mapping[tuple[str, str], int]:
        """Return the ids of the resources that no dialect owns, by owner and key."""
        rest = "WHERE run_id = ? ORDER BY position"
        rows = self._table(tables.RecordedExternalResource, rest, run_id)
        return {(row.owner, row.key): row.resource_id for row in rows}

    @cached_property
    def resource_digests(self) -> Mapping[int, str]:
        """The digests of the contents of resources, by id, in hexadecimal digits."""
        if self.version == VERSION_WITHOUT_RESOURCES:
            return {}
        rows = self._rows("SELECT id, digest FROM resource")
        return {id_: digest.hex() for id_, digest in map(tuple, rows)}

    def resource_row(self, resource_id: int) -> tables.RecordedResource:
        """Return the content of resources."""
        (row,) = self._table(tables.RecordedResource, "WHERE id = ?", resource_id)
        return row

    def ir_row(self, ir_id: int) -> tables.RecordedIR:
        """Return a state of the IR."""
        (row,) = self._table(tables.RecordedIR, "WHERE id = ?", ir_id)
        return row

    def begun_executions(self) -> Iterator[tables.RecordedExecution]:
        """Yield the rows of all executions, in the order of their begin.

        A long record is read in parts.
        """
        last: int | None = 0
        rest = f"WHERE id > ? ORDER BY id LIMIT {_ROWS_AT_ONCE}"
        while last is not None:
            rows = self._table(tables.RecordedExecution, rest, last)
            yield from rows
            last = rows[-1].id if len(rows) == _ROWS_AT_ONCE else None

    def last_times_s(self) -> dict[int, float]:
        """Return the last time in the record of each run, by the run's id."""
        rows = self._rows(
            "SELECT run.id, max(coalesce(max(end_s), 0), coalesce(max(begin_s), 0),"
            " coalesce(wall_time_s, 0)) FROM run"
            " LEFT JOIN execution ON run_id = run.id GROUP BY run.id"
        )
        return dict(map(tuple, rows))

    @property
    def diagnostics(self) -> tuple[tables.RecordedDiagnostic, ...]:
        """All diagnostics and notes, in the order in which they were reported."""
        return tuple(self._table(tables.RecordedDiagnostic, "ORDER BY id"))

    def _table(
        self, table: type[_Row], rest: str = "", *parameters: object
    ) -> list[_Row]:
        """Return rows of a table; `rest` is the SQL after the table's name.

        A table that records of this version do not have is empty.
        """
        if table not in tables_of(self.version):
            return []
        rows = self._rows(select_statement(table, rest), *parameters)
        return [table.__new__(table, *row) for row in rows]

    def _rows(self, query: str, *parameters: object) -> list[sqlite3.Row]:
        """Return the rows that an SQL query finds.

        Raises:
            RecordError: the record cannot be read, or is damaged.
        """
        with connect(self.path) as connection:
            return connection.execute(query, parameters).fetchall()
