"""Inspection of MLIR's IR."""

from __future__ import annotations

from passgen_runtime.ir.digests import Resources
from passgen_runtime.ir.mlir.bindings import MLIRObject
from passgen_runtime.ir.mlir.native_pipeline import NativePass, NativePipeline
from passgen_runtime.ir.mlir.resources import resources_of
from passgen_runtime.operation_pass import Pass
from passgen_tools.adaptors.inspection import Inspector
from passgen_tools.adaptors.mlir.editor import MLIREditor
from passgen_tools.adaptors.mlir.pattern_checks import MLIRPatternChecks
from passgen_tools.adaptors.pattern_checks import PatternChecks


class MLIRInspector(Inspector):
    """Looks at operations of MLIR's IR."""

    has_lasting_objects = False

    def is_native(self, pass_: Pass) -> bool:
        """Return whether MLIR runs `pass_` itself."""
        return isinstance(pass_, NativePass | NativePipeline)

    def pattern_checks(self) -> PatternChecks:
        """Return new checks around functions that patterns call."""
        return MLIRPatternChecks(self.context)

    def resources(self, operation: MLIRObject, *, recursive: bool = True) -> Resources:
        """Return the resources that `operation` refers to and that have a content."""
        return resources_of(operation.operation, recursive=recursive)

    def first_operations(self, operation: MLIRObject) -> dict[str, MLIRObject]:
        """Return the first operation of each name in `operation`, and itself."""
        first: dict[str, MLIRObject] = {}
        for inner in MLIREditor().walk(operation.operation):
            first.setdefault(inner.name, inner)
        return first
