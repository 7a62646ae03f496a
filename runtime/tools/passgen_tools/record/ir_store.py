"""The IR of a run record: one text for each state of an isolated operation."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from passgen_runtime.context import Context, Operation
from passgen_runtime.ir.digests import Resources
from passgen_runtime.printing_flags import PrintingFlags
from passgen_tools.ir_libraries import inspector_of
from passgen_tools.record.operation_paths import names_of
from passgen_tools.record.rows import IRRow, ResourceRow, WriteRow, ir_row, resource_row

OMITTED_REGION = "{...}"
"""The text in the place of an operation's children."""


class IRStore:
    """Prints the IR of operations, and writes each text that is new in a run."""

    def __init__(self, context: Context, write: WriteRow) -> None:
        """Print by `context`; write rows with `write`."""
        self._context = context
        self._inspector = inspector_of(context)
        self._write = write
        self._known: dict[Hashable, tuple[object, str]] = {}
        """A snapshot and the digest of each operation that is stored as one text."""

        self._latest: dict[Hashable, str] = {}
        """The digest of the last stored IR of each operation."""

        self._contents: set[str] = set()
        """The digests of the contents of resources that are written."""

        self._sizes: dict[str, int] = {}
        """The number of operations in each text, with its children, by digest."""

        self._modules: set[str] = set()
        """The digests of IR whose children have texts of their own."""

    def store(self, operation: Operation, *, is_valid: bool = True) -> str:
        """Store the current IR of `operation`; return its digest.

        An operation that has not changed since the last call is not printed.

        Args:
            operation: the operation, with all nested ones.
            is_valid: whether the IR was verified.
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
        children = self._stored_children(operation)
        if children:
            digests = [self.store(child, is_valid=is_valid) for child in children]
            return self._store_module(operation, children, digests)
        if snapshot is None:
            snapshot = self._inspector.snapshot(operation)
        flags = PrintingFlags(local_scope=True, assume_verified=is_valid)
        text = context.print_in_any_state(operation, flags=flags)
        size = num_operations(context, operation)
        digest = self._add(text, (), size, self._resources(operation))
        self._known[key] = snapshot, digest
        self._latest[key] = digest
        return digest

    def latest(self, operation: Operation) -> str:
        """Return the digest of the last stored IR of `operation`."""
        digest = self._latest.get(self._context.key(operation))
        return self.store(operation) if digest is None else digest

    def set_latest(self, operation: Operation, digest: str) -> None:
        """Note the IR of `operation`, which a worker has stored."""
        self._latest[self._context.key(operation)] = digest

    def is_module(self, digest: str) -> bool:
        """Return whether the children in the IR of `digest` have texts of their own."""
        return digest in self._modules

    def join(self, operation: Operation) -> str:
        """Store a module with the last stored IR of its children; return its digest."""
        children = self._context.children(operation)
        return self._store_module(operation, children, list(map(self.latest, children)))

    def take(self, row: IRRow | ResourceRow) -> None:
        """Write a text, or a content, if it is new."""
        if isinstance(row, ResourceRow):
            if row.digest not in self._contents:
                self._contents.add(row.digest)
                self._write(row)
            return
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
        context = self._context
        names = names_of((context.symbol_name(op), context.name(op)) for op in children)
        flags = PrintingFlags(skip_regions=True, local_scope=True)
        # Print without verifying, which would include the children.
        shell = context.print(operation, flags=flags)
        named = tuple(zip(digests, names, strict=True))
        resources = self._resources(operation, recursive=False)
        digest = self._add(shell, named, 1, resources)
        self.set_latest(operation, digest)
        return digest

    def _stored_children(self, operation: Operation) -> Sequence[Operation]:
        """Return the children if all can have texts of their own, else none."""
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

    def _resources(self, operation: Operation, *, recursive: bool = True) -> Resources:
        try:
            return self._inspector.resources(operation, recursive=recursive)
        except Exception:  # noqa: BLE001 - the IR may be broken; its text says so
            return {}

    def _add(
        self,
        text: str,
        children: Sequence[tuple[str, str]],
        size: int,
        resources: Resources,
    ) -> str:
        """Write an operation if it is new; return its digest.

        Args:
            text: the text, without that of the children.
            children: the digest and the name of each child.
            size: the number of operations in `text`.
            resources: the resources that the text refers to.
        """
        references = []
        for name in sorted(resources):
            content = resource_row(resources[name])
            self.take(content)
            references.append((*name, content.digest))
        size += sum(self._sizes[child] for child, _ in children)
        row = ir_row(text, children, size, references)
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
