"""The Python classes of the operations that passes run on, by IR library.

They are for editors and type checkers: generated modules import no IR library.
"""

from __future__ import annotations

from typing import Final

from passgen.model import PassGroup

IN_XDSL: Final = {
    "builtin.module": "xdsl.dialects.builtin:ModuleOp",
    "func.func": "xdsl.dialects.func:FuncOp",
}
"""The classes that no spec has to name.

There is no rule for others: most classes of xDSL are not named after their operations.
"""

_ANY: Final = {"xdsl": "xdsl.ir:Operation", "mlir": "mlir.ir:Operation"}
"""The class of operations of other and of all types."""


def operation_classes(group: PassGroup) -> dict[str, str]:
    """Return the class of the operations of each pass, by the pass's name.

    There is none without an `ir`: the passes may run on the IR of several libraries.
    """
    if not group.ir:
        return {}
    known: dict[str, str] = {}
    if group.ir == "xdsl":
        named = {operation.name: operation.python for operation in group.operations}
        known = IN_XDSL | named
    return {
        pass_.name: known.get(pass_.operation, _ANY[group.ir]) for pass_ in group.passes
    }
