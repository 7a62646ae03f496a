"""Which regions obey SSA dominance, and which are graphs.

Source: `RegionKindInterface.td` of MLIR. xDSL has no such interface, so the operations
whose regions are graphs are listed by name; an operation of a dialect that is not
listed is taken to have dominance, as in MLIR an operation without the interface is.
"""

from __future__ import annotations

from xdsl.ir import Operation, Region

GRAPH_REGION_OPERATIONS = frozenset(
    (
        "builtin.module",
        "gpu.module",
        "hw.module",
        "ml_program.subgraph",
        "scf.forall.in_parallel",
    )
)
"""Operations whose regions hold definitions in any order, also after their uses."""


def is_graph_operation(op: Operation) -> bool:
    """Return whether the regions of `op` are graphs."""
    return op.name in GRAPH_REGION_OPERATIONS


def has_ssa_dominance(region: Region) -> bool:
    """Return whether each definition in `region` comes before its uses."""
    parent = region.parent_op()
    return parent is None or not is_graph_operation(parent)
