"""What changed of what a pass asks of its pipeline: a part of `spec_diff`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from passgen.findings.finding import Finding
from passgen.model.group import Pass
from passgen.model.constraints import Name, OrderingRule
from passgen.model.model_ignores import Ignore
from passgen.rules import DIFF_RULES
from passgen.source import Location
from passgen.findings.diff.matching import was_here


def compare_constraints(
    old: Pass, new: Pass, group_ignores: tuple[Ignore, ...]
) -> Iterator[Finding]:
    """Yield what changed of tags, order and analyses."""
    what = f"pass '{new.argument}'"
    ignores = (*new.ignores, *group_ignores)

    def found(
        rule: str, message: str, name: str, place: Location, *was: Location
    ) -> Finding:
        notes = was_here(was[0]) if was else ()
        return Finding(DIFF_RULES[rule], message, place, ignores, notes, name)

    before, now = old.constraints, new.constraints
    for tag in _gone(before.tags, now.tags):
        message = f"{what} no longer has tag '{tag.name}'"
        yield found("tag-removed", message, tag.name, new.location, tag.location)
    for each in _gone(before.provided_analyses, now.provided_analyses):
        message = f"{what} no longer provides analysis '{each.name}'"
        places = new.location, each.location
        yield found("analysis-not-provided", message, each.name, *places)
    for each in _gone(now.required_analyses, before.required_analyses):
        message = f"{what} requires analysis '{each.name}' now"
        yield found("analysis-required", message, each.name, each.location)
    if before.preserves_all and not now.preserves_all:
        kept = ", ".join(f"'{each.name}'" for each in now.preserved_analyses)
        message = f"{what} preserves {kept or 'no analysis'} now, and preserved all"
        yield found("analysis-not-preserved", message, new.argument, new.location)
    for each in before.preserved_analyses:
        if not now.preserves(each.name):
            message = f"{what} no longer preserves analysis '{each.name}'"
            places = new.location, each.location
            yield found("analysis-not-preserved", message, each.name, *places)
    known = {_shape(rule) for rule in before.ordering}
    for rule in now.ordering:
        if _shape(rule) not in known:
            partners = " or ".join(map(str, rule.partners))
            message = f"{what} has a new rule of order: '{rule.kind}' {partners}"
            name = rule.partners[0].name
            yield found("ordering-added", message, name, rule.location)


def _gone(old: Iterable[Name], new: Iterable[Name]) -> Iterator[Name]:
    """Yield the names of `old` that `new` has not."""
    kept = {each.name for each in new}
    yield from (each for each in old if each.name not in kept)


def _shape(rule: OrderingRule) -> tuple[str, frozenset[str]]:
    return rule.kind, frozenset(map(str, rule.partners))
