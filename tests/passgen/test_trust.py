"""Specs never execute: what docs/trust.md promises."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from passgen.targets import TARGETS
from tests.passgen.conftest import Run, files

HOSTILE = """\
summary: "{{ cycler.__init__.__globals__.os.mkdir('template.seen') }}"
analyses: {Hostile: {python: "hostile:Hostile", summary: An analysis}}
externalPasses: [canonicalize]
pipelines:
  Both: {argument: both, summary: Both, elements: [hostile, canonicalize]}
passes:
  Hostile:
    argument: hostile
    summary: "{% include '/etc/passwd' %}"
    description: |
      {{ 1 // 0 }}

      ```python
      open("fence.seen", "w")
      ```
    constructor: "hostile:Hostile"
    requires: [Hostile]
    options:
      - {name: mode, argument: mode, type: {python: "hostile:Mode", cpp: "int"}, description: A mode}
"""


@pytest.fixture
def run(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `passgen` where a hostile spec lies beside a module that it names."""
    monkeypatch.syspath_prepend(Path.cwd())
    Path("hostile.py").write_text("open('module.seen', 'w')\nclass Hostile: ...\n")
    Path("a.yaml").write_text(HOSTILE)
    Path("old.yaml").write_text(HOSTILE)
    return run


@pytest.mark.parametrize(
    "command",
    [
        *(("--target", target, "-o", "gen") for target in TARGETS),
        ("--check",),
        ("--depfile=a.d", "-o", "gen"),
        ("diff", "old.yaml"),
        ("drift", "--no-imports"),
        ("format",),
        ("lint",),
        ("list", "--json"),
    ],
    ids=" ".join,
)
def test_a_spec_does_not_execute(run: Run, command: tuple[str, ...]) -> None:
    code, _, err = run(*command, "a.yaml")

    assert code in {0, 1}, err
    assert "a bug" not in err
    assert [path for path in files() if path.endswith(".seen")] == []
    assert "hostile" not in sys.modules


@pytest.mark.process
def test_modules_that_a_spec_names_execute_in_drift(run: Run) -> None:
    run("drift", "a.yaml")

    assert Path("module.seen").exists()
    assert "hostile" not in sys.modules


def test_templates_of_a_folder_that_is_named_execute(run: Run) -> None:
    Path("mine/words").mkdir(parents=True)
    call = "{{ cycler.__init__.__globals__.os.mkdir('template.seen') }}"
    Path("mine/words/x.txt.j2").write_text(call)

    run("--template-dir", "mine", "--target", "words", "a.yaml")
    assert Path("template.seen").exists()


def test_error_tags_of_python_mean_nothing(run: Run) -> None:
    Path("a.yaml").write_text("summary: !!python/object/apply:os.mkdir [tag.seen]\n")

    assert "error: unknown tag '!!python/object/apply:os.mkdir'" in run("a.yaml")[2]
    assert not Path("tag.seen").exists()
