"""The pages of `docs/lint` show what each rule finds; here they are held to it.

`lint/<case>/spec.yaml` are specs that break rules together, or nearly break one;
`report.txt` beside it is what `passgen lint` prints.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from passgen import cli, findings, resources
from passgen.finding_rules import LINT_RULES
from passgen.findings import Report, lint_group, reports
from passgen.generation import read_group
from passgen.spec import decode

FOLDER = Path(__file__).parents[1] / "lint"
CASES = sorted(path.parent.name for path in FOLDER.glob("*/spec.yaml"))
ROOT = Path(__file__).parents[3]
YAML = re.compile(r"^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def lint(text: bytes) -> Report:
    group = read_group(decode("spec.yaml", text))
    return findings.report("lint", LINT_RULES, lint_group(group), [group])


def page(rule: str) -> str:
    return resources.lint_page(rule).read_text("utf-8")


@pytest.mark.parametrize("rule", LINT_RULES)
def test_the_page_shows_what_the_rule_finds_and_what_not(rule: str) -> None:
    wrong, right = YAML.findall(page(rule))

    assert {each.rule.name for each in lint(wrong.encode()).findings} == {rule}
    assert lint(right.encode()).findings == ()


@pytest.mark.parametrize("rule", LINT_RULES)
def test_the_page_begins_with_name_and_meaning(rule: str) -> None:
    assert page(rule).startswith(f"# {rule}\n\n{LINT_RULES[rule].meaning}\n\n")


@pytest.mark.parametrize("rule", LINT_RULES)
def test_the_page_ends_with_a_link_to_all_rules(rule: str) -> None:
    assert "](../lint.md)" in page(rule).splitlines()[-1]


def test_every_page_has_its_rule() -> None:
    pages = {path.stem for path in resources.lint_page("").parent.iterdir()}

    assert pages == set(LINT_RULES)


@pytest.mark.parametrize("case", CASES)
def test_what_is_said(case: str, golden: Callable[[Path, str], None]) -> None:
    spec = FOLDER / case / "spec.yaml"
    golden(spec.with_name("report.txt"), reports.text(lint(spec.read_bytes())))


@pytest.mark.parametrize("spec", sorted((ROOT / "specs").glob("*.yaml")), ids=str)
def test_the_specs_shipped_here_have_style(
    spec: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["lint", str(spec)]) == 0
    assert capsys.readouterr().out.startswith("nothing found")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [((), 1), (("--fail-on", "error"), 0), (("--fail-on", "note"), 1)],
)
def test_exit_codes(tmp_path: Path, arguments: tuple[str, ...], code: int) -> None:
    wrong, _ = YAML.findall(page("option-undocumented"))
    spec = tmp_path / "loops.yaml"
    spec.write_text(wrong)

    assert cli.main(["lint", *arguments, str(spec)]) == code


def test_a_note_does_not_fail(tmp_path: Path) -> None:
    wrong, _ = YAML.findall(page("enum-value-undocumented"))
    spec = tmp_path / "loops.yaml"
    spec.write_text(wrong)

    assert cli.main(["lint", str(spec)]) == 0
