"""What an import says once, and what the generator does not say again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from passgen import checks, cli
from passgen.source import SourceFile
from passgen.spec import read
from passgen.tablegen import ImportedGroup, import_dump
from passgen.tablegen.dump import read_records

ANY = "::mlir::OperationPass<>"


def imported(summary: str, *base_classes: str) -> ImportedGroup:
    """Return the import of three passes, which differ in their base classes alone."""
    record = {
        "!anonymous": False, "!superclasses": ["PassBase"], "!locs": ["Passes.td:1"],
        "baseClass": ANY, "constructor": "", "dependentDialects": [],
        "description": "", "options": [], "statistics": [], "summary": summary,
    }  # fmt: skip
    records = {name: {**record, "argument": name.lower()} for name in ("A", "B", "C")}
    for pass_, base_class in zip(records.values(), base_classes, strict=False):
        pass_["baseClass"] = base_class
    dump = {"!instanceof": {"PassBase": list(records)}, **records}
    read_dump = read_records(json.dumps(dump), SourceFile("Passes.td", ""))
    return import_dump(read_dump, "Passes.td")


@pytest.mark.parametrize(
    ("base_classes", "what"),
    [
        (
            ["::mlir::OperationPass<my::LoopOp>"] * 3,
            "operation of class 'my::LoopOp' is not known",
        ),
        (
            [
                f"::mlir::OperationPass<{scope}my::LoopOp>"
                for scope in ("::", "", "mlir::")
            ],
            "operation of class '::my::LoopOp' is not known",
        ),
        (
            ["my::Base", "::my::Base", "my::Base"],
            "what it runs on is not known of base class 'my::Base'",
        ),
    ],
)
def test_an_unknown_class_is_one_warning(base_classes: list[str], what: str) -> None:
    [warning] = imported("Do it", *base_classes).warnings

    assert warning.message == f"pass 'A': {what}; 2 more passes have it"


def test_an_empty_summary_is_a_warning_of_the_import_alone() -> None:
    found = imported("")

    [warning] = found.warnings
    assert warning.message == "pass 'A': it has no summary; 2 more passes have it"
    assert checks.check(read(SourceFile("passes.yaml", found.text))) == ()


def test_lint_shows_one_line_a_rule_of_an_imported_spec(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("passes.yaml").write_text(imported("Do it").text)

    assert cli.main(["lint", "passes.yaml"]) == 1
    assert capsys.readouterr().out == """\
passes.yaml:3:3: warning: pass 'a' has no description, and 2 more \
[description-missing]
passes.yaml:9:14: warning: summary of pass 'b' is that of pass 'a', and 1 more \
[summary-repeated]
passes.yaml:2:1: note: group 'Passes' has no summary [group-without-summary]
5 warnings, 1 note
note: --verbose shows all findings of imported files
"""
    assert cli.main(["lint", "--verbose", "passes.yaml"]) == 1
    assert capsys.readouterr().out.count("[description-missing]") == 3
