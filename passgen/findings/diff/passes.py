"""What changed of a pass itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from passgen import naming
from passgen.findings.diff.matching import match, was_here
from passgen.findings.finding import Finding
from passgen.model import Ignore, Name, OrderingRule, Pass, Statistic
from passgen.rules import DIFF_RULES
from passgen.source import Location


def compare_passes(
    old: Pass, new: Pass, group_ignores: tuple[Ignore, ...]
) -> Iterator[Finding]:
    """Yield what changed of the pass, its options and statistics left aside."""
    compared = _Compared(old, new, (*new.ignores, *group_ignores))
    yield from chain(
        compared.names(),
        compared.standing(),
        compared.anchor(),
        compared.dialects(),
        compared.constructors(),
    )


@dataclass(frozen=True)
class _Compared:
    """A pass of both versions."""

    old: Pass
    new: Pass
    ignores: tuple[Ignore, ...]

    @property
    def what(self) -> str:
        return f"pass '{self.new.argument}'"

    def names(self) -> Iterator[Finding]:
        old, new = self.old, self.new
        if old.argument != new.argument:
            message = f"pass '{old.argument}' is '{new.argument}' now"
            places = new.argument_location, old.argument_location
            yield self._found("pass-renamed", message, *places)
        if old.name != new.name:
            now, was = (
                " and ".join(f"'{each}'" for each in names)
                for names in zip(*_renamed_in_code(old, new), strict=True)
            )
            message = f"{self.what} is {now} in code now, and was {was}"
            places = new.location, old.location
            yield self._found("pass-class-renamed", message, *places)

    def standing(self) -> Iterator[Finding]:
        old, new = self.old, self.new
        if new.deprecated and not old.deprecated:
            message = f"{self.what} is deprecated now: {new.deprecated}"
            yield self._found("pass-deprecated", message, new.location)
        if old.deprecated and not new.deprecated:
            message = f"{self.what} is no longer deprecated"
            yield self._found("pass-reinstated", message, new.location)

    def anchor(self) -> Iterator[Finding]:
        old, new = self.old, self.new
        before, now = _runs_on(old), _runs_on(new)
        if before != now:
            rule = "anchor-widened" if _is_wider(old, new) else "anchor-changed"
            message = f"{self.what} runs on {now} now, and ran on {before}"
            place = new.anchor.location if new.anchor else new.location
            was = old.anchor.location if old.anchor else old.location
            yield self._found(rule, message, place, was)

    def dialects(self) -> Iterator[Finding]:
        gone = {each.name: each for each in self.old.dependent_dialects}
        for dialect in self.new.dependent_dialects:
            if gone.pop(dialect.name, None) is None:
                name = dialect.name
                message = f"{self.what} depends on dialect '{name}' now"
                place = dialect.location
                yield self._found("dialect-added", message, place, name=name)
        for name, dialect in gone.items():
            message = f"{self.what} no longer depends on dialect '{name}'"
            places = self.new.location, dialect.location
            yield self._found("dialect-removed", message, *places, name=name)

    def constructors(self) -> Iterator[Finding]:
        old, new = self.old, self.new
        if old.constructor and old.constructor != new.constructor:
            now = f"is '{new.constructor}'" if new.constructor else "is unnamed"
            message = (
                f"constructor of {self.what} {now} now, and was '{old.constructor}'"
            )
            places = new.constructor_location, old.constructor_location
            yield self._found("constructor-changed", message, *places)
        if old.cpp.constructor != new.cpp.constructor:
            message = (
                f"C++ makes {self.what} with '{_cpp(new)}' now, and made it with "
                f"'{_cpp(old)}'"
            )
            yield self._found("cpp-constructor-changed", message, new.location)

    def _found(
        self,
        rule: str,
        message: str,
        location: Location,
        before: Location | None = None,
        name: str = "",
    ) -> Finding:
        notes = was_here(before) if before else ()
        name = name or self.new.argument
        return Finding(DIFF_RULES[rule], message, location, self.ignores, notes, name)


_ANY: Final = "any operation"


def _runs_on(pass_: Pass) -> str:
    """Return what the pass runs on, as far as that is known."""
    if pass_.anchor:
        return f"'{pass_.anchor.name}'"
    spelled = pass_.cpp.anchor or pass_.cpp.base_class
    return f"'{spelled}'" if spelled else _ANY


_FUNCTIONS: Final = frozenset(
    {"emitc.func", "func.func", "gpu.func", "llvm.func", "ml_program.func"}
    | {"pdl_interp.func", "spirv.func"}
)
"""Operations of MLIR with `FunctionOpInterface`."""


def _is_wider(old: Pass, new: Pass) -> bool:
    """Return whether `new` runs on all that `old` ran on, as far as that is known."""
    if _runs_on(new) == _ANY:
        return True
    return (
        _runs_on(new) == "'FunctionOpInterface'"
        and old.anchor is not None
        and old.anchor.name in _FUNCTIONS
    )


def _renamed_in_code(old: Pass, new: Pass) -> Iterator[tuple[str, str]]:
    """Yield the names in generated code that differ: the new one, then the old."""
    for name in (naming.create_function, naming.base_class):
        if name(new.name) != name(old.name):
            yield name(new.name), name(old.name)


def _cpp(pass_: Pass) -> str:
    if pass_.cpp.constructor is None:
        return f"{naming.create_function(pass_.cpp.name or pass_.name)}()"
    return pass_.cpp.constructor


def compare_statistics(
    old: Pass, new: Pass, group_ignores: tuple[Ignore, ...]
) -> Iterator[Finding]:
    """Yield what changed of the statistics."""
    of = f"of pass '{new.argument}'"
    of_pass = (*new.ignores, *group_ignores)
    statistics = match(old.statistics, new.statistics, _display_name, _name)
    for gone in statistics.removed:
        yield Finding(
            DIFF_RULES["statistic-removed"],
            f"statistic '{gone.display_name}' {of} was removed",
            new.location,
            of_pass,
            was_here(gone.location),
            gone.display_name,
        )
    for added in statistics.added:
        yield Finding(
            DIFF_RULES["statistic-added"],
            f"statistic '{added.display_name}' {of} is new",
            added.location,
            (*added.ignores, *of_pass),
            name=added.display_name,
        )
    for before, after in statistics.kept:
        renamed = before.display_name != after.display_name
        if not renamed and before.name == after.name:
            continue
        rule = "statistic-renamed" if renamed else "statistic-variable-renamed"
        message = (
            f"statistic '{before.display_name}' {of} is '{after.display_name}' now"
            if renamed
            else f"statistic '{after.display_name}' {of} is '{after.name}' in code "
            f"now, and was '{before.name}'"
        )
        yield Finding(
            DIFF_RULES[rule],
            message,
            after.location,
            (*after.ignores, *of_pass),
            was_here(before.location),
            after.display_name,
        )


def _display_name(statistic: Statistic) -> str:
    return statistic.display_name


def _name(statistic: Statistic) -> str:
    return statistic.name


def compare_constraints(
    old: Pass, new: Pass, group_ignores: tuple[Ignore, ...]
) -> Iterator[Finding]:
    """Yield what changed of tags, order and analyses."""
    what = f"pass '{new.argument}'"
    ignores = (*new.ignores, *group_ignores)

    def found(
        rule: str, message: str, name: str, place: Location, *was: Location
    ) -> Finding:
        notes = was_here(was[0]) if was else ()
        return Finding(DIFF_RULES[rule], message, place, ignores, notes, name)

    before, now = old.constraints, new.constraints
    for tag in _gone(before.tags, now.tags):
        message = f"{what} no longer has tag '{tag.name}'"
        yield found("tag-removed", message, tag.name, new.location, tag.location)
    for each in _gone(before.provided_analyses, now.provided_analyses):
        message = f"{what} no longer provides analysis '{each.name}'"
        places = new.location, each.location
        yield found("analysis-not-provided", message, each.name, *places)
    for each in _gone(now.required_analyses, before.required_analyses):
        message = f"{what} requires analysis '{each.name}' now"
        yield found("analysis-required", message, each.name, each.location)
    if before.preserves_all and not now.preserves_all:
        kept = ", ".join(f"'{each.name}'" for each in now.preserved_analyses)
        message = f"{what} preserves {kept or 'no analysis'} now, and preserved all"
        yield found("analysis-not-preserved", message, new.argument, new.location)
    for each in before.preserved_analyses:
        if not now.preserves(each.name):
            message = f"{what} no longer preserves analysis '{each.name}'"
            places = new.location, each.location
            yield found("analysis-not-preserved", message, each.name, *places)
    known = {_shape(rule) for rule in before.ordering}
    for rule in now.ordering:
        if _shape(rule) not in known:
            partners = " or ".join(map(str, rule.partners))
            message = f"{what} has a new rule of order: '{rule.kind}' {partners}"
            name = rule.partners[0].name
            yield found("ordering-added", message, name, rule.location)


def _gone(old: Iterable[Name], new: Iterable[Name]) -> Iterator[Name]:
    """Yield the names of `old` that `new` has not."""
    kept = {each.name for each in new}
    yield from (each for each in old if each.name not in kept)


def _shape(rule: OrderingRule) -> tuple[str, frozenset[str]]:
    return rule.kind, frozenset(map(str, rule.partners))
