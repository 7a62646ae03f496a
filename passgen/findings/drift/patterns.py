"""Patterns of specs, parsed in another process by the libraries of their IR.

The process gets the patterns as generated Python, so that they are what a pass has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from passgen import naming
from passgen.diagnostics import Note
from passgen.findings.drift.probing import ask
from passgen.findings.finding import Finding, Subject, group_subject
from passgen.model import IR_LIBRARIES, Pass, PassGroup, RewritePattern
from passgen.render import render
from passgen.source import Location
from passgen.targets import TARGETS, Origin

_PLACE: Final = re.compile(r":(\d+):(\d+)$")


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
    modules: dict[str, dict[str, object]] = {}
    asked: dict[str, tuple[Subject, RewritePattern]] = {}
    """The patterns by question, each with its pass."""

    for number, group in enumerate(groups):
        passes = tuple(_bare(pass_) for pass_ in group.passes if pass_.patterns)
        if passes:
            libraries = [group.library] if group.library else IR_LIBRARIES.values()
            contexts = [library.context for library in libraries]
            text = _module(group, passes)
            modules[str(number)] = {"text": text, "contexts": contexts}
        for pass_ in passes:
            owner = group_subject(group).part(
                "pass", pass_.argument, pass_.location, pass_.ignores
            )
            for pattern in pass_.patterns:
                question = f"{number}/{naming.base_class(pass_.name)}/{pattern.name}"
                asked[question] = owner, pattern
    answers: dict[str, Any] = {}
    while waiting := [question for question in asked if question not in answers]:
        tried, how = ask(waiting, folders, answers, modules=modules, plugins=plugins)
        if not how:
            break
        answers[tried] = {"error": ["", f"parsing it {how}", []]}
    yield from _findings(asked, answers)


def _findings(
    asked: Mapping[str, tuple[Subject, RewritePattern]], answers: Mapping[str, Any]
) -> Iterator[Finding]:
    """Yield a finding for each wrong pattern, and for each pass that was not parsed."""
    unparsed: dict[Subject, str] = {}
    for question, (owner, pattern) in asked.items():
        answer = answers[question]
        if reason := answer.get("unparsed"):
            unparsed[owner] = reason
        if error := answer.get("error"):
            yield _finding(owner, pattern, *error)
    for owner, reason in unparsed.items():
        message = f"patterns of {owner.what} were not parsed: {reason}"
        yield owner.finding("unparsed-patterns", message)


def _bare(pass_: Pass) -> Pass:
    """Return a pass with nothing but its patterns, which imports nothing."""
    return Pass(
        name=pass_.name,
        argument=pass_.argument,
        summary=pass_.summary,
        description="",
        anchor=None,
        dependent_dialects=(),
        constructor="",
        options=(),
        statistics=(),
        location=pass_.location,
        argument_location=pass_.argument_location,
        summary_location=pass_.summary_location,
        constructor_location=pass_.location,
        patterns=pass_.patterns,
        driver=pass_.driver,
        native_constraints=pass_.native_constraints,
        native_rewrites=pass_.native_rewrites,
        ignores=pass_.ignores,
    )


def _module(group: PassGroup, passes: tuple[Pass, ...]) -> str:
    """Return the generated Python of a group that has these passes only."""
    bare = PassGroup(
        group.name,
        group.summary,
        "",
        passes,
        group.location,
        file_title=group.file_title,
    )
    spec = group.location.source.name
    target = TARGETS["python"]
    return render(
        target.template, target.values(bare, Origin(spec, "passgen"), ()), None
    )


def _finding(
    owner: Subject,
    pattern: RewritePattern,
    place: str,
    message: str,
    notes: Sequence[str],
) -> Finding:
    """Return the finding that a pattern is wrong at a place, if one is known."""
    name = pattern.name
    subject = owner.part("pattern", name, pattern.location, pattern.ignores)
    text = f"{subject.what} cannot be used: {message}"
    location = _location(pattern, place) or subject.location
    finding = subject.finding("broken-pattern", text, location)
    return finding.noting(*map(Note, notes))


def _location(pattern: RewritePattern, place: str) -> Location | None:
    """Return the location of `file:line:column`, which is a place in a pattern."""
    found = _PLACE.search(place)
    if found is None:
        return None
    return pattern.location_at(*map(int, found.groups()))
