"""Changes in a group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from passgen import naming
from passgen.findings.diff.matching import compare_parts
from passgen.findings.diff.passes import PASS, compare_pass
from passgen.findings.diff.pipelines import compare_pipelines
from passgen.findings.finding import Finding, group_subject
from passgen.model import PassGroup


def compare(
    old: PassGroup, new: PassGroup, *, is_one_file: bool = False
) -> Iterator[Finding]:
    """Yield the changes from `old` to `new`, in the order of `new`.

    Args:
        old: the group as it was.
        new: the group as it is.
        is_one_file: whether `new` has taken the place of `old`; else a group that is
            called after its file keeps its name, whatever the file is called.
    """
    group = group_subject(new)
    if old.name != new.name if is_one_file else _is_renamed(old, new):
        message = f"group '{old.name}' is '{new.name}' now"
        yield group.finding("group-renamed", message, new.location, old.location)
    yield from compare_parts(PASS, old.passes, new.passes, group, compare_pass)
    yield from compare_pipelines(old, new, group)


def _is_renamed(old: PassGroup, new: PassGroup) -> bool:
    """Return whether the group was renamed in its spec; names of files may differ."""
    files = [group.location.source.name for group in (old, new)]
    if old.name == new.name or any(file.endswith(_NAMELESS) for file in files):
        return False
    return [old.name, new.name] != [naming.group_name(file) for file in files]


_NAMELESS: Final = (".td", ".json")
"""TableGen has no names of groups."""
