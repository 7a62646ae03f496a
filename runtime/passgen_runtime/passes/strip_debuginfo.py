"""Set the locations of operations and block arguments to unknown.

Before::

    %0 = arith.constant 1 : i32 loc("model.py":7:3)

After::

    %0 = arith.constant 1 : i32 loc(unknown)

Source: `lib/Transforms/StripDebugInfo.cpp` of MLIR.
"""

from __future__ import annotations

from xdsl.dialects.builtin import UnknownLoc
from xdsl.ir import Operation

from passgen_runtime.passes.generated.transforms_passes import StripDebugInfoPassBase


def strip_locations(root: Operation) -> None:
    """Set the locations in `root`, its own included, to unknown."""
    unknown = UnknownLoc()
    for op in root.walk():
        op.location = unknown
        for region in op.regions:
            for block in region.blocks:
                for arg in block.args:
                    arg.location = unknown


class StripDebugInfo(StripDebugInfoPassBase):
    """The pass `strip-debuginfo`."""

    def run_on_operation(self) -> None:
        """Strip the locations in the operation."""
        strip_locations(self.operation)
