"""MLIR's IR as bytes: MLIR's bytecode, after a header with a checksum.

MLIR may end the process when it writes an operation that uses values from outside,
which is found before, and when it reads damaged bytecode. The checksum finds what was
damaged on its way; bytecode that somebody has made for it ends the process.

MLIR reads resources from aligned addresses only, and Python cannot align bytes: an
operation with resources is encoded as text. What else can be read is found by reading.
"""

from __future__ import annotations

from io import BytesIO
from typing import Final

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import IRError
from passgen_runtime.ir.mlir.bindings import MLIRObject
from passgen_runtime.ir.mlir.context import MLIRContext
from passgen_runtime.ir.mlir.diagnostics import reported_to
from passgen_runtime.ir.mlir.parser import parse_operation
from passgen_runtime.ir.mlir.settings import errors_reported
from passgen_tools.adaptors.encoded_ir import PLACE, content_of, frame, ir_error
from passgen_tools.adaptors.mlir.symbol_uses import (
    hide_symbol_uses,
    restore_symbol_uses,
)

_FORM: Final = b"MLIR"
_VERSION: Final = 1

_MODULE, _OTHER, _SYMBOL_USER, _TEXT = b"m", b"o", b"s", b"t"
"""The kinds of content: bytecode of a module, bytecode of another operation, the same
with hidden symbol uses, and text."""

_MAGIC_SIZE: Final = 4
_RESOURCES: Final = 5
"""The ID of the resource section, in the first byte of a section of bytecode."""

_IS_ALIGNED: Final = 0x80
"""The bit of that byte for an aligned section; those before the resources are not."""


def encode(context: MLIRContext, root: MLIRObject) -> bytes:
    """Return `root` as bytes.

    Raises:
        IRError: it uses a value from outside.
    """
    info = context.info(root)
    if info is None or not info.is_isolated_from_above or len(root.operands):
        _check_is_closed(context, root)
    is_module = context.name(root) == "builtin.module"
    encoded = (_MODULE if is_module else _OTHER) + _bytecode_of(root)
    has_resources = _holds_resources(encoded[1:])
    if has_resources or not (is_module or _is_readable(context, encoded)):
        root = context.clone(root)
        if not is_module:
            with context.mlir:
                hide_symbol_uses(context, root)
        encoded = _SYMBOL_USER + _bytecode_of(root)
    if has_resources:
        # The copy has no parent: only such operations are printed with resources.
        text: str = root.get_asm(print_generic_op_form=True, enable_debug_info=True)
        encoded = _TEXT + text.encode()
    return frame(encoded, _FORM, _VERSION)


def content(data: bytes) -> bytes:
    """Return the part of `data` after the header.

    Raises:
        IRError: it is damaged, or not of this version.
    """
    return bytes(content_of(data, _FORM, _VERSION))


def has_resources(data: bytes) -> bool:
    """Return whether `data`, of `encode`, holds resources, which contexts rename."""
    return content(data).startswith(_TEXT)


def read_operation(context: MLIRContext, encoded: bytes) -> MLIRObject:
    """Return the operation in `encoded`, the content of encoded IR.

    Raises:
        MLIRError: of the bindings: it is not valid.
        IRError: it is not what `encode` writes.
    """
    bindings, mlir = context.bindings, context.mlir
    form, rest = encoded[:1], encoded[1:]
    if form == _TEXT:
        try:
            text = rest.decode()
        except UnicodeDecodeError as error:
            raise ir_error(f"damaged: {error}") from error
        operation = parse_operation(bindings, mlir, text, PLACE)
    else:
        operation = bindings.ir.Module.parse(rest, mlir).operation
        if form != _MODULE:
            operations = context.children(operation)
            if len(operations) != 1:
                raise ir_error(f"damaged: {len(operations)} operations, expected one")
            operation = operations[0].detach_from_parent().operation
    if form in {_TEXT, _SYMBOL_USER}:
        with mlir:
            restore_symbol_uses(context, operation)
    return operation


def _bytecode_of(root: MLIRObject) -> bytes:
    stream = BytesIO()
    root.operation.write_bytecode(stream)
    return stream.getvalue()


def _is_readable(context: MLIRContext, encoded: bytes) -> bool:
    """Return whether the bindings can read `encoded`: symbols may be missing there."""
    try:
        with errors_reported(context.mlir), reported_to(lambda _: None, context.mlir):
            read_operation(context, encoded)
    except context.bindings.ir.MLIRError:
        return False
    return True


def _holds_resources(bytecode: bytes) -> bool:
    """Return whether the section of `bytecode` that has resources is not empty."""
    _, place = _varint(bytecode, _MAGIC_SIZE)  # after the version comes the producer
    place = bytecode.index(b"\0", place) + 1
    while place < len(bytecode):
        section = bytecode[place]
        size, place = _varint(bytecode, place + 1)
        if section & ~_IS_ALIGNED == _RESOURCES:
            return size > 0
        place += size
    return False


def _varint(bytecode: bytes, place: int) -> tuple[int, int]:
    """Return a number in MLIR's bytecode, and the place after it.

    The lowest bit that is set in the first byte says how many bytes there are.
    """
    first = bytecode[place]
    num_bytes = (first & -first).bit_length() if first else 9
    data = bytecode[place : place + num_bytes]
    return int.from_bytes(data, "little") >> min(num_bytes, 8), place + num_bytes


def _check_is_closed(context: MLIRContext, root: MLIRObject) -> None:
    """Check that `root` uses no value from outside.

    Raises:
        IRError: it does.
    """
    operations = [root.operation]
    known = set()
    for operation in operations:  # which grow meanwhile
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
                raise IRError(Diagnostic("error", message, context.location(operation)))
