"""Erase unreachable symbols.

Before::

    func.func private @dead()
    func.func private @used()
    func.func @main() {
      func.call @used() : () -> ()
      func.return
    }

After::

    func.func private @used()
    func.func @main() {
      func.call @used() : () -> ()
      func.return
    }

Source: `lib/Transforms/SymbolDCE.cpp` of MLIR. Public symbols, operations that are not
symbols, and symbols that live operations refer to are live. A `nested` symbol counts
as public unless its symbol table is private, has no name, or has no parent.

Limit compared with MLIR's pass: xDSL's symbol interface cannot say that an unused
symbol must not be discarded; a public symbol is never discarded.
"""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from passgen_runtime.passes.analysis import (
    SymbolTables,
    is_symbol_table,
    operations_in,
    references_in_scope,
    symbol_name,
    visibility,
)
from passgen_runtime.passes.generated.transforms_passes import SymbolDCEPassBase

UNKNOWN_SYMBOL_TABLE = (
    "operation contains potentially unknown symbol table, meaning that we can't "
    "reliable compute symbol uses"
)


class UnknownSymbolTableError(Exception):
    """An unregistered operation may be a symbol table: its references are unknown."""

    def __init__(self, operation: Operation) -> None:
        """Name the operation whose references are unknown."""
        super().__init__(UNKNOWN_SYMBOL_TABLE)
        self.operation = operation


def live_symbols(table: Operation) -> set[Operation]:
    """Return the reachable symbols of `table` and the tables inside it.

    Raises:
        UnknownSymbolTableError: the references of an operation are unknown.
    """
    live: set[Operation] = set()
    hidden = table.parent_op() is None or _is_hidden(table)
    _mark_live(table, live, SymbolTables(), hidden=hidden)
    return live


def _mark_live(
    table: Operation, live: set[Operation], tables: SymbolTables, *, hidden: bool
) -> None:
    worklist: list[Operation] = []
    for op in table.regions[0].block.ops:
        if symbol_name(op) is None:
            worklist.append(op)
            continue
        kind = visibility(op)
        if kind == "public" or (kind == "nested" and not hidden):
            live.add(op)
            worklist.append(op)
    while worklist:
        op = worklist.pop()
        for nested, is_hidden in _outermost_tables(op, hidden=hidden):
            _mark_live(nested, live, tables, hidden=is_hidden)
        references = references_in_scope(op)
        if references is None:
            raise UnknownSymbolTableError(op)
        scope = op.parent_op()
        assert scope is not None
        for reference in references:
            for symbol in tables.lookup(scope, reference):
                if symbol not in live:
                    live.add(symbol)
                    worklist.append(symbol)


def _outermost_tables(op: Operation, *, hidden: bool) -> list[tuple[Operation, bool]]:
    """Return the outermost symbol tables in `op`, and whether each is hidden."""
    if is_symbol_table(op):
        return [(op, hidden or _is_hidden(op))]
    return [
        found
        for inner in operations_in(op)
        for found in _outermost_tables(inner, hidden=True)
    ]


def _is_hidden(table: Operation) -> bool:
    return symbol_name(table) is None or visibility(table) == "private"


def erase_dead_symbols(table: Operation) -> int:
    """Erase the unreachable symbols of `table`; return how many were erased.

    Raises:
        UnknownSymbolTableError: the references of an operation are unknown.
    """
    live = live_symbols(table)
    dead = [
        op
        for nested in table.walk(region_first=True)
        if is_symbol_table(nested)
        for op in nested.regions[0].block.ops
        if symbol_name(op) is not None and op not in live
    ]
    for op in dead:
        Rewriter.erase_op(op)
    return len(dead)


class SymbolDCE(SymbolDCEPassBase):
    """The pass `symbol-dce`."""

    def run_on_operation(self) -> None:
        """Erase dead symbols of the operation, which must be a symbol table."""
        operation: Operation = self.operation
        if not is_symbol_table(operation):
            self.emit_error(
                f"'{self.context.name(operation)}' op  was scheduled to run under "
                "SymbolDCE, but does not define a symbol table"
            )
            self.signal_pass_failure()
            return
        try:
            erased = erase_dead_symbols(operation)
        except UnknownSymbolTableError as error:
            self.emit_error(str(error), error.operation)
            self.signal_pass_failure()
            return
        self.num_dce += erased
        if not erased:
            self.mark_unchanged()
