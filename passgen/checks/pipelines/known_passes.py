"""The passes that a group may name: its own, of the specs beside it, external ones.

What pipelines and ordering rules say is checked against these, and nothing is run or
imported for it. An analysis is known by its class, so that two groups may call one
analysis by two names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from passgen.model.group import Anchor, ExternalPass, Option, Pass, PassGroup
from passgen.model.constraints import Constraints, Name, Partner
from passgen.model.pipelines import PassElement, without_blocks
from passgen.source import Location


@dataclass(frozen=True)
class KnownAnalysis:
    """What a pass says of an analysis, and where."""

    name: str
    python: str
    """`module:Class`, by which analyses of different groups are compared."""

    location: Location


@dataclass(frozen=True)
class KnownPass:
    """A pass as far as a pipeline needs to know it."""

    argument: str
    anchor: Anchor | None
    constraints: Constraints
    options: tuple[Option, ...] | None
    """`None`: not known, as of an external pass."""

    required: tuple[KnownAnalysis, ...]
    provided: frozenset[str]
    """Classes."""

    preserved: frozenset[str]
    """Classes; empty where the pass preserves all."""

    def preserves(self, analysis: str) -> bool:
        """Return whether the analysis of this class is still true after the pass."""
        return self.constraints.preserves_all or analysis in self.preserved


@dataclass(frozen=True)
class KnownPasses:
    """Passes by argument and by tag."""

    by_argument: Mapping[str, KnownPass]
    by_tag: Mapping[str, tuple[KnownPass, ...]]

    def matches(self, partner: Partner) -> tuple[KnownPass, ...]:
        """Return the passes that `partner` means."""
        if partner.is_tag:
            return self.by_tag.get(partner.name, ())
        known = self.by_argument.get(partner.name)
        return (known,) if known else ()


def known_passes(group: PassGroup, others: Sequence[PassGroup]) -> KnownPasses:
    """Return what passes `group` may name where the specs of `others` are given too."""
    by_argument: dict[str, KnownPass] = {}
    for known in _in_order_of_authority(group, others):
        by_argument.setdefault(known.argument, known)
    by_tag: dict[str, tuple[KnownPass, ...]] = {}
    for known in by_argument.values():
        for tag in dict.fromkeys(each.name for each in known.constraints.tags):
            by_tag[tag] = (*by_tag.get(tag, ()), known)
    return KnownPasses(by_argument, by_tag)


def needed_groups(group: PassGroup, others: Sequence[PassGroup]) -> list[PassGroup]:
    """Return those of `others` whose passes `group` names."""
    held = (
        *(each.elements for each in group.bundles),
        *(each.elements for each in group.pipelines),
    )
    named = {
        element.argument
        for elements in held
        for element in without_blocks(elements)
        if isinstance(element, PassElement)
    }
    tags: set[str] = set()
    for pass_ in group.passes:
        for rule in pass_.constraints.ordering:
            for partner in rule.partners:
                (tags if partner.is_tag else named).add(partner.name)
    named -= {pass_.argument for pass_ in group.passes}
    named -= {pass_.argument for pass_ in group.external_passes}
    if not named and not tags:
        return []
    return [
        other
        for other in others
        if any(
            pass_.argument in named
            or any(tag.name in tags for tag in pass_.constraints.tags)
            for pass_ in other.passes
        )
    ]


def _in_order_of_authority(
    group: PassGroup, others: Sequence[PassGroup]
) -> Iterable[KnownPass]:
    for each in (group, *others):
        classes = _classes(each)
        for pass_ in each.passes:
            yield _known(pass_, pass_.options, classes)
    classes = _classes(group)
    for external in group.external_passes:
        yield _known(external, None, classes)


def _classes(group: PassGroup) -> dict[str, str]:
    return {analysis.name: analysis.python for analysis in group.analyses}


def _known(
    pass_: Pass | ExternalPass,
    options: tuple[Option, ...] | None,
    classes: Mapping[str, str],
) -> KnownPass:
    constraints = pass_.constraints

    def known_classes(names: Iterable[Name]) -> frozenset[str]:
        return frozenset(classes[each.name] for each in names if each.name in classes)

    return KnownPass(
        pass_.argument,
        pass_.anchor,
        constraints,
        options,
        required=tuple(
            KnownAnalysis(each.name, classes[each.name], each.location)
            for each in constraints.required_analyses
            if each.name in classes
        ),
        provided=known_classes(constraints.provided_analyses),
        preserved=known_classes(constraints.preserved_analyses),
    )
