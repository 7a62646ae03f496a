"""Checks of pipelines, bundles and ordering rules."""

from passgen.checks.pipelines.inclusion import check_inclusion
from passgen.checks.pipelines.options import check_pipeline_options
from passgen.checks.pipelines.ordering import check_order, check_rule_cycles
from passgen.checks.pipelines.references import (
    check_constraint_names,
    check_element_names,
    known_passes,
    needed_groups,
)

__all__ = [
    "check_constraint_names",
    "check_element_names",
    "check_inclusion",
    "check_order",
    "check_pipeline_options",
    "check_rule_cycles",
    "known_passes",
    "needed_groups",
]
