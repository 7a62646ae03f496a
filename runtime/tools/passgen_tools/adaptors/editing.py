"""Editing: what a reducer changes in operations of any IR library."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from passgen_runtime.context import Operation

Block: TypeAlias = Any
"""A block of the IR library."""

Value: TypeAlias = Any
"""A result or block argument of the IR library."""


class Editor(ABC):
    """Changes operations of one IR library; nothing is verified.

    xDSL and MLIR's bindings give their attributes the same names, mostly.
    """

    def regions(self, operation: Operation) -> list[list[Block]]:
        """Return the blocks of each region of `operation`."""
        return [list(region.blocks) for region in operation.regions]

    def operands(self, operation: Operation) -> list[Value]:
        """Return the values that `operation` uses."""
        return list(operation.operands)

    def results(self, operation: Operation) -> list[Value]:
        """Return the values that `operation` defines."""
        return list(operation.results)

    def successors(self, operation: Operation) -> list[Block]:
        """Return the blocks that `operation` may continue in."""
        return list(operation.successors)

    def replace_uses(self, value: Value, other: Value) -> None:
        """Let all users of `value` use `other`."""
        value.replace_all_uses_with(other)

    def set_operand(self, operation: Operation, index: int, value: Value) -> None:
        """Let `operation` use `value` as one operand."""
        operation.operands[index] = value

    @abstractmethod
    def walk(self, root: Operation) -> list[Operation]:
        """Return `root` and all operations inside it, in the order of their text."""

    @abstractmethod
    def entry_block(self, operation: Operation) -> Block:
        """Return the first block of the region that `operation` is in."""

    @abstractmethod
    def operations(self, block: Block) -> Iterable[Operation]:
        """Return the operations in `block`."""

    @abstractmethod
    def arguments(self, block: Block) -> Sequence[Value]:
        """Return the arguments of `block`."""

    @abstractmethod
    def terminator(self, block: Block) -> Operation | None:
        """Return the last operation of `block` if it must stay the last one."""

    @abstractmethod
    def is_used(self, value: Value) -> bool:
        """Return whether an operation uses `value`."""

    @abstractmethod
    def insert(self, operation: Operation, before: Operation) -> None:
        """Move `operation`, which may have no parent, to the place before another."""

    @abstractmethod
    def erase(self, operation: Operation) -> None:
        """Erase `operation`, whose results are not used."""

    @abstractmethod
    def erase_blocks(self, blocks: Sequence[Block]) -> None:
        """Erase `blocks` of one region, which nothing outside of them uses."""
