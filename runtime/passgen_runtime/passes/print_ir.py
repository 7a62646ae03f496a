"""Print the IR in the middle of a pipeline.

Before and after are the same; `print-ir{label=here}` writes to standard error::

    // -----// IR Dump here //----- //
    func.func @f() {
      func.return
    }

Source: `lib/Transforms/PrintIR.cpp` of MLIR; the same text but for xDSL's own printing.
"""

from __future__ import annotations

from passgen_runtime.passes.generated.transforms_passes import PrintIRPassBase


def ir_dump(label: str, text: str) -> str:
    """Return the dump of an operation that prints as `text`."""
    title = f" {label}" if label else ""
    return f"// -----// IR Dump{title} //----- //\n{text}\n"


class PrintIR(PrintIRPassBase):
    """The pass `print-ir`."""

    def run_on_operation(self) -> None:
        """Print the operation."""
        self.context.print_debug(
            ir_dump(self.options.label, self.context.print(self.operation))
        )
