"""What changed of a pass itself: a part of `spec_diff`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from passgen import naming
from passgen.findings.finding import Finding
from passgen.model.group import Pass
from passgen.model.model_ignores import Ignore
from passgen.rules import DIFF_RULES
from passgen.source import Location
from passgen.findings.diff.matching import was_here


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
