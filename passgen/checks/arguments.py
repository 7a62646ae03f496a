"""Arguments of passes and pipelines, which one process registers in one table."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TypeAlias

from passgen.checks.members import repetitions
from passgen.diagnostics import Diagnostic, Note
from passgen.model import Pass, PassGroup, Pipeline

_Owner: TypeAlias = tuple[Pass | Pipeline, str]
"""A pass or pipeline, and which of both it is."""

_TWO_CALLS = Note(
    "a process can register one of them; specs that no process loads together are "
    "given in two calls"
)


def check_arguments(group: PassGroup) -> Iterator[Diagnostic]:
    """Yield the arguments that `group` declares twice."""
    for owner, first in repetitions(_owners(group), lambda each: each[0].argument):
        yield _clash(owner, first)


def check_shared_arguments(
    group: PassGroup, earlier: Iterable[PassGroup]
) -> Iterator[Diagnostic]:
    """Yield the arguments of `group` that groups of other specs declare as well.

    A declaration that an alias shares, or whose spec is given twice, is one pass.

    Args:
        group: the group to check.
        earlier: the groups of the specs that were given before it.
    """
    declared = _by_argument(chain.from_iterable(map(_owners, earlier)))
    for argument, owner in _by_argument(_owners(group)).items():
        first = declared.get(argument)
        if first is not None and _declaration(first) != _declaration(owner):
            yield _clash(owner, first, _TWO_CALLS)


def _owners(group: PassGroup) -> Iterator[_Owner]:
    for pass_ in group.passes:
        yield pass_, "pass"
    for pipeline in group.pipelines:
        yield pipeline, "pipeline"


def _by_argument(owners: Iterable[_Owner]) -> dict[str, _Owner]:
    """Return the first owner of each argument."""
    first: dict[str, _Owner] = {}
    for owner in owners:
        first.setdefault(owner[0].argument, owner)
    return first


def _declaration(owner: _Owner) -> tuple[str, int, int]:
    """Return a key that is equal for one declaration, however its file is named."""
    place = owner[0].argument_location
    file = os.path.realpath(place.source.name)
    return file, place.line, place.column


def _clash(owner: _Owner, first: _Owner, *notes: Note) -> Diagnostic:
    (own, kind), (other, other_kind) = owner, first
    message = (
        f"duplicate argument '{own.argument}' of {kind} '{own.name}', which "
        f"{other_kind} '{other.name}' has"
    )
    here = Note("first defined here", other.argument_location)
    return Diagnostic(message, own.argument_location, (here, *notes))
