"""The IR of dumps in a record: each distinct text once, and what is known of it."""

from __future__ import annotations

import sqlite3
import zlib
from dataclasses import dataclass

from passgen_runtime.context import digest_of
from passgen_runtime.run_record.dumps.ir_text import (
    TextOperation,
    num_operations_in,
    parse_ir,
)
from passgen_runtime.run_record.record_file import insert


@dataclass(frozen=True, slots=True, eq=False)
class IRRow:
    """A row of the table `ir`, without its text; equal IR has one row."""

    id: int
    name: str
    """Of the operation, e.g. `func.func`."""

    symbol: str | None
    num_operations: int
    children: tuple[tuple[str, IRRow], ...]
    """The operations inside that have rows of their own, and their names."""

    @property
    def first_symbol(self) -> str | None:
        """The first symbol inside, which tells modules without one apart."""
        return next((child.symbol for _, child in self.children if child.symbol), None)


class IRTable:
    """Stores the IR that dumps show."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Write to `connection`."""
        self._connection = connection
        self._rows: dict[bytes, IRRow] = {}

    def store(self, text: str) -> IRRow:
        """Return the row of the operation that `text` shows."""
        return self._store(parse_ir(text))

    def _store(self, operation: TextOperation) -> IRRow:
        children = tuple((name, self._store(each)) for name, each in operation.children)
        return self._insert(operation.text, operation.name, operation.symbol, children)

    def with_children(
        self, row: IRRow, children: tuple[tuple[str, IRRow], ...]
    ) -> IRRow:
        """Return the row that is `row` with other children."""
        if children == row.children:
            return row
        query = "SELECT text FROM ir WHERE id = ?"
        data = self._connection.execute(query, (row.id,)).fetchone()[0]
        text = zlib.decompress(data).decode()
        return self._insert(text, row.name, row.symbol, children)

    def _insert(
        self,
        text: str,
        name: str,
        symbol: str | None,
        children: tuple[tuple[str, IRRow], ...],
    ) -> IRRow:
        ids = tuple((child.id, name) for name, child in children)
        digest = digest_of(f"{text}\0{ids}" if ids else text)
        row = self._rows.get(digest)
        if row is None:
            size = 1 if children else num_operations_in(text)
            size += sum(child.num_operations for _, child in children)
            ir_id = insert(
                self._connection,
                "ir",
                digest=digest,
                text=zlib.compress(text.encode()),
                num_operations=size,
            )
            self._connection.executemany(
                "INSERT INTO ir_child VALUES (?, ?, ?, ?)",
                [(ir_id, position, *child) for position, child in enumerate(ids)],
            )
            row = IRRow(ir_id, name, symbol, size, children)
            self._rows[digest] = row
        return row
