"""Analyses of xDSL's IR that several passes share."""

from passgen_runtime.passes.analysis.branches import (
    forwarded_operands,
    incoming,
    replace_branch,
    selecting_operands,
)
from passgen_runtime.passes.analysis.dominance import DominanceInfo
from passgen_runtime.passes.analysis.memory_effects import (
    EffectSummaries,
    has_recursive_effects,
    has_ssa_dominance,
    is_graph_operation,
    is_memory_effect_free,
    is_speculatable,
    is_trivially_dead,
    only_reads,
    operations_in,
    own_effects,
    would_be_trivially_dead,
)
from passgen_runtime.passes.analysis.operation_equivalence import (
    are_blocks_equivalent,
    are_regions_equivalent,
    operand_key,
)
from passgen_runtime.passes.analysis.symbols import (
    SymbolTables,
    is_symbol_table,
    references_in_scope,
    set_visibility,
    symbol_name,
    visibility,
)

__all__ = [
    "DominanceInfo",
    "EffectSummaries",
    "SymbolTables",
    "are_blocks_equivalent",
    "are_regions_equivalent",
    "forwarded_operands",
    "has_recursive_effects",
    "has_ssa_dominance",
    "incoming",
    "is_graph_operation",
    "is_memory_effect_free",
    "is_speculatable",
    "is_symbol_table",
    "is_trivially_dead",
    "only_reads",
    "operand_key",
    "operations_in",
    "own_effects",
    "references_in_scope",
    "replace_branch",
    "selecting_operands",
    "set_visibility",
    "symbol_name",
    "visibility",
    "would_be_trivially_dead",
]
