"""Count operations by name.

Before and after are the same; for a module with one function that returns, the pass
writes to standard error::

    Operations encountered:
    -----------------------
      builtin.module , 1
         func.func   , 1
         func.return , 1

or, with `json=true`::

    {
      "builtin.module" : 1,
      "func.func" : 1,
      "func.return" : 1
    }

Source: `lib/Transforms/OpStats.cpp` of MLIR; the text is the same. Unregistered
operations are counted under their names in the IR.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation

from passgen_runtime.passes.generated.transforms_passes import PrintOpStatsPassBase


def count_operations(root: Operation) -> Counter[str]:
    """Return the number of operations of each name, `root` included."""
    return Counter(
        op.op_name.data if isinstance(op, UnregisteredOp) else op.name
        for op in root.walk()
    )


def stats_as_json(counts: Mapping[str, int]) -> str:
    """Return `counts` as a JSON object, one name per line."""
    lines = ",\n".join(
        f"  {json.dumps(name)} : {count}" for name, count in sorted(counts.items())
    )
    return f"{{\n{lines}\n}}\n"


def stats_as_table(counts: Mapping[str, int]) -> str:
    """Return `counts` as a table with names aligned at the dot."""
    rows = []
    for name, count in sorted(counts.items()):
        dialect, dot, op_name = name.partition(".")
        rows.append((dialect, op_name, count) if dot else ("", name, count))
    dialect_width = max((len(dialect) for dialect, _, _ in rows), default=0)
    name_width = max((len(op_name) for _, op_name, _ in rows), default=0)
    lines = ["Operations encountered:", "-----------------------"]
    for dialect, op_name, count in rows:
        dot = "." if dialect else " "
        lines.append(
            f"{dialect:>{dialect_width + 2}}{dot}{op_name:<{name_width}} , {count}"
        )
    return "\n".join(lines) + "\n"


class PrintOpStats(PrintOpStatsPassBase):
    """The pass `print-op-stats`."""

    def run_on_operation(self) -> None:
        """Print the counts of the operation."""
        show = stats_as_json if self.options.print_as_json else stats_as_table
        self.context.print_debug(show(count_operations(self.operation)))
        self.mark_unchanged()
