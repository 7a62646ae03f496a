"""The history of operations that patterns rewrite: it shows which undo one another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue

_MAX_DEPTH: Final = 4
"""How far states are compared by the operations that define operands."""

_MAX_KNOWN: Final = 8
"""The number of former states that are known of an operation."""

_MAX_UNDONE: Final = 100

Stamp: TypeAlias = tuple[
    Block | None,
    tuple[SSAValue, ...],
    tuple[Block, ...],
    dict[str, Attribute],
    dict[str, Attribute],
    tuple[SSAValue, ...],
]
"""The block, operands, successors, attributes, properties and results."""


def stamp_of(operation: Operation) -> Stamp:
    """Return all that an operation is but its regions and its location.

    Results are replaced when one gets another type.
    """
    is_last = operation.next_op is None
    return (
        operation.parent,
        tuple(operation.operands),
        tuple(operation.successors) if is_last else (),
        operation.attributes.copy(),
        operation.properties.copy(),
        operation.results,
    )


class State(NamedTuple):
    """An operation as it was."""

    name: str
    stamp: Stamp
    regions: tuple[Region, ...]


def state_of(operation: Operation, stamp: Stamp | None = None) -> State:
    """Return an operation as it is, or as it was when `stamp` was taken."""
    stamp = stamp_of(operation) if stamp is None else stamp
    return State(operation.name, stamp, tuple(operation.regions))


@dataclass(slots=True)
class Chain:
    """The former states of an operation, with the patterns that have changed them."""

    origin: Operation
    """The operation that the first of the patterns has changed."""

    known: list[tuple[State, str]] = field(default_factory=list)
    num_undone: int = 0

    @property
    def is_endless(self) -> bool:
        """Whether the patterns will hardly stop."""
        return self.num_undone >= _MAX_UNDONE


class RewriteHistory:
    """What operations were before patterns have replaced or modified them."""

    def __init__(self) -> None:
        """Begin without operations."""
        self._chains: dict[Operation, Chain] = {}
        self._new: dict[Operation, State] = {}
        """What patterns have made, as it was: it may be made again."""

    def note_new(self, operations: Iterable[Operation]) -> None:
        """Note operations that a pattern has made."""
        for operation in operations:
            self._new[operation] = state_of(operation)

    def replace(
        self, old: Operation, old_state: State, new: Operation, pattern: str
    ) -> tuple[Chain, str]:
        """Note a replacement; return its chain, and the pattern that it undoes."""
        chain = self._chains.pop(old, None) or Chain(old)
        self._chains[new] = chain
        return chain, self._step(chain, old_state, state_of(new), pattern)

    def modify(
        self, operation: Operation, old: Stamp, pattern: str
    ) -> tuple[Chain, str]:
        """Note a change in place; return its chain, and the pattern that it undoes."""
        chain = self._chains.setdefault(operation, Chain(operation))
        before, now = state_of(operation, old), state_of(operation)
        return chain, self._step(chain, before, now, pattern)

    def _step(self, chain: Chain, old: State, new: State, pattern: str) -> str:
        """Note a change; return the pattern whose change it undoes, or an empty text.

        A circle of patterns is reported where it closes, and then begins anew.
        """
        if self.is_equal(old, new):
            return ""  # an equal operation, which something else is made for
        chain.known.append((old, pattern))
        del chain.known[:-_MAX_KNOWN]
        for state, former in chain.known:
            if self.is_equal(state, new):
                chain.num_undone += 1
                chain.known.clear()
                return former
        return ""

    def is_equal(self, one: State, other: State, depth: int = _MAX_DEPTH) -> bool:
        """Return whether two states are equal, at the same place."""
        if one.name != other.name or one.regions != other.regions:
            return False
        block, operands, successors, attributes, properties, results = one.stamp
        rest = block, successors, attributes, properties
        other_operands, other_results = other.stamp[1], other.stamp[5]
        if rest != (other.stamp[0], *other.stamp[2:5]):
            return False
        if len(operands) != len(other_operands):
            return False
        if [each.type for each in results] != [each.type for each in other_results]:
            return False
        pairs = zip(operands, other_operands, strict=True)
        return all(
            mine is its or self._is_same(mine, its, depth) for mine, its in pairs
        )

    def _is_same(self, one: SSAValue, other: SSAValue, depth: int) -> bool:
        """Return whether two values are made by equal operations."""
        if not (depth and isinstance(one, OpResult) and isinstance(other, OpResult)):
            return False
        states = self._made(one.op), self._made(other.op)
        if one.index != other.index or None in states:
            return False
        mine, its = states
        assert mine is not None
        assert its is not None
        return self.is_equal(mine, its, depth - 1)

    def _made(self, operation: Operation) -> State | None:
        """Return the state of an operation that patterns make anew, or a constant."""
        is_constant = not operation.operands and not operation.regions
        known = self._new.get(operation)
        return state_of(operation) if known is None and is_constant else known
