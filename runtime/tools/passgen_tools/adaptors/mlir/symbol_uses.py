"""Operations that refer to symbols, hidden from the verifier while MLIR reads IR.

The bindings verify all that they read, inside of a module: a call is refused there if
its function is in another module. So calls and the like are encoded as casts, which
MLIR accepts with any operands, results and attributes, and made again when decoded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from passgen_runtime.ir.mlir.bindings import MLIRObject
from passgen_runtime.ir.mlir.context import MLIRContext
from passgen_tools.adaptors.encoded_ir import ir_error

_CAST: Final = "builtin.unrealized_conversion_cast"
_NAME: Final = "encoded_name"
_ATTRIBUTES: Final = "encoded_attributes"
_HAS_NO_RESULTS: Final = "encoded_without_results"
"""A cast has one at least."""


def hide_symbol_uses(context: MLIRContext, root: MLIRObject) -> None:
    """Replace operations in `root` that refer to symbols by casts."""
    ir = context.bindings.ir

    def hide(operation: MLIRObject) -> None:
        attributes = attributes_of(operation)
        uses_symbols = any(str(value).startswith("@") for value in attributes.values())
        has_more = len(operation.regions) or len(operation.successors)
        if not uses_symbols or has_more or context.info(operation) is None:
            return
        results = [result.type for result in operation.results]
        encoded = {
            _NAME: ir.StringAttr.get(context.name(operation)),
            _ATTRIBUTES: ir.DictAttr.get(attributes),
        }
        if not results:
            results = [ir.NoneType.get()]
            encoded[_HAS_NO_RESULTS] = ir.UnitAttr.get()
        _replace(ir, operation, _CAST, results, encoded)

    _for_each(context, root, hide)


def restore_symbol_uses(context: MLIRContext, root: MLIRObject) -> None:
    """Replace the casts in `root` by the operations that they stand for.

    Raises:
        IRError: one of them is not registered.
    """
    ir = context.bindings.ir

    def restore(operation: MLIRObject) -> None:
        if context.name(operation) != _CAST or _NAME not in operation.attributes:
            return
        name = ir.StringAttr(operation.attributes[_NAME]).value
        if context.lookup(name) is None:
            raise ir_error(f"operation '{name}' is not registered")
        encoded = ir.DictAttr(operation.attributes[_ATTRIBUTES])
        named = (encoded[index] for index in range(len(encoded)))
        attributes = {attribute.name: attribute.attr for attribute in named}
        has_results = _HAS_NO_RESULTS not in operation.attributes
        results = [result.type for result in operation.results] if has_results else []
        _replace(ir, operation, name, results, attributes)

    _for_each(context, root, restore)


def _for_each(
    context: MLIRContext, root: MLIRObject, change: Callable[[MLIRObject], None]
) -> None:
    """Call `change` with each operation inside `root`, which it may replace."""
    pending = [root]
    while pending:
        for child in context.children(pending.pop()):
            if len(child.regions):
                pending.append(child)
            else:
                change(child)


def attributes_of(operation: MLIRObject) -> dict[str, MLIRObject]:
    """Return the attributes of an operation by name."""
    named = (operation.attributes[index] for index in range(len(operation.attributes)))
    return {attribute.name: attribute.attr for attribute in named}


def _replace(
    ir: MLIRObject,
    operation: MLIRObject,
    name: str,
    results: list[MLIRObject],
    attributes: dict[str, MLIRObject],
) -> None:
    new = ir.Operation.create(
        name,
        results=results,
        operands=list(operation.operands),
        attributes=attributes,
        loc=operation.location,
        ip=ir.InsertionPoint(operation),
    )
    for old, result in zip(operation.results, new.results, strict=False):
        old.replace_all_uses_with(result)
    operation.erase()
