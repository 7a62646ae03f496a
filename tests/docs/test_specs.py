"""The specs that readers write are good examples: `passgen lint` finds nothing in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from passgen import findings
from passgen.finding_rules import LINT_RULES
from passgen.findings import lint_group
from passgen.generation import read_group
from passgen.spec import decode

ROOT = Path(__file__).parents[2]
SPEC = re.compile(
    r"in `([\w.]+\.yaml)`:\n\n```yaml\n(.*?)^```", re.DOTALL | re.MULTILINE
)
ALLOWED = {
    # The first pages show keys, in a few lines.
    "README.md": {"description-without-example"},
    "docs/index.md": {"description-without-example"},
    # It shows what passes say of forms, and nothing else.
    "docs/forms.md": {"description-missing"},
    # Its lines are compared with those of files in C++, which describe no more.
    "docs/how-to/cpp-pipelines.md": {
        "description-missing",
        "enum-value-undocumented",
    },
    # It shows what becomes of a spec.
    "docs/how-to/write-once.md": {"description-missing"},
}


def specs() -> Iterator[ParameterSet]:
    for path in (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))):
        page = path.relative_to(ROOT).as_posix()
        for name, text in SPEC.findall(path.read_text(encoding="utf-8")):
            if re.search(r"^(passes|pipelines):$", text, re.MULTILINE):
                yield pytest.param(page, name, text, id=f"{page}-{name}")


@pytest.mark.parametrize(("page", "name", "text"), list(specs()))
def test_lint_finds_nothing(page: str, name: str, text: str) -> None:
    group = read_group(decode(name, text.encode()))
    report = findings.report("lint", LINT_RULES, lint_group(group), [group])

    allowed = ALLOWED.get(page, set())
    assert [each for each in report.findings if each.rule.name not in allowed] == []


def test_specs_are_found() -> None:
    pages = [page for page, *_ in (each.values for each in specs())]

    assert {"README.md", "docs/how-to/build.md", "docs/pipelines.md"} <= set(pages)
