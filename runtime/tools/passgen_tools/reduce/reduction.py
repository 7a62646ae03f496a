"""Reduction of IR to the least that a judge still finds interesting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TypeAlias

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import IRError, PassError
from passgen_tools.ir_libraries import context_of
from passgen_tools.reduce.chunks import remove_chunks
from passgen_tools.reduce.edits import Edit, region_edits, remove
from passgen_tools.reduce.numbered_ir import Constants, NumberedIR

FindFirst: TypeAlias = Callable[[Iterable[Operation | None]], int | None]
"""Returns the index of the first interesting candidate; `None` stands for none."""


class NotInterestingError(PassError):
    """The input of a reduction is not interesting."""


def reduce(
    module: Operation,
    is_interesting: Callable[[Operation], bool],
    *,
    context: Context | None = None,
) -> Operation:
    """Return the smallest copy of `module` found that is interesting and verifies.

    Operations go first, large ones before small ones, then regions and blocks.
    Attributes, types and symbols stay as they are.

    Args:
        module: an operation of xDSL, or a module or an operation of MLIR's bindings;
            it does not change.
        is_interesting: gets a copy of its own, which verifies and which it may change.
        context: of the operation; by default, one that fits.

    Raises:
        IRError: `module` does not verify.
        NotInterestingError: it is not interesting.
    """
    context = context or context_of(module, "reduce()")
    root = getattr(module, "operation", module)
    context.verify(root)
    if not is_interesting(context.clone(root)):
        raise NotInterestingError("the module itself is not interesting")

    def find_first(candidates: Iterable[Operation | None]) -> int | None:
        for index, candidate in enumerate(candidates):
            if candidate is not None and is_interesting(candidate):
                return index
        return None

    reducer = IRReducer(root, context, find_first, lambda: None)
    while reducer.run():
        pass
    return reducer.root


class IRReducer:
    """Makes a copy of an operation smaller."""

    def __init__(
        self,
        root: Operation,
        context: Context,
        find_first: FindFirst,
        on_smaller: Callable[[], object],
    ) -> None:
        """Copy `root`, which is valid; see `reduce`."""
        self.root = context.clone(root)
        self._context = context
        self._find_first = find_first
        self._on_smaller = on_smaller
        self._constants = Constants(context)
        self._number()

    @property
    def num_operations(self) -> int:
        """The number of operations that are left."""
        return len(self._ir.operations)

    def run(self) -> bool:
        """Try each edit; return whether one of them made the IR smaller."""
        size = self._size(self.root)
        for constant in (False, True):
            depth = 1
            while depth <= max(self._ir.depths):
                self._remove_at(depth, constant=constant)
                depth += 1
        start = 0
        while True:
            edits = list(region_edits(self._ir))[start:]
            if (found := self._apply_first(edits)) is None:
                break
            start += found  # what comes before is tried again in the next run
        return self._size(self.root) < size

    def _remove_at(self, depth: int, *, constant: bool) -> None:
        """Remove operations that `depth` others are around, large ones first."""
        ir = self._ir

        def remove_first(chunks: Sequence[Sequence[Operation]]) -> int | None:
            edits = []
            for chunk in chunks:
                found = [
                    self._ir.numbers[self._context.key(operation)]
                    for operation in chunk
                ]
                edits.append(partial(remove, numbers=found, constant=constant))
            return self._apply_first(edits)

        terminators = ir.terminators()
        numbers = [
            number
            for number in reversed(range(len(ir.operations)))
            if ir.depths[number] == depth and number not in terminators
        ]
        numbers.sort(key=ir.lengths.__getitem__, reverse=True)
        remove_chunks([ir.operations[number] for number in numbers], remove_first)

    def _apply_first(self, edits: Sequence[Edit]) -> int | None:
        """Apply the first edit whose result is interesting; return its index."""
        found = self._find_first(map(self._candidate, edits))
        if found is not None:
            edits[found](self._ir)
            self._number()
            self._on_smaller()
        return found

    def _candidate(self, edit: Edit) -> Operation | None:
        """Return an edited copy if it is smaller and valid."""
        root = self._context.clone(self.root)
        try:
            with _without_diagnostics(self._context):
                edit(self._ir.of_copy(root))
                is_smaller = self._size(root) < self._size(self.root)
                if is_smaller:
                    self._context.verify(root)
        except IRError:
            return None
        return root if is_smaller else None

    def _number(self) -> None:
        self._ir = NumberedIR(self.root, self._context, self._constants)

    def _size(self, root: Operation) -> tuple[int, int]:
        """Return the numbers of operations, and of operands, successors and blocks."""
        editor = self._ir.editor
        operations = editor.walk(root)
        num_links = 0
        for operation in operations:
            num_links += len(editor.operands(operation))
            num_links += len(editor.successors(operation))
            num_links += sum(map(len, editor.regions(operation)))
        return len(operations), num_links


@contextmanager
def _without_diagnostics(context: Context) -> Iterator[None]:
    """Report nothing, and print no operation, in the block."""
    shows = context.prints_operation_on_diagnostic
    context.prints_operation_on_diagnostic = False
    try:
        with context.redirecting_diagnostics(lambda _: None):
            yield
    finally:
        context.prints_operation_on_diagnostic = shows
