"""Reads patterns as graphs, whatever notation they are declared in."""

from __future__ import annotations

import weakref
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from passgen_runtime.context import Context
from passgen_runtime.errors import IRError
from passgen_runtime.patterns.checks import check_pattern
from passgen_runtime.patterns.example_reader import read_example
from passgen_runtime.patterns.graph import PatternGraph
from passgen_runtime.patterns.library import PatternLibrary
from passgen_runtime.patterns.pdl_reader import read_pdl
from passgen_runtime.patterns.rewrite_pattern import (
    PatternDriver,
    RewritePattern,
    pattern_error,
)

_LIBRARIES: Final[weakref.WeakKeyDictionary[Context, PatternLibrary]] = (
    weakref.WeakKeyDictionary()
)


def library_of(context: Context) -> PatternLibrary | None:
    """Return the library of `context` for patterns, if its IR has any."""
    if context.pattern_library is None:
        return None
    if context not in _LIBRARIES:
        _LIBRARIES[context] = context.pattern_library()(context)
    return _LIBRARIES[context]


def read_pattern(
    library: PatternLibrary, pattern: RewritePattern
) -> list[PatternGraph]:
    """Return `pattern` as a graph, or as one for each choice of its listed types.

    Raises:
        PatternError: it does not parse, or is no pattern, or the library has none.
    """
    if reason := library.why_not():
        raise pattern_error(pattern, f"{pattern.file}:{pattern.line}", reason)
    try:
        if pattern.pdl:
            return [read_pdl(library, pattern)]
        return read_example(library, pattern)
    except IRError as error:
        found = error.diagnostic
        notes = (
            (
                note.message
                if note.location == found.location
                else f"{note.location}: {note.message}"
            )
            for note in found.notes
        )
        raise pattern_error(pattern, found.location, found.message, notes) from error


def check_graphs(
    library: PatternLibrary,
    graphs: Iterable[PatternGraph],
    natives: Mapping[str, Collection[str]],
    driver: PatternDriver,
) -> None:
    """Check that a library can apply patterns.

    Raises:
        PatternError: it cannot, or it would end the process, or never match.
    """
    for graph in graphs:
        library.check(graph)
        check_pattern(graph, library.context, natives, driver)
