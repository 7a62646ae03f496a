"""The IR of dumps: each distinct text is stored once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from passgen_runtime.ir.digests import NO_RESOURCES, Resources
from passgen_tools.record.rows import WriteRow, ir_row, resource_row


class OperationText(NamedTuple):
    """An operation as a dump shows it."""

    name: str
    symbol: str | None
    text: str
    """The text without those of the children."""

    children: tuple[tuple[str, StoredIR], ...] = ()
    """The names and the IR of operations with texts of their own."""

    num_operations: int = 1
    """The number of operations in `text`."""

    resources: Resources = NO_RESOURCES
    """The resources below the operation."""


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

    resources: Resources
    """The resources below the operation."""

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
        self._contents: set[str] = set()
        """The digests of the contents of resources that are written."""

    def store(self, shown: OperationText) -> StoredIR:
        """Return an operation; store it if it is new."""
        name, symbol, text, children, size, resources = shown
        size += sum(child.num_operations for _, child in children)
        references = []
        for key in sorted(resources):
            content = resource_row(resources[key])
            references.append((*key, content.digest))
            if content.digest not in self._contents:
                self._contents.add(content.digest)
                self._write(content)
        named = tuple((ir.digest, name) for name, ir in children)
        row = ir_row(text, named, size, references)
        stored = self._stored.get(row.digest)
        if stored is None:
            shell = self._shells.setdefault(text, text) if children else ""
            known = row.digest, name, symbol, size, children, shell, resources
            stored = StoredIR(*known)
            self._stored[row.digest] = stored
            self._write(row)
        return stored

    def with_children(
        self, ir: StoredIR, children: tuple[tuple[str, StoredIR], ...]
    ) -> StoredIR:
        """Return `ir` with other children."""
        if children == ir.children:
            return ir
        shown = OperationText(ir.name, ir.symbol, ir.shell, children)
        return self.store(shown._replace(resources=ir.resources))
