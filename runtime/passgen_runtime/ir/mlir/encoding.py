"""MLIR's IR as bytes: MLIR's bytecode, after a header with a checksum.

MLIR may end the process when it writes an operation that uses values from outside, and
when it reads damaged bytecode: both are found before MLIR sees them.
"""

from __future__ import annotations

from io import BytesIO
from typing import Final

from passgen_runtime.context import Context
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.encoded_ir import content_of, framed
from passgen_runtime.errors import IRError
from passgen_runtime.ir.mlir.bindings import Bindings, MLIRObject

_FORM: Final = b"MLIR"
_VERSION: Final = 1

_MODULE: Final = b"m"
_OTHER: Final = b"o"
"""An operation that the bindings put into a module when they read it."""


def encode(context: Context, root: MLIRObject) -> bytes:
    """Return `root` as bytes.

    Raises:
        IRError: it uses a value from outside.
    """
    info = context.info(root)
    if info is None or not info.is_isolated_from_above or len(root.operands):
        _check_is_closed(context, root)
    stream = BytesIO()
    is_module = context.name(root) == "builtin.module"
    stream.write(_MODULE if is_module else _OTHER)
    root.operation.write_bytecode(stream)
    return framed(stream.getvalue(), _FORM, _VERSION)


def content(data: bytes) -> bytes:
    """Return what follows the header in `data`.

    Raises:
        IRError: it is damaged, or not of this version.
    """
    return bytes(content_of(data, _FORM, _VERSION))


def read_operation(bindings: Bindings, mlir: MLIRObject, encoded: bytes) -> MLIRObject:
    """Return the operation in `encoded`, the content of encoded IR.

    Raises:
        MLIRError: of the bindings: it is not valid.
    """
    module = bindings.ir.Module.parse(encoded[1:], mlir).operation
    if encoded[:1] == _MODULE:
        return module
    (operation,) = module.regions[0].blocks[0].operations
    return operation.operation.detach_from_parent().operation


def _check_is_closed(context: Context, root: MLIRObject) -> None:
    """Check that `root` uses no value from outside.

    Raises:
        IRError: it does.
    """
    operations = [root.operation]
    known = set()
    for operation in operations:  # grows
        known.update(operation.results)
        for region in operation.regions:
            for block in region.blocks:
                known.update(block.arguments)
        operations += context.children(operation)
    for operation in operations:
        for index, operand in enumerate(operation.operands):
            if operand not in known:
                message = (
                    f"'{context.name(operation)}' op cannot be encoded: operand "
                    f"#{index} is defined outside of the encoded '{context.name(root)}'"
                )
                place = context.location(operation)
                raise IRError(Diagnostic("error", message, place))
