"""What a pass asks of the pipeline around it: a part of the model.

Order is asked of passes, by argument, or of tags; analyses go by the names that their
group gives them. A rule is about one run through a pipeline, with nested passes where
they are nested: `after` is obeyed if some partner stands before the pass, `before` and
`cleanup` if some partner stands behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from passgen.source import Location

RuleKind: TypeAlias = Literal[
    "after", "before", "afterIfPresent", "beforeIfPresent", "cleanup"
]
"""The keys of a spec; `IfPresent` are the soft ones, `cleanup` is the weak one."""


@dataclass(frozen=True)
class Name:
    """A name that stands in the spec for something defined elsewhere in it."""

    name: str
    location: Location


@dataclass(frozen=True)
class Partner:
    """The passes that a rule is about: one by its argument, or all with a tag."""

    name: str
    is_tag: bool
    location: Location

    def __str__(self) -> str:
        """Return what a message calls it."""
        return f"a pass with tag '{self.name}'" if self.is_tag else f"'{self.name}'"


@dataclass(frozen=True)
class OrderingRule:
    """One demand on the order of a pipeline."""

    kind: RuleKind
    partners: tuple[Partner, ...]
    """Any of them will do; only a clean-up has more than one."""

    @property
    def location(self) -> Location:
        """Where the rule is declared."""
        return self.partners[0].location

    @property
    def wants_earlier(self) -> bool:
        """Whether the partner belongs before the pass, rather than behind it."""
        return self.kind in {"after", "afterIfPresent"}

    @property
    def is_soft(self) -> bool:
        """Whether the rule is about pipelines that hold a partner at all."""
        return self.kind in {"afterIfPresent", "beforeIfPresent"}


@dataclass(frozen=True)
class Constraints:
    """What is known of a pass besides what it does to the IR."""

    tags: tuple[Name, ...] = ()
    ordering: tuple[OrderingRule, ...] = ()
    required_analyses: tuple[Name, ...] = ()
    provided_analyses: tuple[Name, ...] = ()
    preserves_all: bool = False
    """Whether the pass leaves every analysis true, as one that only reads does."""

    preserved_analyses: tuple[Name, ...] = ()
    """Empty where it preserves all of them."""

    def preserves(self, analysis: str) -> bool:
        """Return whether `analysis` is still true after the pass."""
        return self.preserves_all or any(
            each.name == analysis for each in self.preserved_analyses
        )


UNCONSTRAINED = Constraints()


@dataclass(frozen=True)
class Ignore:
    """A rule of `passgen diff`, `lint` or `drift` that a part of the spec may break."""

    rule: str
    reason: str
    """Why, for readers of the spec."""

    location: Location
    """Of the rule's name."""

    name: str = ""
    """What users call the only thing that it is about; empty: all that is here."""
