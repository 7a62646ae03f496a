"""The IR of a run record: each distinct text once, an isolated operation at a time."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from passgen_runtime.context import Context, Operation, PrintingFlags
from passgen_tools.adaptors import inspector_of
from passgen_tools.record.operation_paths import names_of
from passgen_tools.record.rows import IRRow, WriteRow, ir_row

OMITTED_REGION = "{...}"
"""Stands for the children of an operation in its text."""


class IRStore:
    """Finds the IR of operations, and passes on each text that is new in a run."""

    def __init__(self, context: Context, write: WriteRow) -> None:
        """Print by `context`; `write` takes the rows."""
        self._context = context
        self._inspector = inspector_of(context)
        self._write = write
        self._known: dict[Hashable, tuple[object, str]] = {}
        """A snapshot of each operation that is no module, and its IR at that time."""

        self._latest: dict[Hashable, str] = {}
        """The IR of each operation when it was last stored."""

        self._sizes: dict[str, int] = {}
        """The number of operations in each text, with its children."""

        self._modules: set[str] = set()
        """The IR that consists of that of children."""

    def store(self, operation: Operation, *, is_valid: bool = True) -> str:
        """Return the digest of the IR of `operation` as it is now.

        An operation that has not changed since the last call is not printed.

        Args:
            operation: what to store, with everything inside.
            is_valid: whether it was verified.
        """
        context = self._context
        key = context.key(operation)
        snapshot = None
        if key in self._known:
            snapshot = self._inspector.snapshot(operation)
            known, digest = self._known[key]
            if known == snapshot:
                self._latest[key] = digest
                return digest
        children = self._split_text(operation)
        if children:
            digests = [self.store(child, is_valid=is_valid) for child in children]
            return self._store_module(operation, children, digests)
        if snapshot is None:
            snapshot = self._inspector.snapshot(operation)
        flags = PrintingFlags(local_scope=True, assume_verified=is_valid)
        text = context.print_in_any_state(operation, flags=flags)
        digest = self._add(text, (), num_operations(context, operation))
        self._known[key] = snapshot, digest
        self._latest[key] = digest
        return digest

    def latest(self, operation: Operation) -> str:
        """Return the digest of `operation` as it was stored last."""
        digest = self._latest.get(self._context.key(operation))
        return self.store(operation) if digest is None else digest

    def set_latest(self, operation: Operation, digest: str) -> None:
        """Note the IR of `operation`, which was stored elsewhere."""
        self._latest[self._context.key(operation)] = digest

    def is_module(self, digest: str) -> bool:
        """Return whether the children of an operation have texts of their own."""
        return digest in self._modules

    def join(self, operation: Operation) -> str:
        """Return the digest of the IR of a module from what was stored last inside."""
        children = self._context.children(operation)
        return self._store_module(operation, children, list(map(self.latest, children)))

    def take(self, row: IRRow) -> None:
        """Pass on a text, if it is new."""
        if row.digest in self._sizes:
            return
        self._sizes[row.digest] = row.num_operations
        if row.children:
            self._modules.add(row.digest)
        self._write(row)

    def _store_module(
        self,
        operation: Operation,
        children: Sequence[Operation],
        digests: Sequence[str],
    ) -> str:
        names = names_of(self._context, children)
        flags = PrintingFlags(skip_regions=True, local_scope=True)
        # The verifier would look at the children, too.
        shell = self._context.print(operation, flags=flags)
        digest = self._add(shell, tuple(zip(digests, names, strict=True)), 1)
        self.set_latest(operation, digest)
        return digest

    def _split_text(self, operation: Operation) -> Sequence[Operation]:
        """Return the children that have texts of their own; none if not all may."""
        context = self._context
        children = context.children(operation)
        infos = [context.info(child) for child in children]
        isolated = [info is not None and info.is_isolated_from_above for info in infos]
        if not any(isolated):
            return ()
        is_module = all(
            is_isolated or context.symbol_name(child) is not None
            for child, is_isolated in zip(children, isolated, strict=True)
        )
        return children if is_module else ()

    def _add(self, text: str, children: Sequence[tuple[str, str]], size: int) -> str:
        """Return the digest of an operation, which is written if it is new.

        Args:
            text: the text, without that of the children.
            children: their digests and names.
            size: how many operations the text holds.
        """
        size += sum(self._sizes[child] for child, _ in children)
        row = ir_row(text, children, size)
        self.take(row)
        return row.digest


def num_operations(context: Context, operation: Operation) -> int:
    """Return the number of operations in `operation`, itself included."""
    count = 0
    pending = [operation]
    while pending:
        count += 1
        pending.extend(context.children(pending.pop()))
    return count


def ir_digest(context: Context, operation: Operation) -> str:
    """Return the digest that the IR of `operation` has in a record."""
    return IRStore(context, lambda _: None).store(operation)
