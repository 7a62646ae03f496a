"""Ordering rules: the requirements of a pass on the pipeline around it.

A pass declares its rules; a builder of pipelines checks them:

    class BufferHoisting(OperationPass[PassOptions]):
        argument = "buffer-hoisting"
        tags = ("memref",)
        ordering = (
            after(tag("bufferization")),    # strong: at least one runs earlier
            before_if_present("lower-all"), # soft: if there is any, one runs later
            cleanup("canonicalize", "cse"), # weak: one of them runs later
        )
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

RuleKind = Literal["after", "before", "afterIfPresent", "beforeIfPresent", "cleanup"]
"""The key in a spec; `IfPresent` are the soft ones, `cleanup` is the weak one."""


class OrderedPass(Protocol):
    """The attributes of a pass that rules read."""

    @property
    def argument(self) -> str:
        """The name in a textual pipeline."""

    @property
    def tags(self) -> tuple[str, ...]:
        """The names of the groups of passes that it belongs to."""


@dataclass(frozen=True, slots=True)
class Tag:
    """All passes that have a tag."""

    name: str

    def matches(self, pass_: OrderedPass) -> bool:
        """Return whether `pass_` has the tag."""
        return self.name in pass_.tags

    def __str__(self) -> str:
        """Return its name in messages."""
        return f"a pass with tag '{self.name}'"


@dataclass(frozen=True, slots=True)
class NamedPass:
    """A pass by its argument."""

    argument: str

    def matches(self, pass_: OrderedPass) -> bool:
        """Return whether `pass_` has the argument."""
        return pass_.argument == self.argument

    def __str__(self) -> str:
        """Return its name in messages."""
        return f"'{self.argument}'"


Partner: TypeAlias = Tag | NamedPass
"""The passes that a rule is about."""

_EARLIER: Final = frozenset({"after", "afterIfPresent"})
_SOFT: Final = frozenset({"afterIfPresent", "beforeIfPresent"})


_PHRASES: Final[dict[RuleKind, str]] = {
    "after": "runs after",
    "before": "runs before",
    "afterIfPresent": "runs after, if present",
    "beforeIfPresent": "runs before, if present",
    "cleanup": "needs a clean-up later",
}


@dataclass(frozen=True, slots=True)
class OrderingRule:
    """One requirement of a pass on the order of its pipeline."""

    kind: RuleKind
    partners: tuple[Partner, ...]
    """One of them is enough; only a clean-up has more than one."""

    @property
    def wants_earlier(self) -> bool:
        """Whether a partner must run before the pass, rather than after it."""
        return self.kind in _EARLIER

    @property
    def is_soft(self) -> bool:
        """Whether it holds only for pipelines that have a partner."""
        return self.kind in _SOFT

    def __str__(self) -> str:
        """Return the rule as help texts show it: `runs after: 'cse'`."""
        partners = " or ".join(map(str, self.partners))
        return f"{_PHRASES[self.kind]}: {partners}"

    def is_about(self, pass_: OrderedPass) -> bool:
        """Return whether `pass_` is one of the partners."""
        return any(partner.matches(pass_) for partner in self.partners)


def tag(name: str) -> Tag:
    """Return a reference to all passes with the tag `name`."""
    return Tag(name)


def after(partner: str | Tag) -> OrderingRule:
    """Require that at least one `partner`, an argument or a tag, runs earlier."""
    return OrderingRule("after", (_partner(partner),))


def before(partner: str | Tag) -> OrderingRule:
    """Require that at least one `partner`, an argument or a tag, runs later."""
    return OrderingRule("before", (_partner(partner),))


def after_if_present(partner: str | Tag) -> OrderingRule:
    """Require the same as `after`, but only of pipelines that hold `partner`."""
    return OrderingRule("afterIfPresent", (_partner(partner),))


def before_if_present(partner: str | Tag) -> OrderingRule:
    """Require the same as `before`, but only of pipelines that hold `partner`."""
    return OrderingRule("beforeIfPresent", (_partner(partner),))


def cleanup(*partners: str | Tag) -> OrderingRule:
    """Require that one of `partners` runs later, anywhere after the pass."""
    return OrderingRule("cleanup", tuple(map(_partner, partners)))


def _partner(partner: str | Tag) -> Partner:
    return partner if isinstance(partner, Tag) else NamedPass(partner)
