"""Print the IR in the middle of a pipeline.

Before and after are the same; `print-ir{label=here}` writes to standard error::

    // -----// IR Dump here //----- //
    func.func @f() {
      func.return
    }

Source: `lib/Transforms/PrintIR.cpp` of MLIR; the text is the same but for xDSL's
printer.
"""

from __future__ import annotations

from passgen_runtime.diagnostics import visible
from passgen_runtime.passes.generated.transforms_passes import PrintIRPassBase


class PrintIR(PrintIRPassBase):
    """The pass `print-ir`."""

    def run_on_operation(self) -> None:
        """Print the operation."""
        label = f" {visible(self.options.label)}" if self.options.label else ""
        text = self.context.print(self.operation)
        self.context.print_debug(f"// -----// IR Dump{label} //----- //\n{text}\n")
        self.mark_unchanged()
