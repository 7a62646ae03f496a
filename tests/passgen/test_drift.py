"""Specs, sources, and what `passgen drift` says: a folder a rule under `drift/`.

A folder named by a rule shows that rule alone; those that begin with `_` show how
rules go together. `report.txt` is what is printed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from passgen import cli, drift, findings, reports, spec_input
from passgen.findings import Report
from passgen.rules import DRIFT_RULES

FOLDER = Path(__file__).parent / "drift"
CASES = sorted(path.name for path in FOLDER.iterdir())
SPEC = """\
passes:
  Unroll: {argument: unroll, summary: Unroll, constructor: "%s:Unroll"}
"""


@pytest.fixture
def report(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Report]:
    def drift_of(case: str) -> Report:
        monkeypatch.chdir(FOLDER / case)
        group = spec_input.read_group("spec.yaml")
        found = drift.drift([group], [Path()])
        return findings.report("drift", DRIFT_RULES, found, [group])

    return drift_of


@pytest.mark.parametrize("case", CASES)
def test_what_is_said(
    case: str, report: Callable[[str], Report], golden: Callable[[Path, str], None]
) -> None:
    found = report(case)

    golden(FOLDER / case / "report.txt", reports.text(found))
    if not case.startswith("_"):
        assert {each.rule.name for each in found.findings} == {case}


def test_every_folder_is_a_rules_or_shows_how_they_go_together() -> None:
    assert {each for each in CASES if not each.startswith("_")} == set(DRIFT_RULES)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text(SPEC % "unroll")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_constructors_are_left_alone_where_asked() -> None:
    Path("unroll.py").write_text("from pathlib import Path\nPath('seen').touch()\n")

    assert cli.main(["drift", "--no-imports", "a.yaml"]) == 0
    assert not Path("seen").exists()

    assert cli.main(["drift", "a.yaml"]) == 1
    assert Path("seen").exists()


@pytest.mark.usefixtures("folder")
def test_modules_are_looked_for_in_the_sources_alone() -> None:
    Path("src").mkdir()
    Path("src/unroll.py").write_text(
        "class UnrollPassBase: ...\n\n\nclass Unroll(UnrollPassBase): ...\n"
    )
    Path("unroll.py").write_text("raise RuntimeError\n")
    Path("json.py").write_text("raise RuntimeError\n")

    assert cli.main(["drift", "--source", "src", "a.yaml"]) == 0


@pytest.mark.usefixtures("folder")
def test_error_the_importing_process_dies(capsys: pytest.CaptureFixture[str]) -> None:
    Path("unroll.py").write_text("import os\nos._exit(0)\n")

    assert cli.main(["drift", "a.yaml"]) == 1
    assert capsys.readouterr().err == (
        "passgen drift: error: the process that imports constructors ended early\n"
        "note: --no-imports leaves this check out\n"
    )


@pytest.mark.usefixtures("folder")
def test_error_a_source_is_no_python(capsys: pytest.CaptureFixture[str]) -> None:
    Path("unroll.py").write_text("class Unroll(UnrollPassBase)\n    pass\n")

    assert cli.main(["drift", "--no-imports", "a.yaml"]) == 1
    assert capsys.readouterr().err == (
        "unroll.py:1:29: error: found what is no Python: expected ':'\n"
        "class Unroll(UnrollPassBase)\n"
        "                            ^\n"
    )


@pytest.mark.usefixtures("folder")
def test_several_roots_and_hidden_folders(capfd: pytest.CaptureFixture[str]) -> None:
    for name in ("src", "plugins", "plugins/.old"):
        Path(name).mkdir()
    Path("a.yaml").write_text(SPEC.replace('"%s:Unroll"', "unroll:Unroll"))
    Path("src/unroll.py").write_text("from base import Unroll as Unroll\n")
    Path("plugins/base.py").write_text(
        "class UnrollPassBase: ...\n\n\nclass Unroll(UnrollPassBase): ...\n"
    )
    Path("plugins/.old/broken.py").write_text("class Unroll(UnrollPassBase\n")
    roots = ["--source", "src", "--source", "plugins"]

    assert cli.main(["drift", *roots, "--format", "json", "a.yaml"]) == 0
    assert json.loads(capfd.readouterr().out)["findings"] == []


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "the following arguments are required: SPEC"),
        (("a.yaml", "--source", "no"), "--source: found 'no', expected a folder"),
    ],
)
def test_error_usage(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["drift", *arguments]) == 2
    assert capsys.readouterr().err.endswith(f"passgen drift: error: {message}\n")


def test_a_rule_is_explained(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["drift", "--explain", "unread-option"]) == 0
    assert capfd.readouterr().out == (
        "unread-option (warning)\n\nAn option that the implementation never reads.\n"
    )
