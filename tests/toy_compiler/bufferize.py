"""One-shot bufferization of what the toy compiler knows: elements of static tensors.

    %1 = tensor.insert %x into %0[%i]     ->    memref.store %x, %0[%i]

Every insertion writes into the buffer that it was given: whoever needs the tensor from
before must have copied it.
"""

from __future__ import annotations

from typing import Any

from xdsl.dialects import func, memref, tensor
from xdsl.dialects.builtin import FunctionType, MemRefType, TensorType
from xdsl.ir import Attribute
from xdsl.rewriter import Rewriter

from tests.toy_compiler.generated.toy_compiler_passes import OneShotBufferizePassBase


class OneShotBufferize(OneShotBufferizePassBase):
    """Let the tensors of all functions live in buffers."""

    def run_on_operation(self) -> None:
        """Turn the arguments of functions, then what is done with them."""
        for function in list(self.operation.walk()):
            if isinstance(function, func.FuncOp):
                _bufferize(function)


def _bufferize(function: func.FuncOp) -> None:
    for block in function.body.blocks:
        for argument in block.args:
            Rewriter.replace_value_with_new_type(argument, _buffer(argument.type))
    for operation in list(function.walk()):
        new: Any
        if isinstance(operation, tensor.EmptyOp):
            new = memref.AllocOp((), (), _buffer(operation.tensor.type))
            Rewriter.replace_op(operation, new)
        elif isinstance(operation, tensor.ExtractOp):
            new = memref.LoadOp.get(operation.tensor, operation.indices)
            Rewriter.replace_op(operation, new)
        elif isinstance(operation, tensor.InsertOp):
            new = memref.StoreOp.get(
                operation.scalar, operation.dest, operation.indices
            )
            Rewriter.replace_op(operation, new, [operation.dest])
    function.properties["function_type"] = FunctionType.from_lists(
        [_buffer(each) for each in function.function_type.inputs],
        [_buffer(each) for each in function.function_type.outputs],
    )


def _buffer(type_: Attribute) -> Any:  # noqa: ANN401 - of whatever kind `type_` is
    if isinstance(type_, TensorType):
        return MemRefType(type_.element_type, type_.get_shape())
    return type_
