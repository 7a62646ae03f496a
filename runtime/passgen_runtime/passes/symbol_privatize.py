"""Make symbols private.

Before::

    func.func @main() { ... }
    func.func @inner() { ... }

After `symbol-privatize{exclude=main}`::

    func.func @main() { ... }
    func.func private @inner() { ... }

Source: `lib/Transforms/SymbolPrivatize.cpp` of MLIR. Only symbols directly in the
operation change, not those of symbol tables inside it.
"""

from __future__ import annotations

from collections.abc import Collection

from xdsl.ir import Operation

from passgen_runtime.passes.analysis import (
    operations_in,
    set_visibility,
    symbol_name,
    visibility,
)
from passgen_runtime.passes.generated.transforms_passes import SymbolPrivatizePassBase


def privatize_symbols(root: Operation, exclude: Collection[str]) -> int:
    """Make the symbols in `root` private except `exclude`; return how many changed."""
    public = [
        op
        for op in operations_in(root)
        if (name := symbol_name(op)) is not None
        and name not in exclude
        and visibility(op) != "private"
    ]
    for op in public:
        set_visibility(op, "private")
    return len(public)


class SymbolPrivatize(SymbolPrivatizePassBase):
    """The pass `symbol-privatize`."""

    def run_on_operation(self) -> None:
        """Privatize the symbols of the operation."""
        if not privatize_symbols(self.operation, frozenset(self.options.exclude)):
            self.mark_unchanged()
