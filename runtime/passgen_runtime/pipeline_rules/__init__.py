"""Pipelines as blocks of passes, and their checks against the rules of the passes."""

from passgen_runtime.pipeline_rules.blocks import (
    Block,
    BlockFiller,
    BlockKind,
    Element,
    PassNode,
    PassSequence,
    Snapshot,
    detach,
    nest_of,
    nests_around,
    place_beside,
)
from passgen_runtime.pipeline_rules.checks import (
    check_order,
    check_sequence,
    explain_sequence,
    last_provider,
    preserves_everything,
    rule_place,
)

__all__ = [
    "Block",
    "BlockFiller",
    "BlockKind",
    "Element",
    "PassNode",
    "PassSequence",
    "Snapshot",
    "check_order",
    "check_sequence",
    "detach",
    "explain_sequence",
    "last_provider",
    "nest_of",
    "nests_around",
    "place_beside",
    "preserves_everything",
    "rule_place",
]
