"""Symbols and the references to them.

Source: `lib/IR/SymbolTable.cpp` of MLIR.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    StringAttr,
    SymbolRefAttr,
    UnregisteredOp,
)
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.irdl import IRDLOperation
from xdsl.traits import SymbolOpInterface, SymbolTable

from passgen_runtime.passes.analysis.nested_operations import operations_in

VISIBILITY = "sym_visibility"


def is_symbol_table(op: Operation) -> bool:
    """Return whether `op` defines a symbol table."""
    return op.has_trait(SymbolTable, value_if_unregistered=False)


def symbol_name(op: Operation) -> str | None:
    """Return the symbol that `op` defines, `None` if it defines none."""
    trait = op.get_trait(SymbolOpInterface)
    name = trait.get_sym_attr_name(op) if trait is not None else None
    return None if name is None else name.data


def visibility(op: Operation) -> str:
    """Return the visibility of the symbol `op`, which is `public` by default."""
    value = op.get_attr_or_prop(VISIBILITY)
    return value.data if isinstance(value, StringAttr) else "public"


def set_visibility(op: Operation, value: str) -> None:
    """Set the visibility of the symbol `op`."""
    is_property = VISIBILITY in op.properties or (
        isinstance(op, IRDLOperation)
        and VISIBILITY in type(op).get_irdl_definition().properties
    )
    (op.properties if is_property else op.attributes)[VISIBILITY] = StringAttr(value)


def symbol_references(op: Operation) -> Iterator[SymbolRefAttr]:
    """Yield the references that `op` itself holds, in its attributes and properties."""
    for attribute in (*op.properties.values(), *op.attributes.values()):
        yield from _references_in(attribute)


def _references_in(attribute: Attribute) -> Iterator[SymbolRefAttr]:
    match attribute:
        case SymbolRefAttr():
            yield attribute
        case ArrayAttr():
            for element in attribute.data:
                yield from _references_in(element)
        case DictionaryAttr():
            for element in attribute.data.values():
                yield from _references_in(element)
        case ParametrizedAttribute():
            for parameter in attribute.parameters:
                yield from _references_in(parameter)


def references_in_scope(op: Operation) -> Iterator[SymbolRefAttr] | None:
    """Return the references in `op` that the symbol table around `op` resolves.

    A nested symbol table resolves the references inside it. `None` if `op` holds an
    unregistered operation that may be a symbol table.
    """
    scope: list[Operation] = []
    worklist = [op]
    while worklist:
        inner = worklist.pop()
        if isinstance(inner, UnregisteredOp) and len(inner.regions) == 1:
            return None
        scope.append(inner)
        if not is_symbol_table(inner):
            worklist.extend(operations_in(inner))
    return (ref for operation in scope for ref in symbol_references(operation))


class SymbolTables:
    """The symbols of symbol tables by name; valid until a symbol changes."""

    def __init__(self) -> None:
        """Collect the symbols of each table when it is first needed."""
        self._symbols: dict[Operation, dict[str, Operation]] = {}

    def lookup(self, table: Operation, reference: SymbolRefAttr) -> list[Operation]:
        """Return the operations that the parts of `reference` name, outermost first.

        Empty if one of them does not exist.
        """
        found: list[Operation] = []
        names = (reference.root_reference, *reference.nested_references.data)
        for name in names:
            symbol = self._symbols_of(table).get(name.data)
            if symbol is None:
                return []
            found.append(symbol)
            table = symbol
        return found

    def _symbols_of(self, table: Operation) -> dict[str, Operation]:
        symbols = self._symbols.get(table)
        if symbols is None:
            symbols = self._symbols[table] = {}
            for op in table.regions[0].block.ops if is_symbol_table(table) else ():
                name = symbol_name(op)
                if name is not None:
                    symbols.setdefault(name, op)
        return symbols
