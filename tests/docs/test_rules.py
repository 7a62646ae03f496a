"""The pages on `diff`, `lint` and `drift` list every rule, as the code has it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from passgen.finding_rules import DIFF_RULES, DRIFT_RULES, LINT_RULES
from tests.docs.marked_parts import table, with_part

DOCS = Path(__file__).parents[2] / "docs"
RULES = {"diff": DIFF_RULES, "drift": DRIFT_RULES, "lint": LINT_RULES}


@pytest.mark.parametrize("page", RULES)
def test_rules_are_listed(page: str, golden: Callable[[Path, str], None]) -> None:
    path = DOCS / f"{page}.md"
    rows = [
        (linked(rule.name), rule.severity, rule.meaning)
        for rule in RULES[page].values()
    ]
    rules = table(("rule", "severity", "what was found"), rows)

    golden(path, with_part(path.read_text("utf-8"), f"rules of {page}", rules))


def linked(rule: str) -> str:
    page = DOCS / "lint" / f"{rule}.md"
    return f"[`{rule}`](lint/{rule}.md)" if page.exists() else f"`{rule}`"
