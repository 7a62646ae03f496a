"""The IR around an attempt to apply a pattern: before it, and what changes in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from xdsl.ir import Block, Operation, SSAValue

from passgen_tools.adaptors.xdsl.rewrite_history import Stamp, State, stamp_of

_MAX_USERS: Final = 2
"""The users of a result that are compared always."""


class Events:
    """The changes that the rewriter has reported in one attempt."""

    def __init__(self) -> None:
        """Begin without changes."""
        self.inserted: dict[Operation, None] = {}
        self.modified: dict[Operation, None] = {}
        self.erased: dict[Operation, tuple[object, ...]] = {}
        """The operations, with their attributes."""

        self.replaced: dict[Operation, tuple[State, Sequence[SSAValue | None]]] = {}
        """The operations as they were, and the values in place of their results."""

        self.temporary: set[Operation] = set()
        """Those of the erased operations that were inserted in the attempt."""

        self.shortened: dict[Block, None] = {}
        """The blocks whose last operation was erased."""

        self.misused: list[Operation] = []
        """The operations that were changed after they were erased."""

    def __bool__(self) -> bool:
        """Return whether any change was reported."""
        has_erased = len(self.erased) > len(self.temporary)
        return bool(self.inserted or self.modified or has_erased or self.replaced)

    def note_erased(self, operation: Operation, attributes: tuple[object, ...]) -> None:
        """Note an operation that is about to be erased."""
        if operation in self.inserted:
            del self.inserted[operation]
            self.temporary.add(operation)
        self.erased[operation] = attributes
        if operation.parent is not None and operation.next_op is None:
            self.shortened[operation.parent] = None

    def add(self, inner: Events) -> None:
        """Add the changes of an attempt that was made inside this one."""
        self.inserted |= inner.inserted
        self.modified |= inner.modified
        self.erased |= inner.erased
        self.replaced |= inner.replaced
        self.temporary |= inner.temporary
        self.shortened |= inner.shortened

    def knows(self, operation: Operation) -> bool:
        """Return whether the change of an operation, or around it, was reported."""
        inner: Operation | None = operation
        while inner is not None:
            if inner in self.inserted or inner in self.erased or inner in self.replaced:
                return True
            inner = inner.parent_op()
        return operation in self.modified


class IRBefore:
    """The IR before an attempt: near its operation, or all inside that of the pass."""

    def __init__(self, operation: Operation, whole: Operation | None) -> None:
        """Record what is near `operation`, or all inside `whole` if it is given."""
        self.whole = whole
        self.operation = operation
        self.regions = tuple(operation.regions)
        self.block = operation.parent
        self.last = None if self.block is None else self.block.last_op
        operations = _neighbours(operation) if whole is None else whole.walk()
        self.stamps = {each: stamp_of(each) for each in operations}
        self._shape = self._shape_now()

    def _shape_now(self) -> list[object]:
        """Return which blocks there are, and which operations stand in them."""
        if self.whole is None:
            shape: list[object] = [*_shape_of(self.operation)]
            if (block := self.block) is not None:
                shape += (*block.args, block.first_op, block.last_op)
                shape += (block.parent, block.prev_block, block.next_block)
            return shape
        return [part for each in self.whole.walk() for part in _shape_of(each)]

    def has_other_shape(self) -> bool:
        """Return whether operations or blocks were added, erased or moved."""
        return self._shape_now() != self._shape

    def changed(self) -> Iterator[Operation]:
        """Yield the operations that have changed where they are, or elsewhere."""
        for each, stamp in self.stamps.items():
            now = stamp_of(each)
            is_there = now[0] is not None or stamp[0] is None
            if is_there and now[1:] != stamp[1:]:
                yield each

    def erased(self) -> Iterator[Operation]:
        """Yield the operations that are no longer in a block."""
        for each, stamp in self.stamps.items():
            if stamp[0] is not None and each.parent is None:
                yield each

    def added(self) -> Iterator[Operation]:
        """Yield the operations that were not there; none if only a part is known."""
        for each in () if self.whole is None else self.whole.walk():
            if each not in self.stamps:
                yield each


def suspects_of(
    before: IRBefore, events: Events, changed: Sequence[Operation]
) -> dict[Operation, bool]:
    """Return the operations that an attempt may have made invalid.

    They are those that are new, have changed, or have another last operation inside;
    each with whether what is inside of it is to be verified too.
    """
    suspects = dict.fromkeys(events.inserted, True)
    for each in changed:
        if _needs_verification(before.stamps[each], each):
            suspects.setdefault(each, False)
    blocks = dict(events.shortened)
    if before.block is not None and before.block.last_op is not before.last:
        blocks[before.block] = None
    for block in blocks:
        if block.last_op is not None:
            suspects.setdefault(block.last_op, False)
        elif (around := block.parent_op()) is not None:
            suspects[around] = True  # its verification finds the empty block
    for each in list(suspects):
        for other in _verifiers_of_end(each):
            suspects.setdefault(other, False)
    return suspects


def _verifiers_of_end(operation: Operation) -> list[Operation]:
    """Return the operations that may be invalid as this one ends their block."""
    if operation.next_op is not None:
        return []
    found = operation.prev_op, operation.parent_op()  # a terminator, or one around it
    return [each for each in found if each is not None]


def _needs_verification(stamp: Stamp, operation: Operation) -> bool:
    """Return whether more has changed than operands, by others of the same types."""
    _, old_operands, *old_rest = stamp
    _, operands, *rest = stamp_of(operation)
    types = [each.type for each in operands]
    return old_rest != rest or [each.type for each in old_operands] != types


def _shape_of(operation: Operation) -> Iterator[object]:
    """Yield the place of an operation, and its blocks with what stands in them."""
    yield operation.parent
    yield operation.prev_op
    yield operation.next_op
    for region in operation.regions:
        for block in region.blocks:
            yield block
            yield block.first_op
            yield block.last_op
            yield from block.args


def _neighbours(operation: Operation) -> dict[Operation, None]:
    """Return an operation, and those that it may well change."""
    found: dict[Operation, None] = {operation: None}
    for operand in operation.operands:
        if isinstance(owner := operand.owner, Operation):
            found[owner] = None
    for result in operation.results:
        for use in islice(result.uses, _MAX_USERS):
            found[use.operation] = None
    if (around := operation.parent_op()) is not None:
        found[around] = None
    return found
