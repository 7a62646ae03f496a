"""Findings of `diff`, `lint` and `drift`, and reports on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from passgen.diagnostics import Diagnostic, Note, Severity
from passgen.finding_rules import RULES, UNUSED_IGNORE, Rule
from passgen.model import Ignore, PassGroup
from passgen.source import Location


@dataclass(frozen=True)
class Finding:
    """A report of a rule about an entity of a spec."""

    rule: Rule
    message: str
    location: Location
    ignores: tuple[Ignore, ...]
    """The ignores that apply: those of the entity and of what contains it."""

    notes: tuple[Note, ...] = ()
    name: str = ""
    """The name of the entity, for ignores that are limited to a name."""

    removed_from: Location | None = None
    """The old location of a part that the new version does not have."""

    def diagnostic(self) -> Diagnostic:
        """Return the finding as a message that names its rule."""
        message, place, notes = self.message, self.location, self.notes
        if self.removed_from:
            place = self.removed_from
            notes = tuple(note for note in notes if note.location != place)
        text = f"{message} [{self.rule.name}]"
        return Diagnostic(text, place, notes, self.rule.severity)

    def noting(self, *notes: Note) -> Finding:
        """Return the finding with further notes."""
        return replace(self, notes=(*self.notes, *notes))


@dataclass(frozen=True)
class Subject:
    """The subject of findings: a group, or a part of one."""

    what: str
    """`option 'factor' of pass 'unroll-loops'`; empty for the group."""

    name: str
    """What users call it; empty for the group."""

    location: Location

    ignores: tuple[Ignore, ...]
    """The entries that are in force for the subject and all its parts."""

    of: str = ""
    """What it is part of: ` of pass 'unroll-loops'`."""

    def part(
        self, kind: str, name: str, location: Location, ignores: tuple[Ignore, ...] = ()
    ) -> Subject:
        """Return a part of the subject, as it is declared."""
        of = self.what and f" of {self.what}"
        what = f"{kind} '{name}'{of}"
        return Subject(what, name, location, (*ignores, *self.ignores), of)

    def finding(
        self,
        rule: str,
        message: str,
        place: Location | None = None,
        was: Location | None = None,
        name: str = "",
    ) -> Finding:
        """Return the finding of `rule`.

        Args:
            rule: its name.
            message: the message.
            place: the location, if it is not that of the subject.
            was: the location in the old version.
            name: the name for ignores, if it is not that of the subject.
        """
        notes = (Note("it was here", was),) if was else ()
        place, name = place or self.location, name or self.name
        return Finding(RULES[rule], message, place, self.ignores, notes, name)


def group_subject(group: PassGroup) -> Subject:
    """Return `group` as a subject of findings."""
    return Subject("", "", group.location, group.ignores)


@dataclass(frozen=True)
class Ignored:
    """A finding, and the ignore that suppresses it."""

    finding: Finding
    ignore: Ignore


SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")
"""The severities, the gravest first."""


@dataclass(frozen=True)
class Report:
    """The findings of a command: the gravest first, in the order of the text."""

    command: str
    """The command's name: `diff`."""

    rules: Mapping[str, Rule]
    """The rules that it applied."""

    findings: tuple[Finding, ...]
    ignored: tuple[Ignored, ...]

    def counts(self) -> dict[Severity, int]:
        """Return the number of findings of each severity."""
        found = Counter(finding.rule.severity for finding in self.findings)
        return {severity: found[severity] for severity in SEVERITIES}

    def fails(self, least: Severity) -> bool:
        """Return whether a finding is as grave as `least`."""
        grave = SEVERITIES[: SEVERITIES.index(least) + 1]
        return any(finding.rule.severity in grave for finding in self.findings)


def report(
    command: str,
    rules: Mapping[str, Rule],
    findings: Iterable[Finding],
    groups: Iterable[PassGroup],
) -> Report:
    """Return the report on `findings` and on the ignores of `groups` without a finding.

    A finding in an option or statistic that several passes share is reported once.
    """
    distinct: dict[tuple[str, str, Location], Finding] = {}
    for finding in findings:
        key = (finding.rule.name, finding.message, finding.location)
        distinct.setdefault(key, finding)
    kept: list[Finding] = []
    ignored: list[Ignored] = []
    for finding in distinct.values():
        ignore = next(
            (candidate for candidate in finding.ignores if _fits(candidate, finding)),
            None,
        )
        if ignore is None:
            kept.append(finding)
        else:
            ignored.append(Ignored(finding, ignore))
    used = {entry.ignore.location for entry in ignored}
    declared = (entry for group in groups for entry in group.all_ignores)
    for ignore in dict.fromkeys(declared):
        if ignore.rule in rules and ignore.location not in used:
            message = f"ignore of rule '{ignore.rule}' suppresses no finding"
            note = Note("remove it, or it hides the next finding of this rule")
            kept.append(Finding(UNUSED_IGNORE, message, ignore.location, (), (note,)))
    kept.sort(key=_order)
    return Report(command, rules, tuple(kept), tuple(ignored))


def _fits(ignore: Ignore, finding: Finding) -> bool:
    return ignore.rule == finding.rule.name and ignore.name in {"", finding.name}


def _order(finding: Finding) -> tuple[int, str, int, int]:
    place = finding.location
    gravity = SEVERITIES.index(finding.rule.severity)
    return gravity, place.source.name, place.line, place.column
