"""The dialect `test`: xDSL's, with the operations that MLIR's test passes create."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr, SymbolNameConstraint, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.test import Test
from xdsl.ir import Attribute, Dialect, Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_attr_def,
    opt_prop_def,
    prop_def,
    traits_def,
)
from xdsl.traits import SymbolOpInterface, SymbolTable
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


@irdl_op_definition
class SymbolOp(IRDLOperation):
    name = "test.symbol"

    sym_name = prop_def(SymbolNameConstraint())
    sym_visibility = opt_prop_def(StringAttr)

    traits = traits_def(SymbolOpInterface())


def test_dialect() -> Dialect:
    """Return the dialect."""
    ours: list[type[Operation]] = [AnyAttrOfI32StrOp, CallOp, SymbolOp]
    operations: list[type[Operation]] = [*Test.operations, *ours]
    return Dialect("test", operations, list(Test.attributes))
