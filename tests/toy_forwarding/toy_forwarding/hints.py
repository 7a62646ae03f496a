"""A dialect of hints: `toy_hints.keep` says that a buffer is read by somebody unseen."""

from __future__ import annotations

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def


@irdl_op_definition
class KeepOp(IRDLOperation):
    """Keeps a buffer and what is stored to it."""

    name = "toy_hints.keep"

    buffer = operand_def(MemRefType)

    assembly_format = "$buffer attr-dict `:` type($buffer)"


ToyHints = Dialect("toy_hints", [KeepOp])
