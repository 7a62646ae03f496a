"""Checks of pipelines, bundles and ordering rules.

Names are checked first: the order is only checked if all names are known and no
pipeline or bundle includes itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from passgen.checks.pipelines.inclusion import check_inclusion
from passgen.checks.pipelines.options import check_pipeline_options
from passgen.checks.pipelines.ordering import check_order, check_rule_cycles
from passgen.checks.pipelines.references import (
    check_constraint_names,
    check_element_names,
    known_passes,
)
from passgen.diagnostics import Diagnostic
from passgen.model import UNCONSTRAINED, PassGroup


def check_pipelines(group: PassGroup, others: Sequence[PassGroup]) -> list[Diagnostic]:
    """Return the findings about pipelines and ordering rules of `group`.

    Args:
        group: the group to check.
        others: other groups whose passes it may name.
    """
    if not _has_any(group):
        return []
    known = known_passes(group, others)
    findings = [
        *check_constraint_names(group, known),
        *check_element_names(group, known),
        *check_pipeline_options(group, known),
        *check_rule_cycles(group, known),
        *check_inclusion(group),
    ]
    if all(each.severity == "warning" for each in findings):
        findings += check_order(group, known)
    return findings


def _has_any(group: PassGroup) -> bool:
    return bool(group.pipelines or group.bundles or group.external_passes) or any(
        pass_.constraints is not UNCONSTRAINED for pass_ in group.passes
    )
