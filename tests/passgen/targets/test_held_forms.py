"""The forms of IR in the drawings of pipelines on a site."""

from __future__ import annotations

import re

import pytest

from passgen.generation import read_groups
from passgen.site import site_pages
from passgen.source import SourceFile

SPEC = """\
forms:
  noA: {absent: [a]}
  onlyB: {only: [b, builtin.module]}
  even: {check: "my_dialect.forms:is_even"}
externalPasses: [canonicalize, open]
passes:
  Give: {summary: Give, gives: [noA, onlyB, even]}
  Keep: {summary: Keep, keeps: [even], creates: [b]}
  CreateA: {summary: Create, creates: [a.x]}
  Break: {summary: Break, breaks: [noA, even]}
  Erase: {summary: Erase, creates: []}
  Silent: {summary: Say nothing}
pipelines:
  Inner: {summary: Keep, keeps: [noA], elements: [keep]}
  Drawn:
    summary: Draw
    anchor: builtin.module
NEEDS    options: [{name: full, type: bool}]
    elements: ELEMENTS
"""
GIVEN = ("noA holds", "onlyB holds", "even holds")


def drawn(elements: str, needs: str = "") -> list[str]:
    """Return the labels between passes, and the numbers of the passes."""
    given = f"    needs: {needs}\n" if needs else ""
    text = SPEC.replace("ELEMENTS", elements).replace("NEEDS", given)
    return drawn_on_site(SourceFile("spec.yaml", text))


def drawn_on_site(*specs: SourceFile) -> list[str]:
    """Return the same of the pipeline `drawn` in the spec `spec.yaml`."""
    groups = read_groups(specs)
    pages = site_pages(list(groups.by_spec.values()), "Passes", "")
    [page] = [page for page in pages if page.document == "spec/drawn"]
    found = re.findall(
        r'<small>(\d+)</small>|<span data-state="([^"]*)"><code[^>]*>(\w+)</code> \2<',
        page.text,
    )
    return [number or f"{name} {state}" for number, state, name in found]


@pytest.mark.parametrize(
    ("elements", "expected"),
    [
        ("[silent]", ["1"]),
        ("[give]", ["1", *GIVEN]),
        (
            "[give, keep]",
            ["1", *GIVEN, *("2", "noA holds", "onlyB may be lost", "even holds")],
        ),
        (
            "[give, break]",
            ["1", *GIVEN, *("2", "noA broken", "onlyB may be lost", "even broken")],
        ),
        (
            "[break, canonicalize]",
            ["1", *(broken := ["noA broken", "even broken"]), "2", *broken],
        ),
        ("[break, open]", ["1", *broken, "2"]),
        ("[break, {pipeline: inner}]", ["1", *broken, "2"]),
    ],
)
def test_a_label_says_what_is_known(elements: str, expected: list[str]) -> None:
    assert drawn(elements) == expected


@pytest.mark.parametrize("element", ["silent", "create-a", "{pass: break, when: full}"])
def test_a_form_may_be_lost_by_what_does_not_keep_it(element: str) -> None:
    assert drawn(f"[{element}]", "[noA]")[:3] == ["noA holds", "1", "noA may be lost"]


def test_what_creates_nothing_keeps_what_is_absent() -> None:
    assert drawn("[give, erase]")[-3:] == [
        *("noA holds", "onlyB may be lost", "even may be lost")
    ]


def test_what_is_given_for_some_options_may_not_hold() -> None:
    *_, last = drawn("[{pass: give, when: full}]")

    assert last == "even may be lost"


def test_a_form_that_holds_is_not_lost_where_it_may_be_given_again() -> None:
    given = "{pass: give, when: full}"
    in_functions = "{nest: func.func, elements: [give]}"

    assert drawn(f"[{given}]", "[noA]")[-3] == "noA holds"
    assert drawn(f"[{in_functions}]", "[noA, even]") == [
        *("noA holds", "1", "noA holds", "even may be lost")
    ]


def test_what_may_be_lost_may_still_be_so_where_a_part_gets_it() -> None:
    silent = "{pass: give, when: full}, silent"
    in_functions = "{nest: func.func, elements: [give]}"

    *_, after = "/".join(drawn(f"[{silent}, {in_functions}]")).split("/3")
    assert "noA may be lost" in after


def test_what_a_pipeline_needs_holds_for_nested_operations_but_a_check() -> None:
    nested = "[{nest: func.func, elements: [keep]}]"

    assert drawn(nested, "[noA, even]") == ["noA holds", "1", "noA holds", "even holds"]


def test_an_external_form_has_the_kind_that_its_spec_declares() -> None:
    owner = """\
forms: {noA: {absent: [a]}}
passes: {Break: {summary: Break, breaks: [noA]}}
"""
    user = """\
externalForms: {noA: "my_dialect.owner_passes:NO_A_FORM"}
passes: {Silent: {summary: Say nothing}}
pipelines:
  Drawn:
    summary: Draw
    anchor: builtin.module
    elements: [break, {nest: func.func, elements: [silent]}]
"""
    specs = SourceFile("owner.yaml", owner), SourceFile("spec.yaml", user)

    assert drawn_on_site(*specs) == ["1", "noA broken", "2", "noA broken"]


def test_what_functions_have_says_nothing_of_their_module() -> None:
    nested = "[{nest: func.func, elements: [give, keep]}]"

    assert drawn(nested) == ["1", *GIVEN, "2"]


def test_a_pass_on_other_operations_changes_nothing() -> None:
    nests = "{nest: a.x, elements: [silent]}, {nest: b.x, elements: [keep]}"

    assert drawn(f"[{{nest: b.x, elements: [give]}}, {nests}]") == [
        "1",
        "2",
        *GIVEN,
        "3",
    ]
