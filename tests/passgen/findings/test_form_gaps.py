"""Pipelines in which a form plainly does not hold, as `passgen lint` judges them.

`g` gives the form `a`, `k` keeps it, and `x` needs it; `c` creates what `a` excludes.
`open` is an external pass of which nothing is declared, and `given` one that gives `a`.
"""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from passgen.findings import Finding, lint_group
from passgen.generation import read_group
from passgen.model import PassGroup
from passgen.source import SourceFile

PASSES = {
    "G": {"gives": ["a"]},
    "K": {"keeps": ["a"]},
    "X": {"needs": ["a"]},
    "C": {"creates": ["linalg.generic"]},
    "Keeping": {"keeps": ["a"], "creates": ["linalg"]},
    "Again": {"needs": ["a"], "gives": ["a"]},
    "NeedsB": {"needs": ["b"]},
    "Harmless": {"creates": ["arith"]},
    "Dialect": {"creates": ["tensor"]},
    "GivesOnly": {"gives": ["only"]},
    "Llvm": {"creates": ["llvm.add"]},
}
NESTED = [{"nest": "func.func", "elements": ["c"]}]
LATER = "needs 'a' in pipeline 'all', and no earlier pass gives it: 'g' gives it, and "


def spec_of(pipeline: dict[str, Any], **more: object) -> dict[str, Any]:
    """Return a spec with the pipeline `all`, and others."""
    return {
        "forms": {
            "a": {"absent": ["linalg", "tensor.pad"]},
            "b": {"absent": ["scf"]},
            "only": {"only": ["llvm.add", "func"]},
        },
        "externalPasses": ["open", {"argument": "given", "gives": ["a"]}, "cse"],
        "passes": {name: {"summary": "Do it", **PASSES[name]} for name in PASSES},
        "pipelines": {
            "All": {"summary": "Do all", "anchor": "builtin.module", **pipeline},
            **more,
        },
    }


def group_of(spec: dict[str, Any], name: str = "spec.yaml") -> PassGroup:
    return read_group(SourceFile(name, yaml.safe_dump(spec)))


def gaps(group: PassGroup, *others: PassGroup) -> list[Finding]:
    rules = {"form-missing", "form-lost"}
    return [each for each in lint_group(group, others) if each.rule.name in rules]


def givers_in(findings: list[Finding]) -> list[str]:
    """Return the messages, each with its note on the pass that gives the form."""
    return [
        f"{finding.message}: {note.message}"
        for finding in findings
        for note in finding.notes
        if "gives it, and" in note.message
    ]


@pytest.mark.parametrize(
    ("elements", "expected"),
    [
        (["x", "g"], f"pass 'x' {LATER}stands here"),
        (["x"], f"pass 'x' {LATER}is left out"),
        (["x", "x", "g"], f"pass 'x' {LATER}stands here"),
        (["cse", "k", "x", "g"], f"pass 'x' {LATER}stands here"),
        (["again"], f"pass 'again' {LATER}is left out"),
        (
            [{"nest": "func.func", "elements": ["x"]}, "g"],
            f"pass 'x' {LATER}stands here",
        ),
        # On other operations, it gives the form to others.
        (
            [
                {"nest": "my.func", "elements": ["g"]},
                {"nest": "func.func", "elements": ["x"]},
            ],
            f"pass 'x' {LATER}is left out",
        ),
    ],
)
def test_a_form_is_needed_before_a_pass_gives_it(
    elements: list[Any], expected: str
) -> None:
    assert givers_in(gaps(group_of(spec_of({"elements": elements})))) == [expected]


@pytest.mark.parametrize(
    "elements",
    [
        ["g", "x"],
        ["g", "k", "x"],
        ["open", "x", "g"],
        ["unknown", "x", "g"],  # its spec is not given
        ["given", "x"],
        ["needs-b"],  # no pass gives it
        [{"nest": "func.func", "elements": ["g"]}, "x"],
    ],
)
def test_a_form_may_hold(elements: list[Any]) -> None:
    assert gaps(group_of(spec_of({"elements": elements}))) == []


def test_what_the_pipeline_needs_holds() -> None:
    assert gaps(group_of(spec_of({"needs": ["a"], "elements": ["x", "g"]}))) == []


def test_the_case_is_reported() -> None:
    options = [{"name": "fast", "type": "bool", "default": False}]
    given = {"when": "fast", "elements": ["g"]}
    spec = spec_of({"options": options, "elements": [given, "x"]})
    (found,) = gaps(group_of(spec))

    assert found.notes[0].message == "this happens if 'fast' is false"


def test_an_included_pipeline_is_judged_by_what_it_says() -> None:
    silent = {"summary": "Do it", "anchor": "builtin.module", "elements": ["x"]}
    telling = {**silent, "needs": ["a"]}
    call: list[Any] = [{"pipeline": "part"}, "g"]

    (found,) = gaps(group_of(spec_of({"elements": call}, Part=silent)))
    assert "needs 'a' in pipeline 'part'" in found.message
    (found,) = gaps(group_of(spec_of({"elements": call}, Part=telling)))
    assert found.message.startswith("pipeline 'part' needs 'a' in pipeline 'all'")
    assert gaps(group_of(spec_of({"elements": ["g", *call]}, Part=telling))) == []


def test_passes_of_other_specs_are_known_if_their_forms_are_the_same() -> None:
    forms = {"a": {"absent": ["linalg"]}}
    own = {
        "forms": forms,
        "passes": {"X": {"summary": "Do it", "needs": ["a"]}},
        "pipelines": {"All": {"summary": "Do all", "elements": ["x"]}},
    }
    other = {
        "forms": forms,
        "passes": {"G": {"summary": "Do it", "gives": ["a"]}},
    }
    unlike = {**other, "forms": {"a": {"absent": ["scf"]}}}

    assert gaps(group_of(own)) == []
    assert givers_in(gaps(group_of(own), group_of(other, "other.yaml"))) == [
        f"pass 'x' {LATER}is left out"
    ]
    assert gaps(group_of(own), group_of(unlike, "other.yaml")) == []


@pytest.mark.parametrize(
    ("pipeline", "created"),
    [
        ({"gives": ["a"], "elements": ["g", "c"]}, "linalg.generic"),
        ({"keeps": ["a"], "elements": ["c"]}, "linalg.generic"),
        ({"gives": ["a"], "elements": ["g", "c", "harmless"]}, "linalg.generic"),
        ({"gives": ["a"], "elements": ["g", *NESTED]}, "linalg.generic"),
        ({"gives": ["only"], "elements": ["gives-only", "harmless"]}, "arith"),
    ],
)
def test_what_a_form_excludes_is_created_last(
    pipeline: dict[str, Any], created: str
) -> None:
    (found,) = gaps(group_of(spec_of(pipeline)))
    verb = next(iter(pipeline))
    (form,) = pipeline[verb]

    assert found.rule.name == "form-lost"
    assert found.message.endswith(
        f"creates '{created}', which '{form}' excludes; pipeline 'all' {verb} it, and "
        "no later pass does"
    )


@pytest.mark.parametrize(
    "pipeline",
    [
        {"gives": ["a"], "elements": ["c", "g"]},
        {"gives": ["a"], "elements": ["g", "c", "open"]},
        {"gives": ["a"], "elements": ["g", "keeping"]},
        {"gives": ["a"], "elements": ["g", "harmless"]},
        {"gives": ["a"], "elements": ["g", "dialect"]},  # other operations than the pad
        {"gives": ["only"], "elements": ["gives-only", "llvm"]},
        {"elements": ["g", "c"]},
    ],
)
def test_a_form_may_hold_at_the_end(pipeline: dict[str, Any]) -> None:
    assert gaps(group_of(spec_of(pipeline))) == []


@pytest.mark.parametrize(
    "pipeline",
    [
        {"elements": [{"pipeline": "all"}, "x", "g"]},
        {"elements": [{"bundle": "gone"}, "x", "g"]},
        {"elements": [{"when": "gone", "elements": ["x"]}, "g"]},
    ],
)
def test_a_pipeline_that_passgen_refuses_is_not_judged(
    pipeline: dict[str, Any],
) -> None:
    assert gaps(group_of(spec_of(pipeline))) == []
