"""Changes of patterns, each of which a test should notice.

`CHANGES` is the table of kinds. A change may leave no valid pattern: the caller finds
out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from passgen_runtime.patterns import (
    Patterns,
    PatternVariable,
    RewritePattern,
    import_functions,
)
from passgen_tools.mutants.pattern_texts import (
    TextKind,
    kept_flags,
    pdl_changes,
    text_changes,
)

PatternKind = Literal[TextKind, "benefit"]

_OPPOSITE: Final[Mapping[str, str]] = {
    "narrower": "wider",
    "wider": "narrower",
    "sameWidth": "wider",
}
"""A function of `where` that does not hold where the other one does."""

_FUNCTION: Final = re.compile(r"\w+")
_BENEFIT: Final = re.compile(r"(?<=\bbenefit\()\d+(?=\))")


@dataclass(frozen=True)
class Negated:
    """A constraint that holds where another one does not."""

    function: str | Callable[..., Any]
    """The other one, or its `module:function`."""

    place: str
    """The spec that declares it, for errors."""

    def __call__(self, *arguments: object) -> bool:
        """Return whether the other constraint does not hold."""
        [known] = import_functions((("", self.function),), self.place).values()
        return not known(*arguments)


@dataclass(frozen=True)
class PatternChange:
    """A pattern that is declared otherwise."""

    kind: PatternKind
    pattern: RewritePattern
    description: str
    line: int | None = None
    """The changed line of the text of the pattern."""

    key: str = ""
    """The key that is changed, if it is not the text."""

    constraint: tuple[str, Callable[..., Any]] | None = None
    """A constraint that the pattern calls, besides those of the pass."""


def changes_of(
    pass_class: type[Patterns], pattern: RewritePattern
) -> Iterator[PatternChange]:
    """Yield the changes of a pattern of a pass."""
    for find in CHANGES:
        yield from find(pass_class, pattern)


def _of_before(
    _cls: type[Patterns], pattern: RewritePattern
) -> Iterator[PatternChange]:
    for change in () if pattern.pdl else text_changes(pattern.before):
        changed = replace(pattern, before=change.text)
        line = pattern.line + change.line
        yield PatternChange(change.kind, changed, change.description, line)


def _of_after(_cls: type[Patterns], pattern: RewritePattern) -> Iterator[PatternChange]:
    if pattern.pdl:
        return  # its `before` and `after` are an example
    changes = (
        *text_changes(pattern.after),
        *kept_flags(pattern.before, pattern.after),
    )
    for change in changes:
        changed = replace(pattern, after=change.text)
        line = pattern.after_line + change.line
        yield PatternChange(change.kind, changed, change.description, line)


def _of_pdl(_cls: type[Patterns], pattern: RewritePattern) -> Iterator[PatternChange]:
    for change in pdl_changes(pattern.pdl):
        changed = replace(pattern, pdl=change.text)
        line = pattern.line + change.line
        yield PatternChange(change.kind, changed, change.description, line)


def _of_conditions(
    cls: type[Patterns], pattern: RewritePattern
) -> Iterator[PatternChange]:
    """Yield a pattern without each condition, and one with its opposite."""
    for variable in pattern.variables:
        where, name = variable.where, f"${variable.name}"
        if not where:
            continue
        without = _with_variable(pattern, variable, replace(variable, where=""))
        text = f"'{where}' is no condition of {name}"
        yield PatternChange("condition", without, text, key=variable.name)
        found = _FUNCTION.match(where)
        function = found[0] if found else ""
        constraint = None
        if other := _OPPOSITE.get(function):
            text = f"{name} is {where.replace(function, other, 1)}, not {function}"
        elif declared := dict(cls.native_constraints).get(function):
            other, text = f"not_{function}", f"{name} must not be '{where}'"
            constraint = other, Negated(declared, cls.declared_in)
        else:
            continue
        where = where.replace(function, other, 1)
        changed = _with_variable(pattern, variable, replace(variable, where=where))
        yield PatternChange(
            "condition", changed, text, key=variable.name, constraint=constraint
        )


def _of_uses(_cls: type[Patterns], pattern: RewritePattern) -> Iterator[PatternChange]:
    def without(names: tuple[str, ...], name: str) -> tuple[str, ...]:
        return tuple(other for other in names if other != name)

    for name in pattern.unused:
        changed = replace(pattern, unused=without(pattern.unused, name))
        text = f"'{name}' may have uses"
        yield PatternChange("condition", changed, text, key="unused")
    for name in pattern.one_use:
        changed = replace(pattern, one_use=without(pattern.one_use, name))
        text = f"'{name}' may have more than one use"
        yield PatternChange("condition", changed, text, key="oneUse")


def _of_types(_cls: type[Patterns], pattern: RewritePattern) -> Iterator[PatternChange]:
    """Yield a pattern with a type fewer, or with types that no list names."""
    for variable in pattern.variables:
        if variable.is_attribute or not variable.examples[1:]:
            continue
        name, (only, *_) = f"${variable.name}", variable.examples
        narrowed = replace(variable, any="", examples=(only,))
        changed = _with_variable(pattern, variable, narrowed)
        yield PatternChange(
            "type", changed, f"{name} is {only} only", key=variable.name
        )
        if not variable.any:
            is_float = "f" in variable.examples[0]
            kind: Literal["integer", "float"] = "float" if is_float else "integer"
            examples = variable.examples[:2]
            wide = replace(variable, any=kind, examples=examples)
            changed = _with_variable(pattern, variable, wide)
            yield PatternChange(
                "type", changed, f"{name} is any {kind}", key=variable.name
            )


def _of_benefits(
    cls: type[Patterns], pattern: RewritePattern
) -> Iterator[PatternChange]:
    """Yield a pattern that comes behind those that it preceded."""
    lower = [other.benefit for other in cls.patterns if other.benefit < pattern.benefit]
    if not lower or not min(lower):
        return
    benefit = min(lower) - 1
    pdl = _BENEFIT.sub(str(benefit), pattern.pdl, count=1)
    changed = replace(pattern, benefit=benefit, pdl=pdl)
    text = f"benefit {benefit} in place of {pattern.benefit}"
    yield PatternChange("benefit", changed, text, key="benefit")


def _with_variable(
    pattern: RewritePattern, variable: PatternVariable, other: PatternVariable
) -> RewritePattern:
    variables = [other if each is variable else each for each in pattern.variables]
    return replace(pattern, variables=tuple(variables))


_Finder: TypeAlias = Callable[[type[Patterns], RewritePattern], Iterator[PatternChange]]

CHANGES: Final[tuple[_Finder, ...]] = (
    _of_before,
    _of_after,
    _of_pdl,
    _of_conditions,
    _of_uses,
    _of_types,
    _of_benefits,
)
"""The kinds of changes; each function yields the changes of one kind."""
