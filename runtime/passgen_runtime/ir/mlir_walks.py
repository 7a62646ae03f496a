"""Walks over MLIR's IR that survive what their callbacks erase.

MLIR's own walk looks at what comes next before it calls: where a callback erases that,
moves it into a grave, or has native passes work, MLIR goes on from where it no longer
is, and ends the process. This walk visits what is inside an operation when it comes to
that, in MLIR's order, but nothing that is gone by then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import InvalidUseError, children_of

if TYPE_CHECKING:
    from passgen_runtime.ir.mlir_erasures import Erasures

Callback = Callable[[MLIRObject], MLIRObject]

_NO_CALLBACK: Final = (
    "walk() of MLIR's bindings yields nothing, but calls a function: write "
    "walk(visit), where visit(operation) returns WalkResult.ADVANCE, SKIP or INTERRUPT"
)


def guarded_walk(
    bindings: Bindings, original: Callable[..., None]
) -> Callable[..., None]:
    """Return what walks in the place of `original`, in passes alone."""
    post_order = bindings.ir.WalkOrder.POST_ORDER

    def walk(
        self: MLIRObject,
        callback: Callback | None = None,
        walk_order: MLIRObject = post_order,
        op_class: type | None = None,
    ) -> None:
        if callback is None:
            raise TypeError(_NO_CALLBACK)
        erasures = bindings.erasures_of(self.context) if bindings.running else None
        if erasures is not None and not erasures.is_erased(self.operation):
            is_pre_order = walk_order != post_order
            visit = _visitor(bindings, callback, op_class)
            _walk(erasures, visit, self.operation, is_pre_order=is_pre_order)
        elif op_class is None:
            original(self, callback, walk_order)
        else:
            original(self, callback, walk_order, op_class)

    return walk


def _visitor(bindings: Bindings, callback: Callback, op_class: type | None) -> Callback:
    """Return `callback` for operations of `op_class` alone, with its answer checked."""
    results = bindings.ir.WalkResult

    def visit(operation: MLIRObject) -> MLIRObject:
        visited = operation
        if op_class is not None:
            visited = operation.opview
            if not isinstance(visited, op_class):
                return results.ADVANCE
        answer = callback(visited)
        if not isinstance(answer, results):
            message = (
                f"the callback of a walk has returned {answer!r}, expected "
                "WalkResult.ADVANCE, SKIP or INTERRUPT"
            )
            raise InvalidUseError(message)
        return answer

    return visit


def _walk(
    erasures: Erasures, visit: Callback, root: MLIRObject, *, is_pre_order: bool
) -> None:
    results = erasures.bindings.ir.WalkResult
    with erasures.walking() as pending:
        pending.append((root, False))
        while pending:
            operation, is_inside_done = pending.pop()
            if not erasures.is_there(operation):
                continue
            if is_pre_order or is_inside_done:
                answer = visit(operation)
                if answer == results.INTERRUPT:
                    return
                if (
                    is_inside_done
                    or answer == results.SKIP
                    or not erasures.is_there(operation)
                ):
                    continue
            else:
                pending.append((operation, True))
            inside = [(each, False) for each in children_of(operation)]
            pending.extend(reversed(inside))
