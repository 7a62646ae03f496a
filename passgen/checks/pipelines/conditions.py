"""When an element is part of a pipeline: guards over options, and whether they agree.

A guard says which values some options must have. Options in conditions are booleans and
enums, so their values can be counted, and whether a pipeline can break a rule for some
values of its options is decided exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from passgen.model.group import Option
from passgen.model.pipelines import Condition, ConditionValue

Guard: TypeAlias = Mapping[str, frozenset[ConditionValue]]
"""By the name of an option, the values for which an element is there; empty: always."""

Domains: TypeAlias = Mapping[str, tuple[ConditionValue, ...]]
"""All values of each option that a condition may ask about."""


def domain(option: Option) -> tuple[ConditionValue, ...]:
    """Return the values of `option`; none if it is neither a boolean nor an enum."""
    if option.is_list:
        return ()
    if option.type.name == "bool":
        return (False, True)
    return tuple(each.value for each in option.type.values)


def allowed_values(
    condition: Condition, values: Iterable[ConditionValue]
) -> frozenset[ConditionValue]:
    """Return those of `values` for which `condition` holds."""
    return frozenset(
        value for value in values if (value == condition.value) != condition.is_negated
    )


def both(first: Guard, second: Guard) -> Guard | None:
    """Return the guard that holds where both do; `None` if that is nowhere."""
    joined = dict(first)
    for option, values in second.items():
        joined[option] = joined.get(option, values) & values
        if not joined[option]:
            return None
    return joined


def find_case(
    present: Iterable[Guard], absent: Iterable[Guard], domains: Domains
) -> Guard | None:
    """Return values of options for which all of `present` hold and none of `absent`.

    The result restricts no more options than it must; `None`: there is no such case.
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
    guard, *rest = sorted(absent, key=len)  # those that leave least choice come first
    for option, values in guard.items():
        left = case.get(option, frozenset(domains[option])) - values
        if left:
            found = _without({**case, option: left}, rest, domains)
            if found is not None:
                return found
    return None


def describe_case(case: Guard, domains: Domains) -> str:
    """Return `case` for a message: `vectorize is true and mode is greedy`."""
    first = {
        option: next(value for value in domains[option] if value in values)
        for option, values in case.items()
    }
    return " and ".join(f"'{name}' is {_shown(value)}" for name, value in first.items())


def _shown(value: ConditionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else f"'{value}'"
