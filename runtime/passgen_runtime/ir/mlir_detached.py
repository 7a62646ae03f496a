"""What passes hold outside the IR: operations that are in no block, and modules.

Its handle alone keeps such an operation, and whoever has another one, or something
inside, reads memory that is gone when that handle is. So all are kept until the pass
has ended.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import (
    described,
    is_inside,
    operations_inside,
    parent_of,
    values_of,
)
from passgen_runtime.ir.mlir_reachability import Held


class Detached:
    """What the passes that run in one context of MLIR hold outside the IR."""

    def __init__(self, bindings: Bindings) -> None:
        """Hold nothing yet, of the `bindings`."""
        self._bindings = bindings
        self._operations: dict[int, list[MLIRObject]] = {}
        """By thread: the handles that operations belong to."""

        self._modules: dict[int, list[MLIRObject]] = {}
        """By thread: the `Module` objects that a pass has made."""

    @property
    def threads(self) -> set[int]:
        """The threads whose passes hold anything."""
        return self._operations.keys() | self._modules.keys()

    def note(self, operation: MLIRObject) -> None:
        """Keep `operation`, which belongs to this handle."""
        self._operations.setdefault(threading.get_ident(), []).append(operation)

    def note_module(self, module: MLIRObject) -> None:
        """Keep `module`, a `Module` of the bindings."""
        self._modules.setdefault(threading.get_ident(), []).append(module)

    def owner_of(self, operation: MLIRObject) -> MLIRObject:
        """Return the handle that `operation` belongs to; itself if that is the IR."""
        if operation.attached and parent_of(operation) is None:
            address = self._bindings.address
            for each in self._operations.get(threading.get_ident(), ()):
                with suppress(RuntimeError):  # it was erased
                    if address(each) == address(operation):
                        return each
        return operation

    def take_operations(self, thread: int) -> Iterator[tuple[MLIRObject, bool]]:
        """Yield what is still outside the IR, users before what they use.

        Yields:
            The operation, and whether anybody else holds the handle.
        """
        operations = self._operations.pop(thread, [])
        while operations:
            held = Held(operations.pop())
            is_held = held.is_shared
            operation = held.release()
            with suppress(RuntimeError):  # it was erased
                if parent_of(operation) is None:
                    yield operation, is_held

    def take_modules(self, thread: int) -> Iterator[tuple[MLIRObject, bool]]:
        """Yield each `Module`, and whether anybody else holds it."""
        modules = self._modules.pop(thread, [])
        while modules:
            held = Held(modules.pop())
            is_held = held.is_shared
            yield held.release(), is_held


def use_outside(bindings: Bindings, operation: MLIRObject) -> str | None:
    """Return who outside uses what `operation` defines, or what is inside of it."""
    for number, result in enumerate(operation.results):
        for use in result.uses:
            return f"{described(use.owner.operation)} uses its result {number}"
    if len(operation.regions):
        for each in (operation, *operations_inside(bindings, operation)):
            for value in values_of(each):
                for use in value.uses:
                    user = use.owner.operation
                    if not is_inside(user, operation):
                        return f"{described(user)} uses a value that is inside"
    return None
