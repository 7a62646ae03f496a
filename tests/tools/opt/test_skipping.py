"""`--opt-bisect-limit` and `--pattern-bisect-limit`: skipping by number."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from passgen_runtime import OperationPass, PassOptions, PassRegistry
from passgen_tools.opt import main
from passgen_tools.opt.command_line import Flags
from passgen_tools.opt.default_parts import DEFAULT_PARTS
from passgen_tools.opt.options import DriverOptions

SOURCE = """\
func.func @f(%x: i32) -> i32 {
  %c = arith.constant 2 : i32
  %0 = arith.muli %x, %c : i32
  %1 = arith.muli %0, %c : i32
  return %1 : i32
}
func.func @g() { return }
"""
PIPELINE = "builtin.module(func.func(cse,canonicalize),symbol-dce)"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("input.mlir").write_text(SOURCE)


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return what was printed about executions, e.g. `NOT running pass (1) cse on f`."""
    printed = capsys.readouterr().err.splitlines()
    assert all(line.startswith("BISECT: ") for line in printed)
    return [line.removeprefix("BISECT: ") for line in printed]


def test_passes_are_numbered_and_skipped_with_the_lines_of_llvm(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["input.mlir", "-p", PIPELINE, "--opt-bisect-limit=3"]) == 0

    assert lines(capsys) == [
        "running pass (1) cse on f",
        "running pass (2) canonicalize on f",
        "running pass (3) cse on g",
        "NOT running pass (4) canonicalize on g",
        "NOT running pass (5) symbol-dce on [module]",
    ]


@pytest.mark.parametrize(
    ("value", "numbers"),
    [
        ("-1", {1, 2, 3, 4, 5}),
        ("0", set()),
        ("2", {1, 2}),
        ("2-2", {2}),
        ("1-2,5", {1, 2, 5}),
        ("4-9", {4, 5}),
    ],
)
def test_numbers_are_a_limit_or_intervals(
    value: str, numbers: set[int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["input.mlir", "-p", PIPELINE, f"--opt-bisect-limit={value}"]) == 0

    run = [line for line in lines(capsys) if line.startswith("running")]
    assert {int(line.split("(")[1].split(")")[0]) for line in run} == numbers


@pytest.mark.parametrize(
    ("limit", "verbs"),
    [
        ("-1", ["running", "running", "skipping", "running"]),
        ("2", ["running", "running", "skipping", "NOT running"]),
        ("1", ["running", "NOT running", "NOT running", "NOT running"]),
        ("3-4", ["NOT running", "NOT running", "running", "running"]),
    ],
)
def test_a_pass_that_would_change_nothing_is_skipped_and_has_a_number(
    limit: str, verbs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path("input.mlir").write_text("builtin.module { }")
    pipeline = "builtin.module(cse,canonicalize,canonicalize,symbol-dce)"
    assert main(["input.mlir", "-p", pipeline, f"--opt-bisect-limit={limit}"]) == 0

    assert lines(capsys) == [
        f"{verbs[0]} pass (1) cse on [module]",
        f"{verbs[1]} pass (2) canonicalize on [module]",
        f"{verbs[2]} pass (3) canonicalize on [module]",
        f"{verbs[3]} pass (4) symbol-dce on [module]",
    ]


class Marking(OperationPass[PassOptions]):
    """Notes that it has run."""

    has_run: ClassVar[list[str]] = []

    def run_on_operation(self) -> None:
        self.has_run.append(self.name)


class Optional(Marking):
    name = "Optional"
    argument = "optional"


class Required(Marking):
    name = "Required"
    argument = "required"
    is_required = True


def test_a_pass_that_is_required_is_not_skipped_and_has_no_number(
    capsys: pytest.CaptureFixture[str],
) -> None:
    registry = PassRegistry()
    registry.register_pass(Optional)
    registry.register_pass(Required)
    pipeline = "builtin.module(optional,required,optional)"
    Marking.has_run.clear()

    arguments = ["input.mlir", "-p", pipeline, "--opt-bisect-limit=0"]
    assert main(arguments, registry=registry) == 0

    assert Marking.has_run == ["Required"]
    assert [line.rpartition(" pass ")[2] for line in lines(capsys)] == [
        "(1) optional on [module]",
        "(2) optional on [module]",
    ]


def test_applications_of_declared_patterns_are_numbered_and_skipped(
    capsys: pytest.CaptureFixture[str],
) -> None:
    flags = ["--arith-strength-reduction", "--pattern-bisect-limit=2-2"]
    assert main(["input.mlir", "-o", "out.mlir", *flags]) == 0

    assert lines(capsys) == [
        "NOT running pattern (1) mulToAdd on arith.muli",
        "running pattern (2) mulToShift on arith.muli",  # asked for the same operation
        "NOT running pattern (3) mulToAdd on arith.muli",
        "NOT running pattern (4) mulToShift on arith.muli",
    ]
    assert "arith.shli %x, " in Path("out.mlir").read_text()


MAY_BE_EMPTY = {"complete", "output-split-marker", "pass-pipeline"}
PARTS: tuple[type[Flags], ...] = (DriverOptions, *DEFAULT_PARTS)
WITH_TEXTS = {
    flag.name
    for part in PARTS
    for flag in part.declarations()
    if flag.value == "required"
}


@pytest.mark.parametrize("name", sorted(WITH_TEXTS - MAY_BE_EMPTY))
def test_an_empty_value_is_not_taken_for_none(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["input.mlir", "-p", PIPELINE, f"-{name}", ""]) in {1, 2}

    captured = capsys.readouterr()
    assert captured.out == ""
    assert name in captured.err or "'' is no installed plugin" in captured.err
