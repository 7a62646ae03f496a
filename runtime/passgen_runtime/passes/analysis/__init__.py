"""Analyses of xDSL's IR that several passes share."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_runtime.passes.analysis.branches import (
    forwarded_operands as forwarded_operands,
    incoming as incoming,
    replace_branch as replace_branch,
    selecting_operands as selecting_operands,
)
from passgen_runtime.passes.analysis.dominance import DominanceInfo as DominanceInfo
from passgen_runtime.passes.analysis.memory_effects import (
    EffectSummaries as EffectSummaries,
    has_recursive_effects as has_recursive_effects,
    has_ssa_dominance as has_ssa_dominance,
    is_graph_operation as is_graph_operation,
    is_speculatable as is_speculatable,
    only_reads as only_reads,
    own_effects as own_effects,
)
from passgen_runtime.passes.analysis.nested_operations import (
    defining_region as defining_region,
    operations_in as operations_in,
    regions_within as regions_within,
    walk as walk,
)
from passgen_runtime.passes.analysis.operation_equivalence import (
    are_blocks_equivalent as are_blocks_equivalent,
    are_regions_equivalent as are_regions_equivalent,
    operand_key as operand_key,
)
from passgen_runtime.passes.analysis.symbols import (
    SymbolTables as SymbolTables,
    is_symbol_table as is_symbol_table,
    references_in_scope as references_in_scope,
    set_visibility as set_visibility,
    symbol_name as symbol_name,
    visibility as visibility,
)
