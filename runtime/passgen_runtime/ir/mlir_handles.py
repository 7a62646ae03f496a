"""Handles to operations that may be gone.

The bindings do not notice when an operation is erased through another handle, or by
MLIR: whoever uses a handle to it then reads memory that is gone. So

- before a native pass runs, each handle that passes have kept to something inside of
  its operation is made invalid, and says so on use: what is needed again is looked up;
- before the infrastructure goes on with an operation, it looks whether it is there.

Looking for handles takes long, and is done only if there are some: each holds on to
MLIR's context, whose references can be counted. What was held before the run began
stays as it is, as in the bindings' own `PassManager.run`.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from weakref import WeakValueDictionary

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject


class LentOperations(list[MLIRObject]):
    """The operations in another one, looked at for as long as the list lives."""

    def __init__(self, handles: KeptHandles, parent: MLIRObject) -> None:
        """Lend the operations directly inside `parent`."""
        super().__init__(children_of(parent))
        self._handles = handles
        self._parent = parent
        self._num_children = len(self)
        self._num_lent = len(self)
        handles.num_lent += self._num_lent

    def __del__(self) -> None:
        """Take them back."""
        self._handles.num_lent -= self._num_lent

    def invalidate_erased(self) -> None:
        """Make the handles invalid whose operations are no longer where they were.

        Counting tells whether there are any, but for one that another one replaced.
        """
        address = self._handles.bindings.address
        present: set[int] = set()
        # Where what is around them is invalid, nothing is there.
        with suppress(RuntimeError):
            num_children = _num_children(self._parent)
            if num_children == self._num_children:
                return
            self._num_children = num_children
            present.update(address(each) for each in children_of(self._parent))
        for handle in self:
            try:
                is_present = address(handle) in present
            except RuntimeError:
                continue  # it is invalid already
            if not is_present:
                _invalidate(handle)


class KeptHandles:
    """The handles to operations of one context of MLIR."""

    def __init__(self, bindings: Bindings, mlir: MLIRObject) -> None:
        """Watch the handles of the context `mlir`."""
        self.bindings = bindings
        self.num_lent = 0
        self._mlir = mlir
        self._num_expected = 0
        self._lists: WeakValueDictionary[int, LentOperations] = WeakValueDictionary()
        """By the id of each handle in them."""

    def lend_children(self, operation: MLIRObject) -> LentOperations:
        """Return the operations directly inside `operation`."""
        lent = LentOperations(self, operation)
        for handle in lent:
            self._lists[id(handle)] = lent
        return lent

    def check(self, operation: MLIRObject) -> None:
        """Make the handle `operation` invalid if what it was lent for is gone."""
        lent = self._lists.get(id(operation))
        if lent is not None:
            lent.invalidate_erased()

    def begin_run(self) -> None:
        """Take what is held now for granted."""
        self._num_expected = self._num_held()

    @contextmanager
    def making_others(self) -> Iterator[None]:
        """Let what the block makes hold on to MLIR's context: it is no operation."""
        num_held = self._num_held()
        yield
        self._num_expected += self._num_held() - num_held

    def invalidate_inside(self, operation: MLIRObject) -> None:
        """Make the handles invalid that were kept to operations inside `operation`."""
        if self._num_held() <= self._num_expected:
            return
        kept = list(self._find())
        if kept:
            inside = self._addresses_inside(operation)
            for handle in kept:
                try:
                    is_inside = self.bindings.address(handle) in inside
                except (RuntimeError, TypeError):
                    continue  # it is invalid already, or not yet made
                if is_inside:
                    _invalidate(handle)
            del handle
        kept.clear()
        self._num_expected = self._num_held()

    def _num_held(self) -> int:
        """Return how many objects of the IR somebody holds, beside those lent."""
        return sys.getrefcount(self._mlir) - self.num_lent

    def _addresses_inside(self, operation: MLIRObject) -> set[int]:
        ir, address = self.bindings.ir, self.bindings.address
        addresses: set[int] = set()

        def visit(each: MLIRObject) -> MLIRObject:
            addresses.add(address(each))
            return ir.WalkResult.ADVANCE

        operation.walk(visit, ir.WalkOrder.PRE_ORDER)
        addresses.discard(address(operation))
        return addresses

    def _find(self) -> Iterator[MLIRObject]:
        """Yield all handles to operations that Python can reach."""
        bases = self.bindings.ir.Operation, self.bindings.ir.OpView
        is_handle: dict[type, bool] = {}
        for held in _reachable():
            cls = type(held)
            if cls not in is_handle:
                is_handle[cls] = issubclass(cls, bases)
            if is_handle[cls]:
                yield held


def _invalidate(handle: MLIRObject) -> None:
    handle.operation._set_invalid()  # noqa: SLF001 - its only name


def children_of(operation: MLIRObject) -> Iterator[MLIRObject]:
    """Yield the operations directly inside `operation`, in order."""
    for region in operation.regions:
        for block in region.blocks:
            for child in block.operations:
                yield child.operation


def _num_children(operation: MLIRObject) -> int:
    return sum(
        len(block.operations) for region in operation.regions for block in region.blocks
    )


def _reachable() -> Iterator[object]:
    """Yield what objects and frames hold; what is in untracked containers, too."""
    for frame in sys._current_frames().values():  # noqa: SLF001 - its only name
        each = frame
        while each is not None:
            yield from tuple(each.f_locals.values())
            each = each.f_back  # type: ignore[assignment] # None ends it
    tracked = gc.get_objects()
    pending: list[object] = gc.get_referents(*tracked)
    yield from tracked
    del tracked
    while pending:
        yield from pending
        # The garbage collector does not look into containers of handles alone.
        untracked = [
            each
            for each in pending
            if type(each) in (dict, tuple) and not gc.is_tracked(each)
        ]
        pending = gc.get_referents(*untracked)
