"""The passes of a pipeline as a sequence of steps, each with a guard and a nest.

A guard gives the values that some options of the pipeline must have; a pipeline that is
built already has empty ones. Options in guards are booleans and enums, which have
finitely many values, so it can be decided exactly whether a pipeline breaks a rule for
some values of its options.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias

GuardValue: TypeAlias = bool | str

Guard: TypeAlias = Mapping[str, frozenset[GuardValue]]
"""The values for which a step is present, by option name; empty: always."""

Domains: TypeAlias = Mapping[str, tuple[GuardValue, ...]]
"""All values of the options that guards may restrict, by option name."""

ALWAYS: Final[Guard] = MappingProxyType({})
"""The guard of a step that no option leaves out."""

NO_OPTIONS: Final[Domains] = MappingProxyType({})
"""The domains of a pipeline without guards."""

Nest: TypeAlias = tuple[str, ...]
"""The operation of a pipeline, then those that a step is nested on."""

ANY_OPERATION: Final = "any"
"""The name in a nest that stands for operations of all types."""


class Step(Protocol):
    """A pass in its place in a pipeline."""

    @property
    def guard(self) -> Guard:
        """The case in which it is present."""

    @property
    def nest(self) -> Nest:
        """The operations that it is nested on."""


def both(first: Guard, second: Guard) -> Guard | None:
    """Return the conjunction of two guards; `None` if it is never true."""
    joined = dict(first)
    for option, values in second.items():
        joined[option] = joined.get(option, values) & values
        if not joined[option]:
            return None
    return joined


def find_case(
    present: Iterable[Guard], absent: Iterable[Guard], domains: Domains
) -> Guard | None:
    """Return values of options for which all of `present` and none of `absent` hold.

    The result restricts only the options that matter; `None`: there are no such values.
    """
    case: Guard = {}
    for guard in present:
        joined = both(case, guard)
        if joined is None:
            return None
        case = joined
    different = {frozenset(guard.items()): guard for guard in absent}
    return _without(case, list(different.values()), domains)


def _without(case: Guard, absent: list[Guard], domains: Domains) -> Guard | None:
    if not absent:
        return case
    guard, *rest = sorted(absent, key=len)  # those with the fewest choices first
    for option, values in guard.items():
        left = case.get(option, frozenset(domains[option])) - values
        if left:
            found = _without({**case, option: left}, rest, domains)
            if found is not None:
                return found
    return None


def describe_case(case: Guard, domains: Domains) -> str:
    """Return `case` in words: `'vectorize' is true and 'mode' is 'greedy'`.

    Options come in the order of `domains`, however the case was found.
    """
    first = {
        option: next(value for value in domain if value in case[option])
        for option, domain in domains.items()
        if option in case
    }
    return " and ".join(
        f"'{name}' is {_format(value)}" for name, value in first.items()
    )


def _format(value: GuardValue) -> str:
    return str(value).lower() if isinstance(value, bool) else f"'{value}'"


def may_change(own: Nest, other: Nest) -> bool:
    """Return whether passes in nest `own` may change operations of passes in `other`.

    They may if one nest begins with the other. A pass on a module may change each
    function in it, and a pass on a function changes a part of its module. Passes on
    functions never change the operations of passes on `gpu.module`. `any` equals each
    operation.
    """
    return all(
        mine == theirs or ANY_OPERATION in (mine, theirs)
        for mine, theirs in zip(own, other, strict=False)
    )
