"""The Python classes of the operations that passes run on, by IR library.

They are for editors and type checkers: generated modules import no IR library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from passgen.model import Pass, PassGroup

IN_XDSL: Final = {
    "builtin.module": "xdsl.dialects.builtin:ModuleOp",
    "func.func": "xdsl.dialects.func:FuncOp",
}
"""The classes that no spec has to name.

There is no rule for others: most classes of xDSL are not named after their operations.
"""

_ANY: Final = {"xdsl": "xdsl.ir:Operation", "mlir": "mlir.ir:Operation"}
"""The class of operations of other and of all types."""


def operation_type(pass_: Pass, group: PassGroup) -> str:
    """Return the class of the operations of a pass, with its module.

    It is empty without an `ir`: the pass may run on the IR of several libraries.
    """
    if not group.ir:
        return ""
    known: dict[str, str] = {}
    if group.ir == "xdsl":
        known = IN_XDSL | {
            operation.name: operation.python for operation in group.operations
        }
    anchor = pass_.anchor
    is_one = anchor is not None and anchor.kind == "operation"
    python = known.get(anchor.name) if anchor and is_one else None
    return (python or _ANY[group.ir]).replace(":", ".")


@dataclass(frozen=True)
class OperationModule:
    """A module of classes of operations."""

    name: str
    is_untyped: bool
    """Whether type checkers may find no types in it: MLIR's bindings may lack stubs."""


def operation_modules(group: PassGroup) -> tuple[OperationModule, ...]:
    """Return the modules of the IR library that hold the types of operations."""
    return tuple(
        OperationModule(name, group.ir == "mlir")
        for name in _modules(group)
        if _is_of_library(name, group)
    )


def own_operation_modules(group: PassGroup) -> tuple[str, ...]:
    """Return the other modules that hold the types of operations."""
    return tuple(
        module for module in _modules(group) if not _is_of_library(module, group)
    )


def _modules(group: PassGroup) -> list[str]:
    types = {operation_type(pass_, group) for pass_ in group.passes} - {""}
    return sorted({type_.rpartition(".")[0] for type_ in types})


def _is_of_library(module: str, group: PassGroup) -> bool:
    return module.partition(".")[0] == group.ir
