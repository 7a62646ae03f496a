"""The Python classes of the operations that passes run on, by IR library.

They are for editors and type checkers: generated modules import no IR library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from passgen.model import Pass, PassGroup

IN_XDSL: Final = {
    "arm_func.func": "xdsl.dialects.arm_func.FuncOp",
    "builtin.module": "xdsl.dialects.builtin.ModuleOp",
    "csl.module": "xdsl.dialects.csl.CslModuleOp",
    "csl_stencil.apply": "xdsl.dialects.csl_stencil.ApplyOp",
    "func.func": "xdsl.dialects.func.FuncOp",
    "gpu.func": "xdsl.dialects.gpu.FuncOp",
    "gpu.module": "xdsl.dialects.gpu.ModuleOp",
    "hw.module": "xdsl.dialects.hw.HWModuleOp",
    "omp.target": "xdsl.dialects.omp.TargetOp",
    "pdl_interp.func": "xdsl.dialects.pdl_interp.FuncOp",
    "riscv.assembly_section": "xdsl.dialects.riscv.AssemblySectionOp",
    "riscv_func.func": "xdsl.dialects.riscv_func.FuncOp",
    "stencil.apply": "xdsl.dialects.stencil.ApplyOp",
    "transform.named_sequence": "xdsl.dialects.transform.NamedSequenceOp",
    "transform.sequence": "xdsl.dialects.transform.SequenceOp",
    "x86_func.func": "xdsl.dialects.x86_func.FuncOp",
}
"""The operations of xDSL that passes can run on: they are isolated from above."""

_ANY: Final = {"xdsl": "xdsl.ir.Operation", "mlir": "mlir.ir.Operation"}
"""The class of operations of other and of all types."""


def operation_type(pass_: Pass, ir: str) -> str:
    """Return the class of the operations of a pass, with its module.

    It is empty without an `ir`: the pass may run on the IR of several libraries.
    """
    if not ir:
        return ""
    anchor = pass_.anchor
    is_typed = ir == "xdsl" and anchor is not None and anchor.kind == "operation"
    known = IN_XDSL.get(anchor.name) if is_typed and anchor else None
    return known or _ANY[ir]


@dataclass(frozen=True)
class OperationModule:
    """A module of classes of operations."""

    name: str
    is_untyped: bool
    """Whether type checkers may find no types in it: MLIR's bindings may lack stubs."""


def operation_modules(group: PassGroup) -> tuple[OperationModule, ...]:
    """Return the modules of the types of operations, each once."""
    types = {operation_type(each, group.ir) for each in group.passes} - {""}
    names = {type_.rpartition(".")[0] for type_ in types}
    return tuple(OperationModule(name, group.ir == "mlir") for name in sorted(names))
