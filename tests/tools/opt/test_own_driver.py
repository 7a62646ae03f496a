"""A driver of one's own: its name, the examples in its help, and color."""

from __future__ import annotations

import pytest

from passgen_runtime import OperationPass, PassOptions, PassRegistry
from passgen_tools.opt import main


class Scheduled(OperationPass[PassOptions]):
    argument = "scheduled"
    anchor = "func.func"

    def run_on_operation(self) -> None:
        """Do nothing."""


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["--bogus"],
            "my-opt: Unknown command line argument '--bogus'.  Try: 'my-opt --help'",
        ),
        (["--fuse"], "my-opt: No pass is registered: the driver registers none"),
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
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(arguments, registry=PassRegistry(), name="my-opt")

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
    capsys: pytest.CaptureFixture[str],
) -> None:
    registry = PassRegistry()
    registry.register_pass(Scheduled)

    main(["--help"], registry=registry, name="my-opt")

    assert capsys.readouterr().out.partition("examples:\n")[2] == """\
  my-opt input.mlir --scheduled
  my-opt input.mlir --mlir-pass-statistics -p 'builtin.module(func.func(scheduled))'
  my-opt --help-pass=scheduled
"""


ERROR = "\x1b[1mpass-pipeline:1:16: \x1b[31merror: \x1b[0;1m'cce' does not"
CARET = "\x1b[1;32m               ^~~\x1b[0m\n"


@pytest.mark.parametrize("flag", ["--color", "--color=always"])
def test_diagnostics_are_in_color_if_asked_for(
    flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["/dev/null", "-p=builtin.module(cce)", flag])

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

    main(["/dev/null", "--pass-pipeline=builtin.module(cce)", *flags])

    assert ("\x1b[" in capsys.readouterr().err) == is_colored
