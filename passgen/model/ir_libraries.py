"""The IR libraries that the key `ir` of a spec names: a row each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True)
class IRLibrary:
    """An IR library, as generated code and the texts of `passgen` know it."""

    name: str
    operation: str
    """The class of operations of any type, as `module:Class`."""

    context: str
    """The class of the runtime's contexts, as `module:Class`."""

    classes: Mapping[str, str] = field(default_factory=dict)
    """The classes of some operation types, which no spec has to name."""

    is_python: bool = False
    """Whether it is written in Python: dialects are Python classes, and passes for its
    IR run in browsers, and not in pipelines of C++."""

    is_typed: bool = False
    """Whether type checkers know its classes; those of operations may be declared."""


_XDSL: Final = IRLibrary(
    name="xdsl",
    operation="xdsl.ir:Operation",
    context="passgen_runtime.ir.xdsl:XDSLContext",
    # There is no rule for others: most classes are not named after their operations.
    classes={
        "builtin.module": "xdsl.dialects.builtin:ModuleOp",
        "func.func": "xdsl.dialects.func:FuncOp",
    },
    is_python=True,
    is_typed=True,
)
_MLIR: Final = IRLibrary(
    name="mlir",
    operation="mlir.ir:Operation",
    context="passgen_runtime.ir.mlir:MLIRContext",
)

IR_LIBRARIES: Final = {library.name: library for library in (_XDSL, _MLIR)}
"""The IR libraries by name, in the order in which patterns of any are tried."""

DEFAULT_IR_LIBRARY: Final = _XDSL
"""The library that a new pass is written for."""
