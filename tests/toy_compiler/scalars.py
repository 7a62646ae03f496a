"""Passes of the toy compiler that are patterns, with options."""

from __future__ import annotations

from tests.toy_compiler.generated.toy_compiler_passes import (
    MultiplyByShiftsPassBase,
    Scope,
    SimplifyScalarsPassBase,
)


class SimplifyScalars(SimplifyScalarsPassBase):
    """Simplify what is computed of integers."""

    def run_on_operation(self) -> None:
        """Apply the patterns in each round."""
        changes = [self.apply_patterns() for _ in range(self.options.rounds)]
        if not any(changes):
            self.mark_unchanged()


class MultiplyByShifts(MultiplyByShiftsPassBase):
    """Replace multiplications by additions and shifts."""

    def run_on_operation(self) -> None:
        """Apply the patterns to functions in the scope."""
        visibility = self.operation.properties.get("sym_visibility")
        is_private = visibility is not None and visibility.data == "private"
        is_in_scope = self.options.scope is Scope.ALL or is_private
        if not (is_in_scope and self.apply_patterns()):
            self.mark_unchanged()
