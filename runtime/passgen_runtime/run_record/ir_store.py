"""The IR of a run record: each distinct text once, an isolated operation at a time."""

from __future__ import annotations

import sqlite3
import zlib
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from passgen_runtime.context import Context, Operation, PrintingFlags, digest_of

OMITTED_REGION = "{...}"
"""Stands for the children of an operation in its text."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The row of an operation, as it was when the snapshot was taken."""

    snapshot: object
    ir_id: int


class IRStore:
    """Stores the IR of operations in a record; one for each run."""

    def __init__(self, context: Context, connection: sqlite3.Connection) -> None:
        """Print by `context`, and write to `connection`."""
        self._context = context
        self._connection = connection
        self._known: dict[Hashable, _Known] = {}

    def store(self, operation: Operation, *, is_valid: bool = True) -> int:
        """Return the id of the row that holds the IR of `operation` as it is now.

        An operation that has not changed since the last call is not printed.

        Args:
            operation: what to store, with everything inside.
            is_valid: whether it was verified.
        """
        context = self._context
        children = self._split(operation)
        if children:
            names = names_of(context, children)
            rows = [self.store(child, is_valid=is_valid) for child in children]
            return self._insert(
                self._shell(operation), tuple(zip(rows, names, strict=True))
            )
        key, snapshot = context.key(operation), context.snapshot(operation)
        known = self._known.get(key)
        if known is None or known.snapshot != snapshot:
            text = self._text(operation, is_valid=is_valid)
            size = num_operations(context, operation)
            known = _Known(snapshot, self._insert(text, (), size))
            self._known[key] = known
        return known.ir_id

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

    def _insert(
        self, text: str, children: tuple[tuple[int, str], ...], size: int = 1
    ) -> int:
        """Return the id of the row with `text` and `children`, which is new if need be.

        Args:
            text: the text, without that of the children.
            children: the ids of their rows, and their names.
            size: how many operations the text holds.
        """
        digest = digest_of(f"{text}\0{children}" if children else text)
        execute = self._connection.execute
        row = execute("SELECT id FROM ir WHERE digest = ?", (digest,)).fetchone()
        if row is not None:
            known: int = row[0]
            return known
        sizes = execute(
            "SELECT id, num_operations FROM ir WHERE id IN"
            " (SELECT value FROM json_each(?))",
            (str([child for child, _ in children]),),
        )
        size_by_id = dict(sizes.fetchall())
        size += sum(size_by_id[child] for child, _ in children)
        # Surrogates may stand for bytes that are no text.
        data = zlib.compress(text.encode(errors="surrogateescape"))
        ir_id = execute(
            "INSERT INTO ir (digest, text, num_operations) VALUES (?, ?, ?)",
            (digest, data, size),
        ).lastrowid
        assert ir_id is not None
        self._connection.executemany(
            "INSERT INTO ir_child VALUES (?, ?, ?, ?)",
            [(ir_id, position, *child) for position, child in enumerate(children)],
        )
        return ir_id


def names_of(context: Context, siblings: Sequence[Operation]) -> list[str]:
    """Return `@f` for each operation with a symbol, `func.func[2]` for another one.

    The number counts the siblings of this name that have no symbol.
    """
    names: list[str] = []
    counts: Counter[str] = Counter()
    for each in siblings:
        symbol, name = context.symbol_name(each), context.name(each)
        if symbol is None:
            names.append(f"{name}[{counts[name]}]")
            counts[name] += 1
        else:
            names.append(f"@{symbol}")
    return names


def num_operations(context: Context, operation: Operation) -> int:
    """Return the number of operations in `operation`, itself included."""
    count = 0
    pending = [operation]
    while pending:
        count += 1
        pending.extend(context.children(pending.pop()))
    return count
