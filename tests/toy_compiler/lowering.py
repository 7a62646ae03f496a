"""Lowering of loads and stores to pointers, as xDSL does it."""

from __future__ import annotations

from xdsl.transforms.convert_memref_to_ptr import ConvertMemRefToPtr

from passgen_runtime.ir.xdsl import XDSLContext
from tests.toy_compiler.generated.toy_compiler_passes import LowerMemRefToPtrPassBase


class LowerMemRefToPtr(LowerMemRefToPtrPassBase):
    """Lower loads and stores to pointers."""

    def run_on_operation(self) -> None:
        """Let xDSL's own pass do it."""
        context = self.context
        assert isinstance(context, XDSLContext)
        ConvertMemRefToPtr().apply(context.xdsl, self.operation)
