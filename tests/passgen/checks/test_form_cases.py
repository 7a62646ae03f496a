"""The table of forms, checked in specs."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from passgen import checks
from passgen.diagnostics import SpecError
from passgen.source import SourceFile
from passgen.spec import read
from tests.cases.reader import read_cases
from tests.passgen.checks.test_anchor_and_analysis_cases import arguments

FORMS = {"a": {"absent": ["linalg"]}, "c": {"check": "my.forms:check"}}
OPTIONS = {
    "dynamic": [{"name": "body", "type": "pipeline", "description": "A pipeline."}]
}


APPLIED = [case for case in read_cases("forms") if case.get("everywhere")]


@pytest.mark.parametrize("case", APPLIED, ids=str)
def test_case(case: dict[str, Any]) -> None:
    named = sorted(arguments(case["pipeline"]) - {"canonicalize", "open"})
    spec = {
        "forms": FORMS,
        "externalPasses": ["canonicalize", "open"],
        "passes": {
            name.title(): {
                "summary": "Do it",
                "options": OPTIONS.get(name, []),
                **case["passes"].get(name, {}),
            }
            for name in named
        },
        "pipelines": {
            "All": {
                "summary": "Do all",
                "anchor": "builtin.module",
                "elements": case["pipeline"],
            }
        },
    }
    found = []
    try:
        checks.check(read(SourceFile("spec.yaml", yaml.safe_dump(spec))))
    except SpecError as error:
        found = [each.message for each in error.diagnostics]

    wanted = []
    if "broken" in case:
        user, form, breaker = case["broken"]
        what = f"pass '{user}' needs '{form}'; '{breaker}' breaks it before that"
        wanted = [f"{what} in pipeline 'all', and nothing after it gives it"]
    assert found == wanted
