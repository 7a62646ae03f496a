"""Inspection of MLIR's IR."""

from __future__ import annotations

import re
from collections.abc import Hashable

from passgen_runtime.ir.digests import digest_of
from passgen_runtime.ir.mlir.bindings import MLIRObject
from passgen_runtime.ir.mlir.native_pipeline import NativePass, NativePipeline
from passgen_runtime.operation_pass import Pass
from passgen_tools.adaptors.inspection import Inspector
from passgen_tools.adaptors.mlir.editor import MLIREditor
from passgen_tools.adaptors.mlir.symbol_uses import attributes_of

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_GENERIC_OPERATION = re.compile(r'"([\w$-]+)\.[\w$.-]+"(?=\()')
_TYPE_OR_ATTRIBUTE = re.compile(r"[!#]([\w$-]+)[.<]")


class MLIRInspector(Inspector):
    """Looks at operations of MLIR's IR."""

    can_be_audited = False

    def is_native(self, pass_: Pass) -> bool:
        """Return whether MLIR runs `pass_` itself."""
        return isinstance(pass_, NativePass | NativePipeline)

    def shallow_fingerprint(self, operation: MLIRObject) -> bytes:
        """Return a digest of `operation` without the operations inside it."""
        arguments = [
            [str(argument.type) for argument in block.arguments]
            for region in operation.regions
            for block in region.blocks
        ]
        named = attributes_of(operation).items()
        attributes = [f"{name}={value}" for name, value in named]
        parts = (*self.frame(operation), attributes, str(operation.location), arguments)
        return digest_of(repr(parts))

    def frame(self, operation: MLIRObject) -> tuple[Hashable, ...]:
        """Return name, operands, results, successors and block."""
        parent = operation.parent
        return (
            operation.operation.name,
            tuple(map(hash, operation.operands)),
            tuple(str(result.type) for result in operation.results),
            tuple(map(hash, operation.operation.successors)),
            None if parent is None else hash(operation.operation.block),
        )

    def used_dialects(self, operation: MLIRObject) -> set[str]:
        """Return the dialects that the generic form of `operation` names."""
        text = operation.get_asm(print_generic_op_form=True, use_local_scope=True)
        without_strings = _STRING.sub("", text)
        return {
            *_GENERIC_OPERATION.findall(text),
            *_TYPE_OR_ATTRIBUTE.findall(without_strings),
        }

    def first_operations(self, operation: MLIRObject) -> dict[str, MLIRObject]:
        """Return the first operation of each name in `operation`, and itself."""
        first: dict[str, MLIRObject] = {}
        for inner in MLIREditor().walk(operation.operation):
            first.setdefault(inner.name, inner)
        return first
