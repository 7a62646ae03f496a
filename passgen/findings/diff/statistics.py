"""What changed of the statistics of a pass: a part of `spec_diff`."""

from __future__ import annotations

from collections.abc import Iterator

from passgen.findings.finding import Finding
from passgen.model.group import Pass, Statistic
from passgen.model.model_ignores import Ignore
from passgen.rules import DIFF_RULES
from passgen.findings.diff.matching import match, was_here


def compare_statistics(
    old: Pass, new: Pass, group_ignores: tuple[Ignore, ...]
) -> Iterator[Finding]:
    """Yield what changed of the statistics."""
    of = f"of pass '{new.argument}'"
    of_pass = (*new.ignores, *group_ignores)
    statistics = match(old.statistics, new.statistics, _display_name, _name)
    for gone in statistics.removed:
        yield Finding(
            DIFF_RULES["statistic-removed"],
            f"statistic '{gone.display_name}' {of} was removed",
            new.location,
            of_pass,
            was_here(gone.location),
            gone.display_name,
        )
    for added in statistics.added:
        yield Finding(
            DIFF_RULES["statistic-added"],
            f"statistic '{added.display_name}' {of} is new",
            added.location,
            (*added.ignores, *of_pass),
            name=added.display_name,
        )
    for before, after in statistics.kept:
        renamed = before.display_name != after.display_name
        if not renamed and before.name == after.name:
            continue
        rule = "statistic-renamed" if renamed else "statistic-variable-renamed"
        message = (
            f"statistic '{before.display_name}' {of} is '{after.display_name}' now"
            if renamed
            else f"statistic '{after.display_name}' {of} is '{after.name}' in code "
            f"now, and was '{before.name}'"
        )
        yield Finding(
            DIFF_RULES[rule],
            message,
            after.location,
            (*after.ignores, *of_pass),
            was_here(before.location),
            after.display_name,
        )


def _display_name(statistic: Statistic) -> str:
    return statistic.display_name


def _name(statistic: Statistic) -> str:
    return statistic.name
