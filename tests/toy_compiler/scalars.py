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
        for _ in range(self.options.rounds):
            self.apply_patterns()


class MultiplyByShifts(MultiplyByShiftsPassBase):
    """Replace multiplications by additions and shifts."""

    def run_on_operation(self) -> None:
        """Apply the patterns to functions in the scope."""
        visibility = self.operation.properties.get("sym_visibility")
        is_private = visibility is not None and visibility.data == "private"
        if self.options.scope is Scope.ALL or is_private:
            self.apply_patterns()
        else:
            self.mark_unchanged()
