"""The IR of a run record: each distinct text once, an isolated operation at a time."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from passgen_runtime.context import Context, Operation, PrintingFlags, digest_of
from passgen_runtime.run_record.operation_paths import names_of
from passgen_runtime.run_record.rows import IRRow, WriteRow

OMITTED_REGION = "{...}"
"""Stands for the children of an operation in its text."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The IR of an operation, as it was when the snapshot was taken."""

    snapshot: object
    digest: bytes


class IRStore:
    """Finds the IR of operations, and passes on each text that is new in a run."""

    def __init__(self, context: Context, write: WriteRow) -> None:
        """Print by `context`; `write` takes the rows."""
        self._context = context
        self._write = write
        self._known: dict[Hashable, _Known] = {}
        self._sizes: dict[bytes, int] = {}
        """The number of operations in each text, with its children."""

    def store(self, operation: Operation, *, is_valid: bool = True) -> bytes:
        """Return the digest of the IR of `operation` as it is now.

        An operation that has not changed since the last call is not printed.

        Args:
            operation: what to store, with everything inside.
            is_valid: whether it was verified.
        """
        context = self._context
        children = self._split(operation)
        if children:
            names = names_of(context, children)
            digests = [self.store(child, is_valid=is_valid) for child in children]
            return self._add(
                self._shell(operation), tuple(zip(digests, names, strict=True))
            )
        key, snapshot = context.key(operation), context.snapshot(operation)
        known = self._known.get(key)
        if known is None or known.snapshot != snapshot:
            text = self._text(operation, is_valid=is_valid)
            size = num_operations(context, operation)
            known = self._known[key] = _Known(snapshot, self._add(text, (), size))
        return known.digest

    def _split(self, operation: Operation) -> Sequence[Operation]:
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

    def _shell(self, operation: Operation) -> str:
        flags = PrintingFlags(skip_regions=True, local_scope=True)
        # The verifier would look at the children, too.
        return self._context.print(operation, flags=flags)

    def _text(self, operation: Operation, *, is_valid: bool) -> str:
        flags = PrintingFlags(local_scope=True, assume_verified=is_valid)
        return self._context.print_in_any_state(operation, flags=flags)

    def _add(
        self, text: str, children: tuple[tuple[bytes, str], ...], size: int = 1
    ) -> bytes:
        """Return the digest of `text` and `children`; write them if they are new.

        Args:
            text: the text, without that of the children.
            children: their digests and names.
            size: how many operations the text holds.
        """
        digest = digest_of(f"{text}\0{children}" if children else text)
        if digest not in self._sizes:
            size += sum(self._sizes[child] for child, _ in children)
            self._sizes[digest] = size
            self._write(IRRow(digest, text, size, children))
        return digest


def num_operations(context: Context, operation: Operation) -> int:
    """Return the number of operations in `operation`, itself included."""
    count = 0
    pending = [operation]
    while pending:
        count += 1
        pending.extend(context.children(pending.pop()))
    return count
