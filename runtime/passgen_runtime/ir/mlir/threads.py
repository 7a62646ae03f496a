"""When MLIR uses threads of its own, in a context that `MLIRContext` has created.

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

from passgen_runtime.context import Context
from passgen_runtime.ir.mlir.bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir.operation_info import SYMBOL_TABLE
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import Element


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
