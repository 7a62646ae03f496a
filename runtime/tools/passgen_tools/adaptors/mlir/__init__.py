"""The adaptors of MLIR's IR."""

from passgen_tools.adaptors.mlir.editor import MLIREditor
from passgen_tools.adaptors.mlir.inspector import MLIRInspector
from passgen_tools.adaptors.mlir.transport import MLIRTransport

__all__ = ["MLIREditor", "MLIRInspector", "MLIRTransport"]
