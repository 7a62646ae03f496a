"""Ordering rules, bundles and pipelines: specs that only look wrong, cases of options.

Wrong specs are in `invalid/` and `warned/`. `tests/cases/ordering_rules.yaml` and, at random,
`tests/property/test_pipeline_rules.py` compare specs with builders.
"""

from __future__ import annotations

import pytest

from passgen import checks
from passgen.checks.pipelines.conditions import describe_case, find_case
from passgen.checks.pipelines.references import needed_groups
from passgen.diagnostics import Diagnostic, SpecError
from passgen.model.group import PassGroup
from passgen.source import SourceFile
from passgen.spec import read

LOOPS = """\
name: Loops
passes:
  Tile: {argument: tile, summary: Tile loops, tags: [tiling]}
  Unroll:
    argument: unroll
    summary: Unroll loops
    options:
      - {name: factor, argument: factor, type: uint32}
      - {name: weights, argument: weights, listOf: double}
"""


def group(text: str, name: str = "spec.yaml") -> PassGroup:
    return read(SourceFile(name, text))


def warnings(text: str, *others: PassGroup) -> tuple[Diagnostic, ...]:
    return checks.check(group(text), others)


def pipeline(elements: str, options: str = "") -> str:
    return (
        f"{LOOPS}pipelines:\n  All:\n    argument: all\n    summary: All passes\n"
        f"    options: [{options}]\n    elements: [{elements}]\n"
    )


@pytest.mark.parametrize(
    "rules",
    [
        "after: [canonicalize], before: [canonicalize]",
        "after: [{tag: loops}], tags: [loops]",
        "afterIfPresent: [fuse], cleanup: [canonicalize, fuse]",
    ],
)
def test_a_rule_is_no_cycle_if_some_pipeline_obeys_it(rules: str) -> None:
    text = (
        "externalPasses: [canonicalize, {argument: fuse, tags: [loops]}]\n"
        f"passes:\n  Tile: {{argument: tile, summary: Tile loops, {rules}}}\n"
    )

    assert warnings(text) == ()


def test_passes_that_never_run_together_break_no_rule() -> None:
    text = """\
passes:
  Tile: {argument: tile, summary: Tile loops}
  Unroll: {argument: unroll, summary: Unroll loops, afterIfPresent: [tile]}
pipelines:
  All:
    argument: all
    summary: All
    options: [{name: mode, argument: mode, type: enum, values: [large, small]}]
    elements:
      - {pass: unroll, when: {option: mode, is: small}}
      - {pass: tile, when: {option: mode, is: large}}
"""

    assert warnings(text) == ()


def test_conditions_of_an_included_pipeline_follow_the_options_it_is_given() -> None:
    text = """\
passes:
  Tile: {argument: tile, summary: Tile loops, after: [unroll]}
  Unroll: {argument: unroll, summary: Unroll loops}
pipelines:
  Inner:
    argument: inner
    summary: Inner
    options:
      - {name: tiles, argument: tiles, type: bool, default: false}
      - {name: unrolls, argument: unrolls, type: bool, default: true}
    elements:
      - {pass: unroll, when: unrolls}
      - when: unrolls
        elements: [{pass: tile, when: tiles}]
  Outer:
    argument: outer
    summary: Outer
    options: [{name: unrolls, argument: unrolls, type: bool}]
    elements:
      - {pipeline: inner, options: {unrolls: {option: unrolls}, tiles: true}}
"""

    assert warnings(text) == ()


@pytest.mark.parametrize(
    ("given", "own"),
    [
        ("factor: {option: n}", "{name: n, argument: n, type: uint16}"),
        ("weights: {option: n}", "{name: n, argument: n, listOf: float}"),
        ("weights: [1, 2.5]", "{name: n, argument: n, type: bool}"),
        ("factor: 0", "{name: n, argument: n, type: bool}"),
    ],
)
def test_a_value_that_fits_is_passed_on(given: str, own: str) -> None:
    text = pipeline(
        f"{{pass: unroll, options: {{{given}}}}}, {{pass: tile, when: on}}",
        f"{own}, {{name: on, argument: on, type: bool}}",
    )

    assert {each.severity for each in warnings(text)} <= {"warning"}


def test_options_of_external_passes_are_not_known() -> None:
    text = f"externalPasses: [cse]\n{pipeline('{pass: cse, options: {any: [x]}}')}"

    assert warnings(text) == ()


def test_specs_of_one_call_name_each_others_passes() -> None:
    text = """\
passes:
  Lower: {argument: lower, summary: Lower, after: [{tag: tiling}, unroll]}
pipelines:
  All: {argument: all, summary: All, elements: [tile, unroll, lower]}
"""
    other, unrelated = group(LOOPS), group("passes: {A: {argument: a, summary: A}}")

    assert warnings(text, other) == ()
    assert needed_groups(group(text), [unrelated, other]) == [other]
    with pytest.raises(SpecError, match="unknown pass 'unroll' in 'after'"):
        warnings(text)
    assert checks.check(group(text), others=None) == ()


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


def test_a_cycle_through_two_specs_is_reported_for_the_first_alone() -> None:
    first = group(
        "passes: {Tile: {argument: tile, summary: Tile, after: [fuse]}}", "a.yaml"
    )
    second = group(
        "passes: {Fuse: {argument: fuse, summary: Fuse, after: [tile]}}", "b.yaml"
    )

    with pytest.raises(SpecError) as caught:
        checks.check(first, [second])
    assert [each.message for each in caught.value.diagnostics] == [
        "pass 'tile' must come after 'fuse', which must come after 'tile'"
    ]
    assert checks.check(second, [first]) == ()


@pytest.mark.parametrize(
    ("option", "condition", "settings"),
    [
        ("unrolls, argument: unrolls, type: bool", "unrolls", "{unrolls: false}"),
        ("unrolls, argument: unrolls, type: bool", "unrolls", "{}"),
        (
            "mode, argument: mode, type: enum, values: [none, full]",
            "{option: mode, is: full}",
            "{}",
        ),
        (
            "mode, argument: mode, type: enum, values: [full, none], default: none",
            "{option: mode, is: full}",
            "{}",
        ),
    ],
)
def test_a_pass_that_an_included_pipeline_leaves_out_breaks_no_rule(
    option: str, condition: str, settings: str
) -> None:
    text = f"""\
passes:
  Tile: {{argument: tile, summary: Tile loops, beforeIfPresent: [unroll]}}
  Unroll: {{argument: unroll, summary: Unroll loops}}
pipelines:
  Inner:
    argument: inner
    summary: Inner
    options: [{{name: {option}}}]
    elements: [{{pass: unroll, when: {condition}}}]
  Outer:
    argument: outer
    summary: Outer
    elements: [{{pipeline: inner, options: {settings}}}, tile]
"""

    assert warnings(text) == ()
