"""The dialect `test`: xDSL's, with the operations that MLIR's test passes create."""

from __future__ import annotations

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.test import Test
from xdsl.ir import Attribute, Dialect, Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition, opt_attr_def, prop_def
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class AnyAttrOfI32StrOp(IRDLOperation):
    name = "test.any_attr_of_i32_str"

    attr = opt_attr_def(Attribute)

    def verify_(self) -> None:
        if self.attr is None:
            raise VerifyException("requires attribute 'attr'")


@irdl_op_definition
class CallOp(IRDLOperation):
    name = "test.call"

    callee = prop_def(SymbolRefAttr)

    def verify_(self) -> None:
        if self.parent is None:
            return
        if not isinstance(SymbolTable.lookup_symbol(self, self.callee), FuncOp):
            callee = self.callee.root_reference.data
            message = f"'{callee}' does not reference a valid function"
            raise VerifyException(message)


def test_dialect() -> Dialect:
    """Return the dialect."""
    operations: list[type[Operation]] = [*Test.operations, AnyAttrOfI32StrOp, CallOp]
    return Dialect("test", operations, list(Test.attributes))
