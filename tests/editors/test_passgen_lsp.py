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
FORMS = "forms: {noLoops: {summary: No loops, absent: [scf]}}\n"
COMMAND = [sys.executable, "-m", "passgen.cli", "lsp"]


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LanguageClient]:
    folder = tmp_path_factory.mktemp("specs")
    (folder / "loops.py").write_text("class Unroll:\n    pass\n")
    with LanguageClient(COMMAND, folder, options=OPTIONS) as client:
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


def test_a_key_is_typed_with_its_colon(editor: LanguageClient) -> None:
    items = editor.complete(placed("    summary: Unroll", "    sum¦\n    summary: Un"))
    again = editor.complete(placed("    constructor:", "    constr¦uctor:"))

    assert {"anchor: ", "options: "} <= {item.insert_text for item in items}
    assert "constructor" in {item.insert_text for item in again}


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
    options = {"driver": f"{sys.executable} {driver}"}
    text = placed("type: bool,", "type: pipeline, default: 'any(¦',")

    with LanguageClient(COMMAND, tmp_path, options=options) as editor:
        logged = editor.message()
        found = labels(editor.complete(text))

    assert logged == f"driver '{sys.executable}' has 2 passes"
    assert found[:2] == ["canonicalize", "inline"]


def test_wrong_options_are_shown_and_the_server_works(tmp_path: Path) -> None:
    options = {"specs": "*.yaml", "driver": "no-such-driver"}

    with LanguageClient(COMMAND, tmp_path, options=options) as editor:
        assert editor.message() == (
            "passgen lsp: option 'specs': found \"*.yaml\", "
            'expected a list, such as ["specs/*.yaml"]'
        )
        assert editor.message() == (
            "passgen lsp: driver 'no-such-driver' does not list its passes: "
            "No such file or directory"
        )
        assert len(editor.problems(SPEC.replace("[unroll,", "[unrol,"))) == 1


def test_a_driver_that_does_not_answer_delays_nothing(tmp_path: Path) -> None:
    driver = tmp_path / "driver.py"
    driver.write_text("import signal\nsignal.pause()\n")
    options = {"driver": f"{sys.executable} {driver}"}

    with LanguageClient(COMMAND, tmp_path, options=options) as editor:
        assert len(editor.problems(SPEC.replace("[unroll,", "[unrol,"))) == 1


def test_a_document_that_was_closed_has_no_problems(editor: LanguageClient) -> None:
    uri, _ = editor.open(SPEC.replace("[unroll,", "[unrol,"))
    editor.close(uri)
    editor.problems(SPEC)

    assert editor.problems_of(uri) == []


def test_the_file_on_the_disk_counts_once_a_document_is_closed(
    tmp_path: Path,
) -> None:
    (tmp_path / "common.yaml").write_text(FORMS)
    with LanguageClient(COMMAND, tmp_path) as editor:
        common, _ = editor.open(FORMS.replace("noLoops", "other"), "common.yaml")
        editor.problems_of(common)
        uri, _ = editor.open(
            f"include: [common.yaml]\n{SPEC.replace(FORMS, '')}", "spec.yaml"
        )
        assert len(editor.problems_of(uri)) == 2

        editor.close(common)

        assert editor.problems_of(uri) == []


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
