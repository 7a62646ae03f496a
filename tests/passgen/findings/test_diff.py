"""Two versions of a spec, and what `passgen diff` says: a folder a rule under `diff/`.

A folder named by a rule shows that rule alone; those that begin with `_` show how
rules go together. `report.txt` is what is printed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from passgen import findings
from passgen.finding_rules import DIFF_RULES
from passgen.findings import Report, compare, reports
from passgen.generation import read_group
from passgen.model import PassGroup
from passgen.spec import decode

FOLDER = Path(__file__).parents[1] / "diff"
CASES = sorted(path.name for path in FOLDER.iterdir())


def group(case: str, name: str) -> PassGroup:
    return read_group(decode(name, (FOLDER / case / name).read_bytes()))


def diff(case: str) -> Report:
    old, new = group(case, "old.yaml"), group(case, "new.yaml")
    found = compare(old, new)
    return findings.report("diff", DIFF_RULES, found, [new])


@pytest.mark.parametrize("case", CASES)
def test_what_is_said(case: str, golden: Callable[[Path, str], None]) -> None:
    golden(FOLDER / case / "report.txt", reports.text(diff(case)))


@pytest.mark.parametrize("rule", sorted(DIFF_RULES))
def test_the_folder_of_a_rule_shows_it_alone(rule: str) -> None:
    assert {each.rule.name for each in diff(rule).findings} == {rule}


def test_every_folder_is_a_rules_or_shows_how_they_go_together() -> None:
    assert {each for each in CASES if not each.startswith("_")} == set(DIFF_RULES)


@pytest.mark.parametrize("case", CASES)
def test_a_version_has_no_difference_from_itself(case: str) -> None:
    new = group(case, "new.yaml")

    assert list(compare(new, new)) == []
