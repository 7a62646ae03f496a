"""Passes of a driver with the names of shipped passes or of the driver's flags."""

from __future__ import annotations

from pathlib import Path

import pytest

from passgen_runtime import OperationPass, PassOptions, PassRegistry
from passgen_runtime.passes import with_shipped
from passgen_tools.opt import main

HIDDEN = (
    "warning: 'timing' of tests.tools.opt.test_pass_names.Timing "
    "(test_pass_names.py:36) cannot be given as a flag: --timing is a flag of kit-opt\n"
    "note: name it in --pass-pipeline\n"
)
SHADOWING = (
    "warning: 'cse' is tests.tools.opt.test_pass_names.Cse (test_pass_names.py:31)\n"
    "note: the shipped one is 'passgen.cse'\n"
)


class Own(OperationPass[PassOptions]):
    anchor = "builtin.module"

    def run_on_operation(self) -> None:
        self.context.print_debug(f"{self.name} runs\n")


class Cse(Own):
    name = "Cse"
    argument = "cse"


class Timing(Own):
    name = "Timing"
    argument = "timing"


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "input.mlir"
    path.write_text("// -----\n")
    return str(path)


def errors(
    capsys: pytest.CaptureFixture[str], passes: tuple[type[Own], ...], *arguments: str
) -> str:
    registry = with_shipped(PassRegistry())
    for each in passes:
        registry.register_pass(each)
    code = main(arguments, registry=registry, name="kit-opt")
    found = capsys.readouterr().err
    assert code == 0, found
    return found


@pytest.mark.parametrize("question", ["--help", "--list-passes", "--help-pass=cse"])
def test_questions_are_answered(
    capsys: pytest.CaptureFixture[str], question: str
) -> None:
    assert errors(capsys, (Cse,), question) == ""


def test_the_own_pass_runs_and_the_run_says_so_once(
    capsys: pytest.CaptureFixture[str], source: str
) -> None:
    found = errors(capsys, (Cse,), source, "--split-input-file", "--cse", "--cse")

    assert found == SHADOWING + 4 * "Cse runs\n"


def test_the_shipped_pass_runs_under_its_prefix(
    capsys: pytest.CaptureFixture[str], source: str
) -> None:
    assert errors(capsys, (Cse,), source, "--passgen.cse") == ""
    pipeline = "builtin.module(passgen.cse,cse)"
    assert errors(capsys, (Cse,), source, "-p", pipeline) == f"{SHADOWING}Cse runs\n"
    dumped = errors(capsys, (Cse,), source, "--passgen.cse", "--dump-pass-pipeline")
    assert "passgen.cse" in dumped


def test_a_pass_called_like_a_flag_runs_in_a_pipeline(
    capsys: pytest.CaptureFixture[str], source: str
) -> None:
    pipeline = "builtin.module(timing)"

    found = errors(capsys, (Timing,), source, "-p", pipeline)

    assert found == f"{HIDDEN}Timing runs\n"


@pytest.mark.parametrize("flag", ["--timing", "--version", "--list-passes"])
def test_each_call_warns_of_a_pass_called_like_a_flag(
    capsys: pytest.CaptureFixture[str], source: str, flag: str
) -> None:
    found = errors(capsys, (Timing,), source, flag)

    assert found.startswith(HIDDEN)
    assert "Timing runs" not in found


def test_completion_has_no_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    assert errors(capsys, (Timing,), "--complete=kit-opt --tim") == ""
