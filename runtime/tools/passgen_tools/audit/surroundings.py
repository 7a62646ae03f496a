"""The surroundings of an operation in the IR, and the changes in them.

For the audit: ancestors, and their other children with everything inside them.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import is_
from typing import NamedTuple

from passgen_runtime.context import Context, Operation
from passgen_runtime.instrumentations.ir_printing import top_level_operation
from passgen_tools.ir_diff import longest_increasing
from passgen_tools.ir_libraries import inspector_of


class _Seen(NamedTuple):
    """An operation as it was."""

    operation: Operation
    description: str
    content: bytes | None
    """A fingerprint; `None` if it is not known, and not compared."""

    parent: Operation | None
    level: int
    """How far out an ancestor is: 1 for the parent; 0 for other operations."""


class IRSurroundings:
    """A record of the IR around an operation.

    Operations are the same if they are the same objects: they may be equal by value.
    """

    def __init__(self, context: Context, operation: Operation) -> None:
        """Record the IR around `operation`."""
        self.root: Operation = top_level_operation(context, operation)
        self._context = context
        self._inspector = inspector_of(context)
        self._operation = operation
        self._seen: dict[int, _Seen] = {}
        """The operations around it, by their identity."""

        self._orders: list[tuple[Operation, list[Operation]]] = []
        """The ancestors, innermost first, with their children."""

        self.knows_ancestors = True
        """Whether changes of ancestors themselves can be seen."""

        inner = operation
        while (parent := context.parent(inner)) is not None:
            children = list(context.children(parent))
            self._orders.append((parent, children))
            self._see(parent, len(self._orders))
            for child in children:
                if child is not inner:
                    self._see(child, 0)
            inner = parent

    def changes(self) -> Iterator[str]:
        """Yield each change, addition, erasure and move outside of the operation."""
        moved = self._moved_siblings()
        for key, seen in self._seen.items():
            operation, level = seen.operation, seen.level
            if self._context.parent(operation) is not seen.parent:
                yield f"erased or moved {seen.description}"
            elif self._differs(seen):
                yield f"changed {seen.description}"
            elif key in moved or (level and self._is_elsewhere(operation, level)):
                yield f"moved {seen.description}"
        yield from self._additions()

    def has_moved(self) -> bool:
        """Return whether the operation has changed places with siblings."""
        return self._is_elsewhere(self._operation, 0)

    def _is_elsewhere(self, inner: Operation, level: int) -> bool:
        """Return whether `inner` or an ancestor of it has other neighbours now."""
        if level == len(self._orders):  # it is the outermost one
            return False
        parent, before = self._orders[level]
        old_keys = [id(child) for child in before]
        new_keys = [id(child) for child in self._context.children(parent)]
        stayed = set(old_keys).intersection(new_keys) - self._moved_siblings()
        if id(inner) not in stayed:
            return True
        old_order = [key for key in old_keys if key in stayed]
        new_order = [key for key in new_keys if key in stayed]
        return old_order.index(id(inner)) != new_order.index(id(inner))

    def _moved_siblings(self) -> set[int]:
        """Return the smallest set of siblings whose move explains the present order."""
        moved: set[int] = set()
        for parent, before in self._orders:
            moved |= self._moved_children(parent, before)
        return moved

    def _moved_children(self, parent: Operation, before: list[Operation]) -> set[int]:
        """Return the children of one ancestor that have changed their order."""
        old_ranks = {
            id(child): rank
            for rank, child in enumerate(before)
            if self._is_sibling(child)
        }
        children = self._context.children(parent)
        kept = [id(child) for child in children if id(child) in old_ranks]
        ranks = [(rank, old_ranks[key]) for rank, key in enumerate(kept)]
        in_order = {old_rank for _, old_rank in longest_increasing(ranks)}
        return {key for key in kept if old_ranks[key] not in in_order}

    def _is_sibling(self, child: Operation) -> bool:
        """Return whether `child` is recorded and no ancestor."""
        seen = self._seen.get(id(child))
        return seen is not None and seen.level == 0

    def _additions(self) -> Iterator[str]:
        """Yield the operations that were not among the children of an ancestor."""
        for parent, children in self._orders:
            known = {id(child) for child in children}
            for child in self._context.children(parent):
                if id(child) not in known and child is not self._operation:
                    yield f"added {self._context.describe(child)}"

    def _see(self, operation: Operation, level: int) -> None:
        """Record an operation around that of the pass."""
        self._seen[id(operation)] = _Seen(
            operation=operation,
            description=self._context.describe(operation),
            content=self._content(operation, level),
            parent=self._context.parent(operation),
            level=level,
        )

    def _differs(self, seen: _Seen) -> bool:
        """Return whether the content of an operation is known to have changed."""
        content = self._content(seen.operation, seen.level)
        if content is None or seen.content is None:
            return False
        return content != seen.content

    def _content(self, operation: Operation, level: int) -> bytes | None:
        """Return a fingerprint; that of an ancestor leaves out its regions."""
        shallow = self._inspector.shallow_fingerprint(operation)
        if level:
            self.knows_ancestors &= shallow is not None
            return shallow
        return (shallow or b"") + self._context.fingerprint(operation)


def keeps_objects(context: Context, operation: Operation) -> bool:
    """Return whether operations are the same objects when they are looked at again.

    The ancestors of `operation` and their children are looked at twice.
    """
    inner = operation
    while (parent := context.parent(inner)) is not None:
        children, again = context.children(parent), context.children(parent)
        is_same = len(children) == len(again) and all(map(is_, children, again))
        if context.parent(inner) is not parent or not is_same:
            return False
        if not any(child is inner for child in children):
            return False
        inner = parent
    return True
