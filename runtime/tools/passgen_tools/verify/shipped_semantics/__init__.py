"""The semantics of operations of MLIR's dialects `arith`, `math` and `ub`.

They are those that `ArithOps.td`, `MathOps.td` and `UBOps.td` describe.
"""

from passgen_tools.verify.shipped_semantics.table import SEMANTICS

__all__ = ["SEMANTICS"]
