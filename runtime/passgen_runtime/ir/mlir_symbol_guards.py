"""Guards of symbol tables.

A `SymbolTable` of the bindings has addresses of operations by name, frees what it is
told to erase, and knows nothing of what else becomes of its symbols. In passes, what it
erases goes into a grave; where it has what was erased, the IR is looked at instead.
"""

from __future__ import annotations

from contextlib import suppress
from inspect import unwrap
from typing import Final

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import (
    InvalidUseError,
    children_of,
    described,
    parent_of,
)
from passgen_runtime.ir.mlir_guard_checks import (
    Guard,
    Method,
    check_placed,
    check_same_context,
    erasures_in,
)
from passgen_runtime.ir.mlir_pattern_matches import check_no_pattern

_NAME: Final = "sym_name"
_PROBE: Final = "passgen.probe"


def symbol_guards(bindings: Bindings) -> tuple[Guard, ...]:
    """Return the guards of `bindings` that are for symbol tables."""
    table = bindings.ir.SymbolTable
    return (
        (table, "__getitem__", _look_up),
        (table, "__contains__", _contains),
        (table, "__delitem__", _delete),
        (table, "erase", _erase),
        (table, "insert", _insert),
        (table, "walk_symbol_tables", _walk),
    )


def _look_up(bindings: Bindings, original: Method) -> Method:
    def look_up(self: MLIRObject, name: str, /) -> MLIRObject:
        found = original(self, name)
        if bindings.running:
            found = _symbol(bindings, self, name, found)
            if found is None:
                message = f"Symbol '{name}' not in the symbol table."  # as MLIR says it
                raise KeyError(message)
        return found

    return look_up


def _contains(bindings: Bindings, original: Method) -> Method:
    look_up = unwrap(bindings.ir.SymbolTable.__getitem__)

    def contains(self: MLIRObject, name: str, /) -> bool:
        is_there: bool = original(self, name)
        if is_there and bindings.running:
            return _symbol(bindings, self, name, look_up(self, name)) is not None
        return is_there

    return contains


def _delete(bindings: Bindings, original: Method) -> Method:
    def delete(self: MLIRObject, name: str, /) -> None:
        if bindings.running:
            self.erase(self[name])
        else:
            original(self, name)

    return delete


def _erase(bindings: Bindings, original: Method) -> Method:
    def erase(self: MLIRObject, operation: MLIRObject) -> None:
        symbol = operation.operation
        erasures = erasures_in(bindings, symbol)
        if erasures is None:
            original(self, operation)
            return
        erasures.check_alive(symbol)
        check_no_pattern(symbol, "erased from a symbol table")
        erasures.note_table(self)
        if not _is_in(symbol, _operation_of(bindings, self, symbol)):
            message = (
                f"{described(symbol)} is not directly inside the operation that this "
                "symbol table is of"
            )
            raise InvalidUseError(message)
        erasures.erase(symbol)

    return erase


def _insert(bindings: Bindings, original: Method) -> Method:
    has = unwrap(bindings.ir.SymbolTable.__contains__)
    look_up = unwrap(bindings.ir.SymbolTable.__getitem__)

    def insert(self: MLIRObject, operation: MLIRObject) -> MLIRObject:
        symbol = operation.operation
        if bindings.running and _NAME in symbol.attributes:
            around = _operation_of(bindings, self, symbol)
            erasures = bindings.erasures_of(around.context)
            if erasures is not None:
                erasures.note_table(self)
                erasures.check_alive(symbol)
                erasures.check_alive(around)
                if parent_of(symbol) is None:
                    erasures.check_movable(symbol, "moved")
                    check_placed(symbol, around)
                    # MLIR would let the handle free it, as one outside of the IR.
                    _end_of(bindings, around).insert(symbol)
                elif not _is_in(symbol, around):
                    message = (
                        f"{described(symbol)} is not directly inside the operation "
                        "that this symbol table is of: detach it before"
                    )
                    raise InvalidUseError(message)
                name = symbol.attributes[_NAME]
                if (
                    has(self, name.value)
                    and erasures.is_erased(look_up(self, name.value).operation)
                    and _is_first(symbol, around, name.value)
                ):
                    return name  # MLIR would rename it for the erased one
        return original(self, operation)

    return insert


def _walk(bindings: Bindings, original: Method) -> Method:
    def walk_symbol_tables(
        from_op: MLIRObject,
        all_sym_uses_visible: bool,  # noqa: FBT001 - the signature of the bindings
        callback: Method,
    ) -> None:
        erasures = erasures_in(bindings, from_op)
        if erasures is None:
            original(from_op, all_sym_uses_visible, callback)
            return
        # MLIR goes on from where it called, which may be gone by then.
        pending: list[tuple[MLIRObject, bool]] = []
        original(from_op, all_sym_uses_visible, lambda *each: pending.append(each))
        for operation, is_visible in pending:
            if erasures.is_there(operation):
                callback(operation, is_visible)

    return walk_symbol_tables


def _symbol(
    bindings: Bindings, table: MLIRObject, name: str, found: MLIRObject
) -> MLIRObject | None:
    """Return the symbol called `name`, as which `table` has `found`."""
    symbol = found.operation
    erasures = bindings.erasures_of(symbol.context)
    if erasures is None:
        return found
    erasures.note_table(table)
    if not erasures.is_erased(symbol):
        return found
    around = _operation_of(bindings, table, symbol)
    present = _child(around, name)
    return None if present is None else present.opview


def _operation_of(
    bindings: Bindings, table: MLIRObject, symbol: MLIRObject
) -> MLIRObject:
    """Return the operation that `table` is of, which only a symbol in it can tell.

    Raises:
        InvalidUseError: it is of another context than `symbol`.
    """
    ir = bindings.ir
    insert, look_up, erase = (
        unwrap(each)
        for each in (
            ir.SymbolTable.insert,
            ir.SymbolTable.__getitem__,
            ir.SymbolTable.erase,
        )
    )
    with ir.Location.unknown(symbol.context):
        attributes = {_NAME: ir.StringAttr.get(_PROBE)}
        probe = bindings.create(
            "builtin.module", regions=1, attributes=attributes, ip=False
        ).operation
    name = insert(table, probe).value
    around: MLIRObject = None
    with suppress(KeyError):  # names are those of a context
        placed = look_up(table, name).operation
        around = placed.parent.operation
        placed._set_invalid()  # noqa: SLF001 - its only name
    erase(table, probe)
    check_same_context(symbol, None if around is None else around.context)
    return around


def _is_in(operation: MLIRObject, around: MLIRObject) -> bool:
    """Return whether `operation` is directly inside `around`."""
    parent = parent_of(operation)
    return parent is not None and parent == around


def _is_first(symbol: MLIRObject, around: MLIRObject, name: str) -> bool:
    """Return whether `symbol` is the first in `around` that is called `name`."""
    first = _child(around, name)
    return first is not None and first == symbol


def _child(around: MLIRObject, name: str) -> MLIRObject | None:
    """Return the symbol called `name` directly inside `around`."""
    for each in children_of(around):
        if _NAME in each.attributes and each.attributes[_NAME].value == name:
            return each
    return None


def _end_of(bindings: Bindings, around: MLIRObject) -> MLIRObject:
    """Return the insertion point at the end of `around`, before a terminator."""
    block, point = around.regions[0].blocks[0], bindings.ir.InsertionPoint
    try:
        return point.at_block_terminator(block)
    except ValueError:  # it has none
        return point(block)
