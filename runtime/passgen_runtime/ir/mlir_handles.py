"""Operations that Python still holds when a native pass is about to change the IR.

The bindings do not notice when MLIR erases an operation: whoever uses its handle then
reads memory that is gone. So before a native pass runs, each handle that passes have
kept to something inside of its operation is made invalid, and says so on use. What a
pass needs again, it finds again.

Looking for handles takes long, and is done only if there are some: each holds on to
MLIR's context, whose references can be counted. What was held before the run began
stays as it is, as in the bindings' own `PassManager.run`.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject


class LentOperations(list[MLIRObject]):
    """Operations that are only looked at for as long as the list lives."""

    def __init__(self, handles: KeptHandles, operations: Iterable[MLIRObject]) -> None:
        """Lend `operations`."""
        super().__init__(operations)
        self._handles = handles
        self._count = len(self)
        handles.num_lent += self._count

    def __del__(self) -> None:
        """Take them back."""
        self._handles.num_lent -= self._count


class KeptHandles:
    """The handles to operations of one context of MLIR."""

    def __init__(self, bindings: Bindings, mlir: MLIRObject) -> None:
        """Watch the handles of the context `mlir`."""
        self._bindings = bindings
        self._mlir = mlir
        self._num_expected = 0
        self.num_lent = 0

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
            inside = self._hashes_inside(operation)
            for handle in kept:
                try:
                    is_inside = hash(handle) in inside
                except RuntimeError:
                    continue  # it is invalid already
                if is_inside:
                    handle.operation._set_invalid()  # noqa: SLF001 - its only name
            del handle
        kept.clear()
        self._num_expected = self._num_held()

    def _num_held(self) -> int:
        """Return how many objects of the IR somebody holds, beside those lent."""
        return sys.getrefcount(self._mlir) - self.num_lent

    def _hashes_inside(self, operation: MLIRObject) -> set[int]:
        ir = self._bindings.ir
        hashes: set[int] = set()

        def visit(each: MLIRObject) -> MLIRObject:
            hashes.add(hash(each))
            return ir.WalkResult.ADVANCE

        operation.walk(visit, ir.WalkOrder.PRE_ORDER)
        hashes.discard(hash(operation))
        return hashes

    def _find(self) -> Iterator[MLIRObject]:
        """Yield all handles to operations that Python can reach."""
        bases = self._bindings.ir.Operation, self._bindings.ir.OpView
        is_handle: dict[type, bool] = {}
        for held in _reachable():
            cls = type(held)
            if cls not in is_handle:
                is_handle[cls] = issubclass(cls, bases)
            if is_handle[cls]:
                yield held


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
