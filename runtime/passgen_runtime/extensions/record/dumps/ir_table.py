"""The IR of dumps: each distinct text once, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass

from passgen_runtime.extensions.record.dumps.ir_text import (
    TextOperation,
    num_operations_in,
    parse_ir,
)
from passgen_runtime.extensions.record.rows import IRRow, WriteRow
from passgen_runtime.ir.digests import digest_of


@dataclass(frozen=True, slots=True, eq=False)
class StoredIR:
    """An operation whose text is in the record; equal ones are one object."""

    digest: str
    name: str
    """Of the operation, e.g. `func.func`."""

    symbol: str | None
    num_operations: int
    children: tuple[tuple[str, StoredIR], ...]
    """The operations inside that have texts of their own, and their names."""

    shell: str
    """The text around the children; empty without children."""

    @property
    def first_symbol(self) -> str | None:
        """The first symbol inside, which tells modules without one apart."""
        return next((child.symbol for _, child in self.children if child.symbol), None)


class IRTable:
    """Stores the IR that dumps show."""

    def __init__(self, write: WriteRow) -> None:
        """Write rows by `write`."""
        self._write = write
        self._stored: dict[str, StoredIR] = {}
        self._shells: dict[str, str] = {}

    def store(self, text: str) -> StoredIR:
        """Return the operation that `text` shows."""
        return self._store(parse_ir(text))

    def with_children(
        self, ir: StoredIR, children: tuple[tuple[str, StoredIR], ...]
    ) -> StoredIR:
        """Return the operation that is `ir` with other children."""
        if children == ir.children:
            return ir
        return self._add(ir.shell, ir.name, ir.symbol, children)

    def _store(self, operation: TextOperation) -> StoredIR:
        children = tuple(
            (name, self._store(child)) for name, child in operation.children
        )
        return self._add(operation.text, operation.name, operation.symbol, children)

    def _add(
        self,
        text: str,
        name: str,
        symbol: str | None,
        children: tuple[tuple[str, StoredIR], ...],
    ) -> StoredIR:
        digests = tuple((child.digest, name) for name, child in children)
        digest = digest_of(f"{text}\0{digests}" if digests else text).hex()
        stored = self._stored.get(digest)
        if stored is None:
            size = 1 if children else num_operations_in(text)
            size += sum(child.num_operations for _, child in children)
            shell = self._shells.setdefault(text, text) if children else ""
            stored = StoredIR(digest, name, symbol, size, children, shell)
            self._stored[digest] = stored
            self._write(IRRow(digest, text, size, digests))
        return stored
