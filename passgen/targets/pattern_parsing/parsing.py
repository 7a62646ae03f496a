"""Patterns of specs, parsed in another process by the libraries of their IR.

The process gets the patterns as generated Python, so that they are what a pass has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from passgen import naming
from passgen.diagnostics import Note
from passgen.model import IR_LIBRARIES, Pass, PassGroup, RewritePattern
from passgen.probing import ask
from passgen.render import render
from passgen.source import Location
from passgen.targets.origin import Origin
from passgen.targets.python import values

_PLACE: Final = re.compile(r":(\d+):(\d+)$")
_TEMPLATE: Final = "python/passes.py.j2"


@dataclass(frozen=True)
class PatternProblem:
    """What is wrong with a pattern."""

    message: str
    location: Location | None
    """Its place in the spec, if one is known."""

    notes: tuple[Note, ...]


@dataclass(frozen=True)
class ParsedPattern:
    """A pattern, and what its IR library says about it."""

    group: PassGroup
    pass_: Pass
    pattern: RewritePattern
    problem: PatternProblem | None = None
    why_unparsed: str = ""
    """Why no library has parsed it; empty if one has."""

    graphs: Sequence[Mapping[str, Any]] = ()
    """Its graphs in PDL, if the process was asked for them."""


def parse_patterns(
    groups: Sequence[PassGroup],
    *,
    folders: Sequence[Path] = (),
    plugins: Sequence[str] = (),
    pdl_of: str = "",
) -> list[ParsedPattern]:
    """Return the patterns of `groups`, each parsed by an IR library.

    Args:
        groups: the specs.
        folders: where the modules of plugins are, each a root of imports.
        plugins: the plugins whose dialects patterns may use.
        pdl_of: the IR library that parses all patterns and writes them in PDL. It
            accepts operations of dialects that it does not know. By default, the
            libraries of each group parse.

    Raises:
        ProbeError: the process that parses cannot be started.
    """
    modules: dict[str, dict[str, object]] = {}
    asked: dict[str, ParsedPattern] = {}
    for number, group in enumerate(groups):
        passes = tuple(_bare(pass_) for pass_ in group.passes if pass_.patterns)
        if not passes:
            continue
        libraries = [group.library] if group.library else [*IR_LIBRARIES.values()]
        if pdl_of:
            libraries = [IR_LIBRARIES[pdl_of]]
        contexts = [library.context for library in libraries]
        text = _module(group, passes)
        modules[str(number)] = {"text": text, "contexts": contexts}
        for pass_ in passes:
            for pattern in pass_.patterns:
                question = f"{number}/{naming.base_class(pass_.name)}/{pattern.name}"
                asked[question] = ParsedPattern(group, pass_, pattern)
    answers: dict[str, Any] = {}
    setup = {"modules": modules, "plugins": plugins, "writes_pdl": bool(pdl_of)}
    while waiting := [question for question in asked if question not in answers]:
        tried, how = ask(waiting, folders, answers, **setup)
        if not how:
            break
        answers[tried] = {"error": ["", f"parsing it {how}", []]}
    return [_parsed(one, answers[question]) for question, one in asked.items()]


def _parsed(asked: ParsedPattern, answer: Mapping[str, Any]) -> ParsedPattern:
    problem = None
    if error := answer.get("error"):
        place, message, notes = error
        location = _location(asked.pattern, place)
        problem = PatternProblem(message, location, tuple(map(Note, notes)))
    return ParsedPattern(
        asked.group,
        asked.pass_,
        asked.pattern,
        problem,
        answer.get("unparsed", ""),
        answer.get("graphs", ()),
    )


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
    variables = {"origin": Origin(spec, "passgen"), "group": bare, **values(bare)}
    return render(_TEMPLATE, variables)


def _location(pattern: RewritePattern, place: str) -> Location | None:
    """Return the location of `file:line:column`, which is a place in a pattern."""
    found = _PLACE.search(place)
    if found is None:
        return None
    return pattern.location_at(*map(int, found.groups()))
