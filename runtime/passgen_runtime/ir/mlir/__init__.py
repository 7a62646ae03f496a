"""MLIR's own IR and passes, through MLIR's Python bindings."""

from passgen_runtime.ir.mlir.bindings import BindingsError
from passgen_runtime.ir.mlir.context import MLIRContext
from passgen_runtime.ir.mlir.external_passes import as_callable
from passgen_runtime.ir.mlir.native_passes import (
    mlir_registry,
    native_pass,
    use_mlir_passes,
)

__all__ = [
    "BindingsError",
    "MLIRContext",
    "as_callable",
    "mlir_registry",
    "native_pass",
    "use_mlir_passes",
]
