"""The IR of dumps: each distinct text once, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass

from passgen_runtime.extensions.record.rows import WriteRow, ir_row


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

    def store(
        self,
        name: str,
        symbol: str | None,
        text: str,
        children: tuple[tuple[str, StoredIR], ...] = (),
        size: int = 1,
    ) -> StoredIR:
        """Return an operation, which is stored if it is new.

        Args:
            name: of the operation.
            symbol: its own.
            text: without that of the children.
            children: the operations inside that have texts of their own.
            size: the number of operations in the text.
        """
        size += sum(child.num_operations for _, child in children)
        row = ir_row(
            text, tuple((child.digest, name) for name, child in children), size
        )
        stored = self._stored.get(row.digest)
        if stored is None:
            shell = self._shells.setdefault(text, text) if children else ""
            stored = StoredIR(row.digest, name, symbol, size, children, shell)
            self._stored[row.digest] = stored
            self._write(row)
        return stored

    def with_children(
        self, ir: StoredIR, children: tuple[tuple[str, StoredIR], ...]
    ) -> StoredIR:
        """Return the operation that is `ir` with other children."""
        if children == ir.children:
            return ir
        return self.store(ir.name, ir.symbol, ir.shell, children)
