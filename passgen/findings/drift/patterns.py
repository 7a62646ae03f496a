"""Findings about patterns that no IR library can use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from passgen.findings.finding import Finding, Subject, group_subject
from passgen.model import PassGroup
from passgen.targets.pattern_parsing import parse_patterns


def wrong_patterns(
    groups: Sequence[PassGroup], folders: Sequence[Path], plugins: Sequence[str]
) -> Iterator[Finding]:
    """Yield the patterns of `groups` that do not parse, or were not parsed.

    Args:
        groups: the specs.
        folders: where the modules of plugins are, each a root of imports.
        plugins: the plugins whose dialects patterns may use.

    Raises:
        ProbeError: the process that parses cannot be started.
    """
    unparsed: dict[Subject, str] = {}
    for parsed in parse_patterns(groups, folders=folders, plugins=plugins):
        pass_, pattern = parsed.pass_, parsed.pattern
        owner = group_subject(parsed.group).part(
            "pass", pass_.argument, pass_.location, pass_.ignores
        )
        if parsed.why_unparsed:
            unparsed[owner] = parsed.why_unparsed
        if problem := parsed.problem:
            subject = owner.part(
                "pattern", pattern.name, pattern.location, pattern.ignores
            )
            text = f"{subject.what} cannot be used: {problem.message}"
            location = problem.location or subject.location
            finding = subject.finding("broken-pattern", text, location)
            yield finding.noting(*problem.notes)
    for owner, reason in unparsed.items():
        message = f"patterns of {owner.what} were not parsed: {reason}"
        yield owner.finding("unparsed-patterns", message)
