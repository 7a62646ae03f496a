"""Operations of MLIR's IR for workers, in modules with the symbols that they need."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from passgen_runtime.ir.mlir.bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir.context import MLIRContext
from passgen_tools.adaptors.mlir.symbol_uses import attributes_of

_REFERENCE: Final = re.compile(r'@([\w$.-]+|"[^"]*")')

IN_MODULE: Final = b"in a module"
"""Marks an encoded module that holds one operation and its declarations."""


class MLIRSymbolDeclarations:
    """The symbols that operations directly inside another one refer to.

    The bindings verify the module that they put around an operation when they read it,
    and so the uses of its symbols.
    """

    def __init__(self, context: MLIRContext, around: MLIRObject) -> None:
        """Look symbols up in `around`, which holds the operations."""
        self._context = context
        self._around = around

    def __call__(self, operation: MLIRObject) -> list[MLIRObject]:
        """Return the symbols that `operation` refers to, without regions' content."""
        text = operation.get_asm(print_generic_op_form=True, use_local_scope=True)
        names = dict.fromkeys(name.strip('"') for name in _REFERENCE.findall(text))
        own = self._context.symbol_name(operation) if names else None
        wanted = [name for name in names if name != own]
        symbols = self._symbols if wanted else {}
        return [self._declaration(symbols[name]) for name in wanted if name in symbols]

    @cached_property
    def _symbols(self) -> dict[str, MLIRObject]:
        found: dict[str, MLIRObject] = {}
        for operation in self._context.children(self._around):
            name = self._context.symbol_name(operation)
            if name is not None:
                found.setdefault(name, operation)
        return found

    def _declaration(self, symbol: MLIRObject) -> MLIRObject:
        if not len(symbol.regions):
            return symbol.clone(ip=False).operation
        ir = self._context.bindings.ir
        with symbol.context, symbol.location:
            attributes = attributes_of(symbol)
            attributes["sym_visibility"] = ir.StringAttr.get("private")
            return ir.Operation.create(
                symbol.name,
                results=[result.type for result in symbol.results],
                attributes=attributes,
                regions=len(symbol.regions),
                loc=symbol.location,
                ip=False,
            ).operation


def in_module(
    bindings: Bindings, operation: MLIRObject, declarations: Sequence[MLIRObject]
) -> MLIRObject:
    """Return a new module that holds a copy of `operation`, and `declarations`."""
    ir = bindings.ir
    with operation.context, operation.location:
        module = ir.Module.create(loc=operation.location)
    module.body.append(operation.clone(ip=False))
    for declaration in declarations:
        module.body.append(declaration)
    return module.operation
