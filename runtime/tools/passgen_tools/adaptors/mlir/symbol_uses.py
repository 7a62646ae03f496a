"""Operations that refer to symbols, hidden from the verifier while MLIR reads IR.

The bindings verify all that they read, inside of a module: a call is refused there if
its function is in another module. So calls and the like are encoded as casts, which
MLIR accepts with any operands, results and attributes, and made again when decoded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from passgen_runtime.context import Context
from passgen_runtime.ir.mlir.bindings import Bindings, MLIRObject
from passgen_tools.adaptors.encoded_ir import ir_error

_CAST: Final = "builtin.unrealized_conversion_cast"
_NAME: Final = "encoded_name"
_ATTRIBUTES: Final = "encoded_attributes"
_HAS_NO_RESULTS: Final = "encoded_without_results"
"""A cast has one at least."""


def hide_symbol_uses(context: Context, bindings: Bindings, root: MLIRObject) -> None:
    """Replace operations in `root` that refer to symbols by casts."""

    def hide(operation: MLIRObject) -> None:
        attributes = attributes_of(operation)
        uses_symbols = any(str(value).startswith("@") for value in attributes.values())
        has_more = len(operation.regions) or len(operation.successors)
        if not uses_symbols or has_more or context.info(operation) is None:
            return
        results = [result.type for result in operation.results]
        encoded = {
            _NAME: bindings.ir.StringAttr.get(context.name(operation)),
            _ATTRIBUTES: bindings.ir.DictAttr.get(attributes),
        }
        if not results:
            results = [bindings.ir.NoneType.get()]
            encoded[_HAS_NO_RESULTS] = bindings.ir.UnitAttr.get()
        _replace(bindings, operation, _CAST, results, encoded)

    _for_each(context, root, hide)


def restore_symbol_uses(context: Context, bindings: Bindings, root: MLIRObject) -> None:
    """Replace the casts in `root` by the operations that they stand for.

    Raises:
        IRError: one of them is not registered.
    """

    def restore(operation: MLIRObject) -> None:
        if context.name(operation) != _CAST or _NAME not in operation.attributes:
            return
        name = bindings.ir.StringAttr(operation.attributes[_NAME]).value
        if context.lookup(name) is None:
            raise ir_error(f"operation '{name}' is not registered")
        encoded = bindings.ir.DictAttr(operation.attributes[_ATTRIBUTES])
        named = (encoded[index] for index in range(len(encoded)))
        attributes = {attribute.name: attribute.attr for attribute in named}
        has_results = _HAS_NO_RESULTS not in operation.attributes
        results = [result.type for result in operation.results] if has_results else []
        _replace(bindings, operation, name, results, attributes)

    _for_each(context, root, restore)


def _for_each(
    context: Context, root: MLIRObject, change: Callable[[MLIRObject], None]
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
    bindings: Bindings,
    operation: MLIRObject,
    name: str,
    results: list[MLIRObject],
    attributes: dict[str, MLIRObject],
) -> None:
    ir = bindings.ir
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
