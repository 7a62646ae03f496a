"""Where MLIR's own threads are on, in a context that we have made.

The bindings hold Python's lock while MLIR works, and take it to report. What MLIR's
threads find, MLIR reports in the thread that waits for them, but not where one of these
waits for others in turn. It reports from there, which hangs or aborts the process, as
it does with the bindings alone. MLIR gives a thread each operation that is isolated
from above, next to others: so this comes from such operations inside one another.

- What parses or verifies has no threads: the IR may be anything, and wrong.
- What runs MLIR's passes has them where only functions are nested, one below the other
  not: no operation inside is a symbol table, and no pipeline is for one inside.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import Final

from passgen_runtime.context import Context
from passgen_runtime.ir.mlir.bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir.operation_info import SYMBOL_TABLE
from passgen_runtime.pass_manager import Element

_NUM_WITHOUT: Final = 1
"""How many threads MLIR says that it has where they are off."""


def has_threads(mlir: MLIRObject) -> bool:
    """Return whether threads are on in the context `mlir`."""
    num_threads: int = mlir.get_num_threads()
    return num_threads > _NUM_WITHOUT


class WithoutThreads:
    """Keeps MLIR's threads off in a `with` block; put on again when the last one ends.

    Blocks may stand inside one another, and in several threads of Python.
    """

    def __init__(self, mlir: MLIRObject) -> None:
        """Switch the threads of the context `mlir`."""
        self._mlir = mlir
        self._lock = Lock()
        self._num_blocks = 0
        self._had_threads = False

    def __enter__(self) -> None:
        """Switch threads off, unless they are."""
        with self._lock:
            if not self._num_blocks:
                self._had_threads = has_threads(self._mlir)
                if self._had_threads:
                    self._mlir.enable_multithreading(enable=False)
            self._num_blocks += 1

    def __exit__(self, *raised: object) -> None:
        """Switch them on if they were, and no other block needs them off."""
        with self._lock:
            self._num_blocks -= 1
            if self._had_threads and not self._num_blocks:
                self._mlir.enable_multithreading(enable=True)


def holds_symbol_tables(bindings: Bindings, operation: MLIRObject) -> bool:
    """Return whether an operation inside `operation` is a symbol table.

    MLIR looks for them itself: a walk in Python would take longer than many a pass.
    """
    found: list[MLIRObject] = []

    def visit(table: MLIRObject, _: bool) -> None:  # noqa: FBT001 - MLIR calls it
        found.append(table)

    bindings.ir.SymbolTable.walk_symbol_tables(operation, True, visit)  # noqa: FBT003
    return any(table.operation != operation for table in found)


def may_nest_below(elements: Iterable[Element], context: Context) -> bool:
    """Return whether `elements` may run in parallel inside what runs in parallel.

    Their own passes may make the operations that a nested pipeline is for: so this does
    not ask which ones there are before the run.
    """
    return any(
        (info := context.lookup(pipeline.anchor)) is None  # `any` is none
        or info.has_trait(SYMBOL_TABLE)
        or any(isinstance(inner, list) for inner in pipeline.elements)
        for element in elements
        if isinstance(element, list)
        for pipeline in element
    )
