"""The adaptors of MLIR's IR."""

from passgen_runtime.extensions.adaptors.mlir.editor import MLIREditor
from passgen_runtime.extensions.adaptors.mlir.inspector import MLIRInspector
from passgen_runtime.extensions.adaptors.mlir.transport import MLIRTransport

__all__ = ["MLIREditor", "MLIRInspector", "MLIRTransport"]
