"""MLIR's own IR and passes, through MLIR's Python bindings."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_runtime.ir.mlir.bindings import BindingsError as BindingsError
from passgen_runtime.ir.mlir.context import MLIRContext as MLIRContext
from passgen_runtime.ir.mlir.external_passes import as_callable as as_callable
from passgen_runtime.ir.mlir.native_passes import (
    mlir_registry as mlir_registry,
    native_pass as native_pass,
    use_mlir_passes as use_mlir_passes,
)
