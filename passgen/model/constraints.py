"""Constraints of a pass on the pipeline around it: order, tags, analyses, forms.

Ordering rules name passes by argument or by tag; analyses have the names that their
group gives them. `passgen_rules` decides what rules mean; here they have places.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from passgen.passgen_rules import forms, ordering_rules
from passgen.source import Location


@dataclass(frozen=True)
class Name:
    """A reference in the spec to something that is defined by name."""

    name: str
    location: Location

    def __str__(self) -> str:
        """Return the name."""
        return self.name


@dataclass(frozen=True)
class Partner(ordering_rules.Partner):
    """The other passes of a rule, with the place of their name."""

    location: Location = field(kw_only=True)


@dataclass(frozen=True)
class OrderingRule(ordering_rules.OrderingRule):
    """One requirement on the order of a pipeline, with places."""

    partners: tuple[Partner, ...]

    @property
    def location(self) -> Location:
        """The location of the first partner."""
        return self.partners[0].location


@dataclass(frozen=True)
class FormRules:
    """The forms of IR that a pass or a pipeline is about.

    Other forms are unknown after it: nothing is inferred from dialects.
    """

    needs: tuple[Name, ...] = ()
    """The forms that must hold before it."""

    gives: tuple[Name, ...] = ()
    """The forms that hold after it."""

    keeps: tuple[Name, ...] = ()
    """The forms that hold after it if they held before."""

    breaks: tuple[Name, ...] = ()
    """The forms that are not guaranteed after it."""

    creates: tuple[Name, ...] | None = None
    """All operations and dialects that a pass may create; `None`: unknown."""

    @property
    def is_declared(self) -> bool:
        """Whether it says anything."""
        return self != NO_FORMS

    @property
    def is_closed(self) -> bool:
        """Whether it says what a pass creates."""
        return self.creates is not None

    def meaning(self, known: Mapping[str, forms.Form]) -> forms.FormRules:
        """Return the rules about the forms themselves.

        Args:
            known: the forms by name; of another one only the name is known.
        """
        needs, gives, keeps, breaks = (
            tuple(known.get(str(name), forms.Form(str(name))) for name in names)
            for _, names in self.named
        )
        created = None if self.creates is None else tuple(map(str, self.creates))
        return forms.FormRules(needs, gives, keeps, breaks, created)

    @property
    def effects(self) -> tuple[tuple[str, tuple[Name, ...]], ...]:
        """The keys about the IR after it, with their forms."""
        return ("gives", self.gives), ("keeps", self.keeps), ("breaks", self.breaks)

    @property
    def named(self) -> tuple[tuple[str, tuple[Name, ...]], ...]:
        """All keys, with their forms."""
        return (("needs", self.needs), *self.effects)


NO_FORMS = FormRules()


@dataclass(frozen=True)
class Constraints:
    """Tags, ordering rules, analyses and forms of a pass."""

    tags: tuple[Name, ...] = ()
    ordering: tuple[OrderingRule, ...] = ()
    required_analyses: tuple[Name, ...] = ()
    provided_analyses: tuple[Name, ...] = ()
    preserves_all: bool = False
    """Whether every analysis stays valid, as for a pass that only reads the IR."""

    preserved_analyses: tuple[Name, ...] = ()
    """Empty if it preserves all of them."""

    forms: FormRules = NO_FORMS

    def preserves(self, analysis: str) -> bool:
        """Return whether `analysis` stays valid after the pass."""
        return self.preserves_all or any(
            preserved_analysis.name == analysis
            for preserved_analysis in self.preserved_analyses
        )


UNCONSTRAINED = Constraints()


@dataclass(frozen=True)
class Ignore:
    """A rule of `passgen diff`, `lint` or `drift`, ignored in a part of the spec."""

    rule: str
    reason: str
    """Why the rule is ignored, for readers of the spec."""

    location: Location
    """The place of the rule's name."""

    name: str = ""
    """The only entity for which the rule is ignored, as users call it; empty: all."""
