"""A driver of one's own: its name, its help, color, and diffs of the IR."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from passgen_runtime import (
    ALL_ANALYSES,
    OperationPass,
    OpPassManager,
    PassOptions,
    PassRegistry,
    after,
    before_if_present,
    cleanup,
    option,
    tag,
)
from passgen_runtime.opt import main
from passgen_runtime.pass_options import INT64
from passgen_runtime.passes.cse import CSE

SOURCE = """\
func.func @f(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = arith.addi %x, %x : i32
  %c = arith.addi %a, %b : i32
  return %c : i32
}
"""


class Schedule:
    """An analysis."""


class Scheduled(OperationPass[PassOptions]):
    """Do nothing, in order."""

    argument = "scheduled"
    anchor = "func.func"
    tags = ("first", "second")
    ordering = (after(tag("lowering")), before_if_present("cse"), cleanup("dce", "cse"))
    required_analyses = (Schedule,)
    provided_analyses = (Schedule,)
    preserved_analyses = ALL_ANALYSES

    def run_on_operation(self) -> None:
        """Do nothing."""


@dataclass(kw_only=True)
class TimesOptions(PassOptions):
    """The options of a pipeline."""

    times: int = option("times", INT64, default=2)


def build(manager: OpPassManager, options: TimesOptions) -> None:
    for _ in range(options.times):
        manager.add_pass(Scheduled())


@pytest.fixture
def registry() -> PassRegistry:
    registry = PassRegistry()
    registry.register_pass(Scheduled)
    registry.register_pass(CSE)
    registry.register_pipeline("twice", "Do it twice", build, TimesOptions)
    return registry


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "input.mlir"
    path.write_text(SOURCE)
    return path


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["--bogus"],
            "my-opt: Unknown command line argument '--bogus'.  Try: 'my-opt --help'",
        ),
        (
            ["a", "b"],
            "my-opt: Can specify at most 1 positional arguments: See: my-opt --help",
        ),
        (["--verify-each=x"], "my-opt: for the --verify-each option: "),
        (
            ["--help-pass=x"],
            "my-opt: 'x' does not refer to a registered pass or pass pipeline",
        ),
        (["--help"], "usage: my-opt [FLAG]... [INPUT]"),
        (["--version"], "my-opt "),
        (["--completion=bash"], "complete -o default -F _my_opt my-opt"),
        (["--completion=zsh"], "#compdef my-opt"),
        (["--completion=fish"], "complete -c my-opt -a '(_my_opt)'"),
    ],
)
def test_a_driver_calls_itself_by_its_own_name(
    arguments: list[str],
    line: str,
    registry: PassRegistry,
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(arguments, registry=registry, name="my-opt")

    said = "".join(capsys.readouterr())
    assert f"\n{line}" in f"\n{said}"
    assert "passgen-opt" not in said


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/bin/my-opt", "my-opt"),
        ("my_opt.py", "my_opt.py"),
        ("C/my-opt.exe", "my-opt"),
        ("/x/my_opt/__main__.py", "my_opt"),
        ("-c", "passgen-opt"),
        ("", "passgen-opt"),
    ],
)
def test_a_driver_without_a_given_name_has_that_of_its_program(
    path: str,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", [path, "--version"])

    main()

    assert capsys.readouterr().out.split()[0] == name


def test_examples_in_the_help_name_passes_that_the_driver_has(
    registry: PassRegistry, capsys: pytest.CaptureFixture[str]
) -> None:
    registry = PassRegistry()
    registry.register_pass(Scheduled)

    main(["--help"], registry=registry, name="my-opt")

    assert capsys.readouterr().out.partition("examples:\n")[2] == """\
  my-opt input.mlir --scheduled
  my-opt input.mlir --mlir-pass-statistics -p 'builtin.module(func.func(scheduled))'
  my-opt --help-pass=scheduled
"""


def test_help_of_a_pass_shows_its_order_tags_and_analyses(
    registry: PassRegistry, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["--help-pass=scheduled"], registry=registry)

    assert capsys.readouterr().out.splitlines()[2:10] == [
        "runs on: func.func",
        "tags: first, second",
        "runs after: a pass with tag 'lowering'",
        "runs before, if present: 'cse'",
        "needs a clean-up later: 'dce' or 'cse'",
        "requires analyses: Schedule",
        "provides analyses: Schedule",
        "preserves analyses: all",
    ]


def test_help_of_a_pipeline_shows_its_passes(
    registry: PassRegistry, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["--help-pass=twice"], registry=registry)

    assert capsys.readouterr().out.partition("consists of")[2].splitlines()[:6] == [
        " with default options:",
        "  func.func(",
        "    scheduled,",
        "    scheduled",
        "  )",
        "",
    ]


def test_a_pipeline_that_cannot_be_built_says_why(
    registry: PassRegistry, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(manager: OpPassManager) -> None:
        del manager
        raise ValueError("not today")

    registry.register_pipeline("fails", "Fail", fail)

    assert main(["--help-pass=fails"], registry=registry) == 0
    assert "cannot be built with default options: " in capsys.readouterr().out


ERROR = "\x1b[1mpass-pipeline:1:16: \x1b[31merror: \x1b[0;1m'cce' does not"
CARET = "\x1b[1;32m               ^~~\x1b[0m\n"


@pytest.mark.parametrize("flag", ["--color", "--color=always"])
def test_diagnostics_are_in_color_if_asked_for(
    flag: str, source: Path, registry: PassRegistry, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(source), "-p=builtin.module(cce)", flag], registry=registry)

    said = capsys.readouterr().err
    assert said.startswith(ERROR)
    assert CARET in said


@pytest.mark.parametrize(
    ("flags", "environment", "is_terminal", "is_colored"),
    [
        ([], {}, True, True),
        ([], {}, False, False),
        ([], {"NO_COLOR": "1"}, True, False),
        ([], {"TERM": "dumb"}, True, False),
        (["--color=never"], {}, True, False),
        (["--color=always"], {"NO_COLOR": "1"}, False, True),
    ],
)
def test_color_is_for_terminals_unless_told_otherwise(  # noqa: PLR0913 - a table
    flags: list[str],
    environment: dict[str, str],
    source: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    is_terminal: bool,
    is_colored: bool,
) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_terminal)

    main([str(source), "--pass-pipeline=builtin.module(cce)", *flags])

    assert ("\x1b[" in capsys.readouterr().err) == is_colored


def test_a_diff_shows_how_each_pass_has_changed_the_ir(
    source: Path, registry: PassRegistry, capsys: pytest.CaptureFixture[str]
) -> None:
    pipeline = "-p=builtin.module(func.func(cse,cse))"
    main([str(source), pipeline, "--mlir-print-ir-diff"], registry=registry)

    assert capsys.readouterr().err == """\
// -----// IR Diff After CSE (cse) //----- //
@@ -1,6 +1,5 @@
 func.func @f(%x: i32) -> i32 {
   %a = arith.addi %x, %x : i32
-  %b = arith.addi %x, %x : i32
-  %c = arith.addi %a, %b : i32
+  %c = arith.addi %a, %a : i32
   func.return %c : i32
 }

"""


def test_a_diff_may_be_of_some_passes(
    source: Path, registry: PassRegistry, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--mlir-print-ir-diff", "--mlir-print-ir-after=scheduled", "--cse"]
    main([str(source), *flags], registry=registry)

    assert capsys.readouterr().err == ""


def test_a_tree_of_files_takes_no_diffs(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--mlir-print-ir-diff", f"--mlir-print-ir-tree-dir={tmp_path / 'tree'}"]

    assert main([str(source), *flags]) == 2
    assert "--mlir-print-ir-diff prints none" in capsys.readouterr().err
