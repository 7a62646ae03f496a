"""Ordering rules, bundles and pipelines: several specs, and cases of options.

Specs that break rules are in `invalid/`, `warned/` and `allowed/`;
at random, `tests/property/test_pipeline_rules.py` compares specs with builders.
"""

from __future__ import annotations

import pytest

from passgen import checks
from passgen.checks.pipelines.references import needed_groups
from passgen.diagnostics import Diagnostic, SpecError
from passgen.model import PassGroup
from passgen.source import SourceFile
from passgen.spec import read

LOOPS = """\
name: Loops
passes:
  Tile: {argument: tile, summary: Tile loops, tags: [tiling]}
  Unroll: {argument: unroll, summary: Unroll loops}
"""


def group(text: str, name: str = "spec.yaml") -> PassGroup:
    return read(SourceFile(name, text))


def warnings(text: str, *others: PassGroup) -> tuple[Diagnostic, ...]:
    return checks.check(group(text), others)


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
