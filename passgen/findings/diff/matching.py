"""The parts of two versions, matched: kept, renamed, removed or added."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from operator import attrgetter
from typing import Final, Generic, Protocol, TypeVar

from passgen.diagnostics import Note
from passgen.findings.finding import Finding, Subject
from passgen.model import Ignore
from passgen.passgen_rules.suggestions import nearest_name
from passgen.source import Location

_COMPARISONS: Final = 100_000
"""The most comparisons made to find a similar name; they take some seconds."""


class Part(Protocol):
    """A pass, an option, a statistic, a pipeline or a bundle."""

    @property
    def name(self) -> str:
        """Its name in code."""

    @property
    def location(self) -> Location:
        """The location of its declaration."""

    @property
    def ignores(self) -> tuple[Ignore, ...]:
        """The rules that its own declaration asks to ignore."""


class Deprecated(Part, Protocol):
    """A part that may be deprecated."""

    @property
    def deprecated(self) -> str:
        """The reason; empty if it is not deprecated."""


T = TypeVar("T", bound=Part)


@dataclass(frozen=True)
class Kind(Generic[T]):
    """A kind of parts, and what users see of one."""

    name: str
    """The start of the names of rules: `pass`."""

    written: Callable[[T], str] = attrgetter("argument")
    """Returns what users write; equal texts are the same part."""

    place: Callable[[T], Location] = attrgetter("location")
    """Returns where findings show a part."""

    text_place: Callable[[T], Location] = attrgetter("argument_location")
    """Returns where users see what they write."""


def compare_parts(
    kind: Kind[T],
    old: Sequence[T],
    new: Sequence[T],
    owner: Subject,
    compare: Callable[[T, T, Subject], Iterator[Finding]],
) -> Iterator[Finding]:
    """Yield the parts that were removed or added, and the changes in all others.

    Args:
        kind: what the parts are.
        old: the parts before.
        new: the parts after.
        owner: the group or the part that has the parts.
        compare: yields the changes in a part that both versions have.
    """
    written = kind.written
    kept, removed, added = _match(old, new, written)
    prefix = len(_shared_prefix([written(part) for part in (*old, *new)]))
    new_names = {written(part)[prefix:]: written(part) for part in added}
    is_feasible = len(removed) * len(added) <= _COMPARISONS
    for part in removed:
        gone = owner.part(kind.name, written(part), kind.place(part))
        meant = nearest_name(gone.name[prefix:], new_names) if is_feasible else None
        message, places = f"{gone.what} was removed", (owner.location, gone.location)
        finding = owner.finding(f"{kind.name}-removed", message, *places, gone.name)
        if not owner.what:
            finding = replace(finding, removed_from=gone.location)
        if meant is not None:
            name = new_names.pop(meant)
            finding = finding.noting(
                Note(f"{kind.name} '{name}' is new; is it the same?")
            )
        yield finding
    for part in added:
        come = owner.part(kind.name, written(part), kind.place(part), part.ignores)
        yield come.finding(f"{kind.name}-added", f"{come.what} is new")
    for before, after in kept:
        place, ignores = after.location, after.ignores
        subject = owner.part(kind.name, written(after), place, ignores)
        was, now = written(before), written(after)
        if was != now:
            message = f"{kind.name} '{was}'{subject.of} is '{now}' now"
            places = kind.text_place(after), kind.text_place(before)
            yield subject.finding(f"{kind.name}-renamed", message, *places)
        yield from compare(before, after, subject)


def _shared_prefix(names: Sequence[str]) -> str:
    """Return the words that all names begin with: they distinguish none."""
    letters = zip(min(names, default=""), max(names, default=""), strict=False)
    shared = takewhile(lambda pair: pair[0] == pair[1], letters)
    prefix = "".join(letter for letter, _ in shared)
    return prefix[: max(prefix.rfind("-"), prefix.rfind("_")) + 1]


def compare_deprecation(
    kind: str, old: Deprecated, new: Deprecated, part: Subject
) -> Iterator[Finding]:
    """Yield the change in the deprecation of a part, if any."""
    places = new.location, old.location
    if new.deprecated and not old.deprecated:
        message = f"{part.what} is deprecated now: {new.deprecated}"
        yield part.finding(f"{kind}-deprecated", message, new.location)
    elif old.deprecated and not new.deprecated:
        message = f"{part.what} is no longer deprecated"
        yield part.finding(f"{kind}-reinstated", message, new.location)
    elif old.deprecated != new.deprecated:
        message = f"{part.what} is deprecated for another reason: {new.deprecated}"
        found = part.finding(f"{kind}-deprecation-changed", message, *places)
        yield found.noting(Note(f"the reason was: {old.deprecated}"))


def _match(
    old: Sequence[T], new: Sequence[T], written: Callable[[T], str]
) -> tuple[list[tuple[T, T]], list[T], list[T]]:
    """Return the parts of both versions, those removed, and those added.

    A part that is written otherwise, but has the same name in code, was renamed.
    """
    by_text = {written(part): part for part in old}
    kept = {
        index: by_text.pop(written(part))
        for index, part in enumerate(new)
        if written(part) in by_text
    }
    by_name = {part.name: part for part in by_text.values()}
    for index, part in enumerate(new):
        if index not in kept and part.name in by_name:
            kept[index] = by_name.pop(part.name)
            del by_text[written(kept[index])]
    return (
        [(kept[index], part) for index, part in enumerate(new) if index in kept],
        list(by_text.values()),
        [part for index, part in enumerate(new) if index not in kept],
    )
