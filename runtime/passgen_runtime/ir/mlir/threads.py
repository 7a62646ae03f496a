"""Control of MLIR's own threads in a context that `MLIRContext` has created.

The bindings hold Python's GIL while MLIR runs, and need it to report a diagnostic.
MLIR reports the diagnostics of its threads in the thread that waits for them. But a
worker thread that waits for other threads reports by itself, which hangs or aborts the
process, also without this package. MLIR works in parallel on operations isolated from
above, so worker threads wait where such operations are nested.

- Parsing and verification run without threads: the IR may be nested, and invalid.
- MLIR's passes run with threads if no operation inside is a symbol table, and no
  pipeline is anchored on one.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import Final

from passgen_runtime.context import Context
from passgen_runtime.ir.mlir.bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir.operation_info import SYMBOL_TABLE
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import Element

_NUM_WITHOUT: Final = 1
"""The number of threads that MLIR reports while threads are off."""


def has_threads(mlir: MLIRObject) -> bool:
    """Return whether threads are on in the context `mlir`."""
    num_threads: int = mlir.get_num_threads()
    return num_threads > _NUM_WITHOUT


class WithoutThreads:
    """Switches MLIR's threads off in `with` blocks, and on again after the last one.

    Blocks may be nested, and several Python threads may be in them.
    """

    def __init__(self, mlir: MLIRObject) -> None:
        """Control the threads of the context `mlir`."""
        self._mlir = mlir
        self._lock = Lock()
        self._num_blocks = 0
        self._had_threads = False

    def __enter__(self) -> None:
        """Switch threads off if they are on."""
        with self._lock:
            if not self._num_blocks:
                self._had_threads = has_threads(self._mlir)
                if self._had_threads:
                    self._mlir.enable_multithreading(enable=False)
            self._num_blocks += 1

    def __exit__(self, *raised: object) -> None:
        """Switch threads on again after the last block, if they were on."""
        with self._lock:
            self._num_blocks -= 1
            if self._had_threads and not self._num_blocks:
                self._mlir.enable_multithreading(enable=True)


def holds_symbol_tables(bindings: Bindings, operation: MLIRObject) -> bool:
    """Return whether an operation inside `operation` is a symbol table.

    MLIR does the walk: a walk in Python would take longer than many passes.
    """
    found: list[MLIRObject] = []

    def visit(table: MLIRObject, _: bool) -> None:  # noqa: FBT001 - MLIR calls it
        found.append(table)

    bindings.ir.SymbolTable.walk_symbol_tables(operation, True, visit)  # noqa: FBT003
    return any(table.operation != operation for table in found)


def may_nest_below(elements: Iterable[Element], context: Context) -> bool:
    """Return whether `elements` may run nested operations in parallel.

    This depends on the pipelines, not on the IR: passes may create the operations that
    a nested pipeline is anchored on.
    """
    return any(
        (info := context.lookup(pipeline.anchor)) is None  # for the anchor `any`
        or info.has_trait(SYMBOL_TABLE)
        or not all(isinstance(inner, Pass) for inner in pipeline.elements)
        for element in elements
        if not isinstance(element, Pass)
        for pipeline in element.pipelines
    )
