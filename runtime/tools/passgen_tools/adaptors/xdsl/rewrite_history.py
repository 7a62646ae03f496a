"""The history of operations that patterns rewrite: it shows which undo one another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from xdsl.ir import Operation, SSAValue

_MAX_DEPTH: Final = 4
"""How far a key describes the operations that define operands."""

_MAX_KNOWN: Final = 8
"""The number of former states that are known of an operation."""

_MAX_UNDONE: Final = 100

Key = tuple[object, ...]
"""A description of an operation that equals that of an equal one."""


@dataclass(slots=True)
class Chain:
    """The former states of an operation, with the patterns that have changed them."""

    origin: Operation
    """The operation that the first of the patterns has changed."""

    known: list[tuple[Key, str]] = field(default_factory=list)
    num_undone: int = 0

    @property
    def is_endless(self) -> bool:
        """Whether the patterns will hardly stop."""
        return self.num_undone >= _MAX_UNDONE

    def step(self, old: Key, new: Key, pattern: str) -> str:
        """Note a change; return the pattern whose change it undoes, or an empty text.

        A circle of patterns is reported where it closes, and then begins anew.
        """
        self.known.append((old, pattern))
        del self.known[:-_MAX_KNOWN]
        for key, former in self.known:
            if key == new:
                self.num_undone += 1
                self.known.clear()
                return former
        return ""


class RewriteHistory:
    """What operations were before patterns have replaced or modified them."""

    def __init__(self) -> None:
        """Begin without operations."""
        self._chains: dict[Operation, Chain] = {}
        self._new: set[Operation] = set()
        """The operations that patterns have made: a key describes them by content."""

    def note_new(self, operations: Iterable[Operation]) -> None:
        """Note operations that a pattern has made."""
        self._new.update(operations)

    def replace(
        self, old: Operation, old_key: Key, new: Operation, pattern: str
    ) -> tuple[Chain, str]:
        """Note a replacement; return its chain, and the pattern that it undoes."""
        chain = self._chains.pop(old, None) or Chain(old)
        self._chains[new] = chain
        self._new.discard(old)
        return chain, chain.step(old_key, (new.parent, self.key(new)), pattern)

    def modify(
        self, operation: Operation, old: Key, new: Key, pattern: str
    ) -> tuple[Chain, str]:
        """Note a change in place; return its chain, and the pattern that it undoes."""
        chain = self._chains.setdefault(operation, Chain(operation))
        return chain, chain.step(old, new, pattern)

    def key(self, operation: Operation, depth: int = _MAX_DEPTH) -> Key:
        """Return a description of an operation."""
        return (
            operation.name,
            tuple(self._operand_key(each, depth) for each in operation.operands),
            *operation.successors,
            *operation.regions,
            *operation.attributes.items(),
            *operation.properties.items(),
            *operation.result_types,
        )

    def _operand_key(self, value: SSAValue, depth: int) -> object:
        """Return a value, or a description of the operation that defines it."""
        owner = value.owner
        if not isinstance(owner, Operation) or not depth:
            return value
        is_constant = not owner.operands and not owner.regions
        if not is_constant and owner not in self._new:
            return value
        return owner.results.index(value), self.key(owner, depth - 1)
