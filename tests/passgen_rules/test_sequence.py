"""Guards, cases and nests."""

from __future__ import annotations

import pytest

from passgen_rules.sequence import (
    Domains,
    Guard,
    describe_case,
    find_case,
    may_change,
)


def test_the_reported_case_restricts_no_more_options_than_needed() -> None:
    domains = {"fast": (False, True), "mode": ("a", "b", "c")}
    fast = {"fast": frozenset({True})}
    mode = {"mode": frozenset({"a", "b"})}

    assert find_case([{}], [], domains) == {}
    assert find_case([fast], [{}], domains) is None
    assert find_case([fast], [fast], domains) is None
    case = find_case([fast], [mode, {**fast, **mode}], domains)
    assert case is not None
    assert describe_case(case, domains) == "'fast' is true and 'mode' is 'c'"


def test_a_case_is_found_whichever_option_decides_it() -> None:
    domains = dict.fromkeys(("x", "y", "z"), (False, True))
    is_off, is_on = frozenset({False}), frozenset({True})
    absent = [
        {"x": is_on, "y": is_on},
        {"x": is_off, "z": is_on},
        {"x": is_off, "z": is_off},
    ]

    assert find_case([], absent, domains) == {"x": is_on, "y": is_off}
    assert find_case([{"x": is_on}, {"x": is_off}], absent, domains) is None


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ("module", "module"),
        ("module", "module func"),
        ("module any", "module gpu"),
        ("module any", "module gpu gpu.func"),
    ],
)
def test_what_runs_around_or_inside_may_change_it(own: str, other: str) -> None:
    assert may_change((*own.split(),), (*other.split(),))
    assert may_change((*other.split(),), (*own.split(),))


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ("module func", "module gpu"),
        ("module func x", "module gpu x"),
        ("any func", "module gpu"),
    ],
)
def test_what_runs_beside_changes_nothing(own: str, other: str) -> None:
    assert not may_change((*own.split(),), (*other.split(),))
    assert not may_change((*other.split(),), (*own.split(),))


def test_a_case_names_options_in_the_order_of_their_declaration() -> None:
    domains: Domains = {"fast": (False, True), "mode": ("a", "b")}
    case: Guard = {"mode": frozenset({"b"}), "fast": frozenset({True})}

    assert describe_case(case, domains) == "'fast' is true and 'mode' is 'b'"
