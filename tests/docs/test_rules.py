"""The pages on `diff`, `lint` and `drift` list every rule, as the code has it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from passgen.rules import DIFF_RULES, DRIFT_RULES, LINT_RULES, Rule

DOCS = Path(__file__).parents[2] / "docs"
RULES = {"diff": DIFF_RULES, "drift": DRIFT_RULES, "lint": LINT_RULES}


def linked(rule: str) -> str:
    page = DOCS / "lint" / f"{rule}.md"
    return f"[`{rule}`](lint/{rule}.md)" if page.exists() else f"`{rule}`"


def table(rules: Mapping[str, Rule]) -> str:
    rows = [
        f"| {linked(rule.name)} | {rule.severity} | {rule.meaning} |"
        for rule in rules.values()
    ]
    return "\n".join(["| rule | severity | what was found |", "|---|---|---|", *rows])


@pytest.mark.parametrize("page", RULES)
def test_rules_are_listed(page: str, golden: Callable[[Path, str], None]) -> None:
    path = DOCS / f"{page}.md"
    begin, end = f"<!-- rules of {page} -->\n", "\n<!-- end -->"
    text = path.read_text(encoding="utf-8")
    pattern = re.compile(f"(?<={re.escape(begin)}).*?(?={re.escape(end)})", re.DOTALL)

    assert pattern.search(text)

    golden(path, pattern.sub(lambda _: f"\n{table(RULES[page])}\n", text))
