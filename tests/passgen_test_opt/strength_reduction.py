"""A pass on MLIR's IR, as an author writes one on a generated base.

%c8 = arith.constant 8 : i32               %c3 = arith.constant 3 : i32
%0 = arith.muli %a, %c8 : i32              %0 = arith.shli %a, %c3 : i32
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir.dialects import arith
from mlir.ir import InsertionPoint, IntegerAttr, Operation, OpResult, Value

from tests.passgen_test_opt.generated.test_passes import (
    TestStrengthReductionPassBase,
)


class TestStrengthReductionPass(TestStrengthReductionPassBase):
    def run_on_operation(self) -> None:
        for multiplication, shift in list(_candidates(self.operation)):
            if shift > self.options.max_shift:
                message = f"shift by {shift} exceeds {self.options.max_shift}"
                self.emit_error(message, multiplication)
                self.signal_pass_failure()
                return
            self._replace(multiplication, shift)

    def _replace(self, multiplication: Operation, shift: int) -> None:
        operand = multiplication.operands[0]
        with InsertionPoint(multiplication), multiplication.location:
            amount = arith.constant(operand.type, shift)
            shifted = arith.shli(operand, amount)
        multiplication.results[0].replace_all_uses_with(shifted)
        multiplication.erase()
        self.num_reduced += 1


def _candidates(function: Operation) -> Iterator[tuple[Operation, int]]:
    """Yield the multiplications by a power of two, each with the shift."""
    for region in function.regions:
        for block in region.blocks:
            for operation in block.operations:
                if operation.operation.name == "arith.muli":
                    factor = _constant(operation.operands[1])
                    if factor > 0 and factor & (factor - 1) == 0:
                        yield operation.operation, factor.bit_length() - 1


def _constant(value: Value) -> int:
    """Return the constant that `value` is; 0 if it is none."""
    if not isinstance(value, OpResult):
        return 0
    owner = value.owner
    if owner.operation.name != "arith.constant":
        return 0
    return int(IntegerAttr(owner.attributes["value"]).value)
