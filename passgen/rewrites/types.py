"""The types in a rewrite: which of them are equal, and examples of each.

Operands, results and typed attributes have types; declarations and conditions say which
are equal. Types that are equal are one class, which becomes a variable or a constant.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Final, Literal, TypeAlias

from passgen.passgen_rules.pattern_functions import WIDTH_RELATIONS
from passgen.rewrites.predicates import (
    FLOATS,
    INDEX,
    INTEGERS,
    SAMPLES,
    width_of,
)
from passgen.rewrites.unreadable import UnreadableRewriteError

Kind: TypeAlias = Literal["", "integer", "float", "type"]

_INTEGERS: Final = frozenset(INTEGERS)
_KINDS: Final[Mapping[Kind, tuple[frozenset[str], ...]]] = {
    "integer": (_INTEGERS, _INTEGERS | {INDEX}),
    "float": (frozenset(FLOATS),),
}
"""The types of which a variable is any."""

_PAIRS: Final[Mapping[Kind, tuple[tuple[str, str], ...]]] = {
    "integer": (
        ("i32", "i64"),
        ("i8", "i16"),
        ("i64", "i128"),
        ("i16", "i32"),
        ("i4", "i8"),
        ("i2", "i4"),
    ),
    "float": (("f32", "f64"), ("f16", "bf16"), ("f64", "f128")),
    "type": (("i32", "f32"), ("i64", "f64"), ("i16", "f16")),
}
"""Examples of the types of a variable, the preferred ones first."""


@dataclass(frozen=True)
class Relation:
    """How the widths of two types compare."""

    name: str
    """A name in `WIDTH_RELATIONS`."""

    one: Hashable
    other: Hashable


@dataclass
class _Class:
    matched: frozenset[str] | None = None
    """The samples that what is matched allows; `None` if nothing matched has it."""

    valid: frozenset[str] = frozenset(SAMPLES)
    """The samples with which all operations are valid, new ones too."""

    has_number: bool = False
    """Whether it is the type of an attribute, whose examples are integers."""


@dataclass(frozen=True)
class SolvedType:
    """A constant type, or one for which a variable stands."""

    kind: Kind
    """Empty if its examples are all that it may be."""

    examples: tuple[str, ...]

    @property
    def is_constant(self) -> bool:
        """Whether it may be one type only."""
        return not self.kind and len(self.examples) == 1


@dataclass
class Types:
    """The types in a rewrite, by keys of their places."""

    relations: list[Relation] = field(default_factory=list)
    """What verifiers and conditions demand of widths."""

    either_index: list[tuple[Hashable, Hashable]] = field(default_factory=list)
    """Pairs of types, one of which is `index`, and the other an integer."""

    _parents: dict[Hashable, Hashable] = field(default_factory=dict)
    _classes: dict[Hashable, _Class] = field(default_factory=dict)

    def add(self, key: Hashable, allowed: frozenset[str], *, is_matched: bool) -> None:
        """Add a type, or restrict one."""
        root = self.root(key)
        found = self._classes.setdefault(root, _Class())
        found.valid &= allowed
        if is_matched:
            found.matched = (found.matched or frozenset(SAMPLES)) & allowed
        self._check(found)

    def add_number(self, key: Hashable) -> None:
        """Note that a type is that of an attribute."""
        self._class(key).has_number = True

    def root(self, key: Hashable) -> Hashable:
        """Return the key of the class of a type."""
        while (parent := self._parents.get(key, key)) != key:
            key = parent
        return key

    def unify(self, one: Hashable, other: Hashable, why: str) -> None:
        """Make two types equal.

        Raises:
            UnreadableRewriteError: they cannot be.
        """
        first, second = self.root(one), self.root(other)
        merged, gone = self._class(one), self._class(other)
        if first == second:
            return
        self._parents[second] = first
        del self._classes[second]
        merged.valid &= gone.valid
        merged.has_number |= gone.has_number
        if merged.matched is None or gone.matched is None:
            merged.matched = merged.matched if gone.matched is None else gone.matched
        else:
            merged.matched &= gone.matched
        self._check(merged, why)

    def _class(self, key: Hashable) -> _Class:
        found = self._classes.get(self.root(key))
        if found is None:
            raise UnreadableRewriteError("the type of a part that has none")
        return found

    def relate(self, name: str, one: Hashable, other: Hashable) -> None:
        """Add what a verifier or a condition demands of widths.

        Raises:
            UnreadableRewriteError: a part has no type.
        """
        for key in (one, other):
            self._class(key)
        self.relations.append(Relation(name, one, other))

    def require_equal(self, one: Hashable, other: Hashable, why: str) -> None:
        """Make a type of a new operation equal to another one.

        Raises:
            UnreadableRewriteError: the match does not say that they are equal.
        """
        found = [self._class(key).matched for key in (one, other)]
        is_same = self.root(one) == self.root(other)
        are_known = None not in found
        is_one_type = found[0] == found[1] and len(found[0] or ()) == 1
        if are_known and not is_same and not is_one_type:
            raise UnreadableRewriteError("types that are not known to be equal", why)
        self.unify(one, other, why)

    @staticmethod
    def _check(found: _Class, why: str = "") -> None:
        if not found.valid:
            raise UnreadableRewriteError("types that cannot be equal", why)

    def solutions(self) -> Iterator[Mapping[Hashable, SolvedType]]:
        """Yield the types by their classes: all at once, or those of each alternative.

        Raises:
            UnreadableRewriteError: a type is not known, or has no examples.
        """
        found = []
        for choice in product(*self.either_index):
            restricted = self._restricted(choice)
            if restricted is not None and restricted not in found:
                found.append(restricted)
        if not found:
            raise UnreadableRewriteError("types that no operation allows")
        yield from map(self._solve, found)

    def _restricted(
        self, indices: tuple[Hashable, ...]
    ) -> dict[Hashable, _Class] | None:
        """Return the classes where some types are `index`; `None` if they cannot be."""
        wanted: dict[Hashable, frozenset[str]] = {}
        for pair, index in zip(self.either_index, indices, strict=True):
            for key in pair:
                is_index = self.root(key) == self.root(index)
                allowed = frozenset({INDEX}) if is_index else _INTEGERS
                root = self.root(key)
                wanted[root] = wanted.get(root, allowed) & allowed
            if self.root(pair[0]) == self.root(pair[1]):
                return None
        classes = {}
        for root, known in self._classes.items():
            allowed = wanted.get(root, frozenset(SAMPLES))
            matched = None if known.matched is None else known.matched & allowed
            classes[root] = _Class(matched, known.valid & allowed, known.has_number)
            if not classes[root].valid or matched == frozenset():
                return None
        return classes

    def _solve(
        self, classes: Mapping[Hashable, _Class]
    ) -> Mapping[Hashable, SolvedType]:
        kinds = {root: self._kind(known) for root, known in classes.items()}
        choices = {root: [*_choices(classes[root], kinds[root])] for root in classes}
        for chosen in product(*choices.values()):
            examples = dict(zip(choices, chosen, strict=True))
            if all(self._holds(relation, examples) for relation in self.relations):
                return {
                    root: SolvedType(kinds[root], examples[root]) for root in classes
                }
        raise UnreadableRewriteError("types of which no examples are known")

    def _holds(
        self, relation: Relation, examples: Mapping[Hashable, tuple[str, ...]]
    ) -> bool:
        """Return whether a relation holds of all examples of two types."""
        compare = WIDTH_RELATIONS[relation.name]
        pairs = product(
            examples[self.root(relation.one)], examples[self.root(relation.other)]
        )
        widths = [(width_of(one), width_of(other)) for one, other in pairs]
        return all(
            one is not None and other is not None and compare(one, other)
            for one, other in widths
        )

    @staticmethod
    def _kind(known: _Class) -> Kind:
        if known.matched is None:
            if len(known.valid) > 1:
                raise UnreadableRewriteError("a new result whose type is not known")
            return ""
        for kind, samples in _KINDS.items():
            if known.matched in samples:
                return kind
        return "type" if known.matched >= {*INTEGERS, *FLOATS} else ""


def _choices(known: _Class, kind: Kind) -> Iterator[tuple[str, ...]]:
    """Yield the examples that a type may have."""
    matched = known.valid if known.matched is None else known.matched
    if kind:
        shown = "integer" if kind == "type" and known.has_number else kind
        yield from (pair for pair in _PAIRS[shown] if known.valid >= {*pair})
    else:
        yield tuple(type_ for type_ in SAMPLES if type_ in matched)
