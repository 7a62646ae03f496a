"""`passgen lsp`, asked over its standard streams as editors ask it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from tests.editors.language_client import LanguageClient

pytestmark = [pytest.mark.process, pytest.mark.start]

SPEC = """\
summary: Passes 😀
bundles: {clean-up: {summary: Clean up, elements: [cse]}}
externalPasses: [cse]
forms: {noLoops: {summary: No loops, absent: [scf]}}
passes:
  Unroll:
    summary: Unroll loops
    description: "```mlir\\nscf.for\\n```"
    gives: [noLoops]
    constructor: loops:Unroll
pipelines:
  Lowering:
    summary: Lower everything
    gives: [noLoops]
    options: [{name: fast, type: bool, description: "😀 quickly."}]
    elements: [unroll, {pass: cse, when: fast}]
"""
OPTIONS = {"schema": True}


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LanguageClient]:
    folder = tmp_path_factory.mktemp("specs")
    (folder / "loops.py").write_text("class Unroll:\n    pass\n")
    command = [sys.executable, "-m", "passgen.cli", "lsp"]
    with LanguageClient(command, folder, options=OPTIONS) as client:
        yield client


def placed(old: str, new: str) -> str:
    """Return the spec with `new`, which has the cursor, instead of `old`."""
    assert SPEC.count(old) == 1
    return SPEC.replace(old, new)


def labels(items: list[lsp.CompletionItem]) -> list[str]:
    return [item.label for item in items]


def test_a_valid_spec_has_no_problems(editor: LanguageClient) -> None:
    assert editor.problems(SPEC) == []


def test_problems_have_the_ranges_of_the_caret_in_units_of_utf_16(
    editor: LanguageClient,
) -> None:
    text = SPEC.replace('quickly."}', 'quickly.", default: 3}')

    [problem] = editor.problems(text)

    line = next(row for row in text.splitlines() if "default" in row)
    start = len(line[: line.index("3}")]) + 1  # the picture has two units
    found = problem.range
    assert (found.start.character, found.end.character) == (start, start + 1)
    assert problem.severity == lsp.DiagnosticSeverity.Error
    assert problem.source == "passgen"


def test_notes_lead_to_other_places(editor: LanguageClient) -> None:
    text = f"{SPEC}  Lowering: {{summary: Again, elements: [cse]}}\n"

    [problem] = editor.problems(text)

    assert problem.message == "duplicate key 'Lowering'"
    assert problem.related_information is not None
    [related] = problem.related_information
    assert related.message == "first defined here"
    assert related.location.range.start.line == 11


def test_a_problem_of_an_included_file_is_linked_to(editor: LanguageClient) -> None:
    uri, _ = editor.open("forms: {Wrong: {only: [scf]}}\n", "common.yaml")

    [problem] = editor.problems(f"include: [common.yaml]\n{SPEC}")

    assert problem.range.start == lsp.Position(0, 0)
    assert problem.related_information is not None
    assert problem.related_information[0].location.uri == uri
    assert problem.related_information[0].location.range.start.character == 8


def test_notes_without_a_place_are_in_the_message(editor: LanguageClient) -> None:
    [problem] = editor.problems(SPEC.replace("[unroll,", "[unrol,"))

    assert problem.message.startswith(
        "unknown pass 'unrol' in pipeline 'Lowering'\ndid you mean 'unroll'?\n"
    )


def test_lint_is_a_warning_or_advice(editor: LanguageClient) -> None:
    [problem] = editor.problems(SPEC.replace(', description: "😀 quickly."', ""))

    assert "[option-undocumented]" in problem.message
    assert problem.severity == lsp.DiagnosticSeverity.Warning


def test_problems_follow_the_text(editor: LanguageClient) -> None:
    uri, _ = editor.open(SPEC.replace("[unroll,", "[unrol,"))
    assert len(editor.problems_of(uri)) == 1

    editor.change(uri, SPEC)

    assert editor.problems_of(uri) == []


def test_passes_are_completed_after_a_picture(editor: LanguageClient) -> None:
    text = placed("elements: [unroll,", "elements: [unroll, un¦,")

    assert labels(editor.complete(text)) == ["cse", "unroll"]


def test_names_are_completed_in_a_text_that_is_half_typed(
    editor: LanguageClient,
) -> None:
    uri, _ = editor.open(SPEC)
    editor.problems_of(uri)
    lines = SPEC.splitlines()
    lines[-1] = "    elements: [unroll, {pass: cse, when: "
    editor.change(uri, "\n".join(lines))

    items = editor.complete_at(uri, lsp.Position(len(lines) - 1, len(lines[-1])))

    assert labels(items) == ["fast"]


def test_a_hover_shows_a_pass(editor: LanguageClient) -> None:
    text = placed("elements: [unroll,", "elements: [unr¦oll,")
    editor.problems(SPEC)

    assert editor.hover(text).startswith("pass `unroll`: Unroll loops")


def test_definitions_lead_to_specs_and_to_python(editor: LanguageClient) -> None:
    of_pass = editor.definition(placed("elements: [unroll,", "elements: [unr¦oll,"))
    of_class = editor.definition(placed("loops:Unroll", "loops:Unr¦oll"))

    assert of_pass is not None
    assert of_pass.range.start == lsp.Position(5, 2)
    assert of_class is not None
    assert of_class.uri.endswith("/loops.py")
    assert of_class.range == lsp.Range(lsp.Position(0, 6), lsp.Position(0, 12))


def test_the_passes_of_a_driver_are_completed_in_pipelines(tmp_path: Path) -> None:
    driver = tmp_path / "driver.py"
    driver.write_text("print('any\\ncanonicalize\\nany(\\ninline')\n")
    command = [sys.executable, "-m", "passgen.cli", "lsp"]
    options = {"driver": f"{sys.executable} {driver}"}
    text = placed("type: bool,", "type: pipeline, default: 'any(¦',")

    with LanguageClient(command, tmp_path, options=options) as editor:
        found = labels(editor.complete(text))

    assert found[:2] == ["canonicalize", "inline"]


def test_without_pygls_a_message_says_what_to_install() -> None:
    code = (
        "import importlib.util as util; find = util.find_spec\n"
        "util.find_spec = lambda name: None if name == 'pygls' else find(name)\n"
        "from passgen.cli import main; raise SystemExit(main(['lsp']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert "install the extra 'lsp' of mlir-passgen" in done.stderr
