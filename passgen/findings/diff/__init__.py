"""What changed between two versions of a group for the users of its passes.

Users write arguments in pipelines, so these tell what is the same thing; what has
another argument, but the same name in code, was renamed. Texts that only readers see
may change freely.

findings = list(compare(old, new))
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from passgen import naming
from passgen.diagnostics import Note, nearest
from passgen.findings.diff.matching import match, was_here
from passgen.findings.diff.options import Owner, compare_options
from passgen.findings.diff.passes import (
    compare_constraints,
    compare_passes,
    compare_statistics,
)
from passgen.findings.diff.pipelines import compare_pipelines
from passgen.findings.finding import Finding
from passgen.model import Pass, PassGroup
from passgen.rules import DIFF_RULES


def compare(
    old: PassGroup, new: PassGroup, *, is_one_file: bool = False
) -> Iterator[Finding]:
    """Yield what changed from `old` to `new`, each in the place where `new` has it.

    Args:
        old: the group as it was.
        new: the group as it is.
        is_one_file: whether `new` has taken the place of `old`; else a group that is
            called after its file keeps its name, whatever the file is called.
    """
    ignores = new.ignores
    if old.name != new.name if is_one_file else _is_renamed(old, new):
        yield Finding(
            DIFF_RULES["group-renamed"],
            f"group '{old.name}' is '{new.name}' now",
            new.location,
            ignores,
            was_here(old.location),
        )
    passes = match(old.passes, new.passes, _argument, _name)
    new_arguments = [each.argument for each in passes.added]
    is_feasible = len(passes.removed) * len(passes.added) <= _COMPARISONS
    for gone in passes.removed:
        meant = nearest(gone.argument, new_arguments) if is_feasible else None
        became = (Note(f"pass '{meant}' is new; is it the same?"),) if meant else ()
        yield Finding(
            DIFF_RULES["pass-removed"],
            f"pass '{gone.argument}' was removed",
            new.location,
            ignores,
            (*was_here(gone.location), *became),
            gone.argument,
        )
    for added in passes.added:
        yield Finding(
            DIFF_RULES["pass-added"],
            f"pass '{added.argument}' is new",
            added.location,
            (*added.ignores, *ignores),
            name=added.argument,
        )
    for before, after in passes.kept:
        yield from compare_passes(before, after, ignores)
        yield from compare_constraints(before, after, ignores)
        owner = Owner(
            f"pass '{after.argument}'", after.location, (*after.ignores, *ignores)
        )
        yield from compare_options(before.options, after.options, owner)
        yield from compare_statistics(before, after, ignores)
    yield from compare_pipelines(old, new)


def _is_renamed(old: PassGroup, new: PassGroup) -> bool:
    """Return whether a spec names the group otherwise; names of files may differ."""
    files = [group.location.source.name for group in (old, new)]
    if old.name == new.name or any(file.endswith(_NAMELESS) for file in files):
        return False
    return [old.name, new.name] != [naming.group_name(file) for file in files]


_COMPARISONS: Final = 100_000
"""Names compared to find one that is alike; it takes some seconds."""

_NAMELESS: Final = (".td", ".json")
"""TableGen has no names of groups."""


def _argument(pass_: Pass) -> str:
    return pass_.argument


def _name(pass_: Pass) -> str:
    return pass_.name
