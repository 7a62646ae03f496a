"""The IR of dumps: each distinct text is stored once."""

from __future__ import annotations

from dataclasses import dataclass

from passgen_tools.record.rows import WriteRow, ir_row


@dataclass(frozen=True, slots=True, eq=False)
class StoredIR:
    """An operation whose text is in the record; equal operations share one object."""

    digest: str
    name: str
    """The name of the operation, e.g. `func.func`."""

    symbol: str | None
    num_operations: int
    children: tuple[tuple[str, StoredIR], ...]
    """The names and the IR of nested operations that have texts of their own."""

    shell: str
    """The text around the children; empty without children."""

    @property
    def first_symbol(self) -> str | None:
        """The first symbol of a child, which distinguishes modules without a symbol."""
        return next((child.symbol for _, child in self.children if child.symbol), None)


class IRTable:
    """Stores the IR that dumps show."""

    def __init__(self, write: WriteRow) -> None:
        """Write the rows of new operations with `write`."""
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
        """Return an operation; store it if it is new.

        Args:
            name: the name of the operation.
            symbol: the symbol of the operation.
            text: the text without those of the children.
            children: the names and the IR of operations with texts of their own.
            size: the number of operations in `text`.
        """
        size += sum(child.num_operations for _, child in children)
        row = ir_row(text, tuple((ir.digest, name) for name, ir in children), size)
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
        """Return `ir` with other children."""
        if children == ir.children:
            return ir
        return self.store(ir.name, ir.symbol, ir.shell, children)
