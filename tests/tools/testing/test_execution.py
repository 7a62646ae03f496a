"""RUN lines are run: streams, exit codes, failures that show IR, pattern and place."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from passgen_tools.testing.execution import run_test
from passgen_tools.testing.lit_test import read_test
from passgen_tools.testing.settings import OWN_PROGRAMS, Settings

IR = "func.func @f() {\n  func.return\n}\n"

Run = Callable[[str], None]


def both(arguments: Sequence[str]) -> int:
    """Write to both streams, by Python and as native code does."""
    sys.stdout.write(f"out {' '.join(arguments)}\n")
    sys.stdout.flush()
    os.write(1, b"native out\n")
    sys.stderr.write("err\n")
    os.write(2, b"native err\n")
    return 0


def echo(_: Sequence[str]) -> int:
    sys.stdout.write(sys.stdin.read())
    return 0


def leave(arguments: Sequence[str]) -> int:
    sys.exit(arguments[0] if arguments[0].isalpha() else int(arguments[0]))


def divide(arguments: Sequence[str]) -> int:
    return 1 // len(arguments[1:])


def warn(_: Sequence[str]) -> int:
    warnings.warn("look out", stacklevel=1)
    warnings.warn("old", DeprecationWarning, stacklevel=1)
    logging.getLogger("mine").warning("logged")
    logging.getLogger("mine").info("too much")
    return 0


def configure(_: Sequence[str]) -> int:
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    logging.getLogger("mine").info("configured")
    return 0


def setting(_: Sequence[str]) -> int:
    sys.stdout.write(f"{os.environ.get('FOO', 'unset')}\n")
    return 0


PROGRAMS = {
    name: f"{__name__}:{name}"
    for name in (
        "setting",
        "warn",
        "configure",
        "both",
        "echo",
        "leave",
        "divide",
        "missing",
    )
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setitem(sys.modules, __name__, sys.modules[both.__module__])

    def run(text: str) -> None:
        path = tmp_path / "case.mlir"
        path.write_text(text + IR, encoding="utf-8")
        folder = tmp_path / "new"
        folder.mkdir(exist_ok=True)
        run_test(read_test(path), Settings(OWN_PROGRAMS | PROGRAMS), folder)

    return run


def failure(run: Run, text: str) -> str:
    with pytest.raises(pytest.fail.Exception) as error:
        run(text)
    return str(error.value)


@pytest.mark.filterwarnings("error")
def test_warnings_and_logging_are_those_of_a_new_process(run: Run) -> None:
    handlers = logging.getLogger().handlers[:]

    run(
        "// RUN: configure 2>&1 | filecheck %s --check-prefix=SET\n"
        "// RUN: warn 2>&1 | filecheck %s\n"
        "// SET: INFO configured\n"
        "// CHECK: test_execution.py:{{[0-9]+}}: UserWarning: look out\n"
        "// CHECK-NOT: old\n"
        "// CHECK: logged\n"
        "// CHECK-NOT: too much\n"
    )

    assert logging.getLogger().handlers == handlers
    with pytest.raises(UserWarning):
        warnings.warn("pytest's filter is back", stacklevel=1)


def test_output_is_piped_and_checked(run: Run) -> None:
    run(
        "// RUN: passgen-opt %s | passgen-opt - | filecheck %s\n// CHECK: func.func @f\n"
    )


def test_llvm_s_name_of_filecheck_is_known(run: Run) -> None:
    run("// RUN: passgen-opt %s | FileCheck %s\n// CHECK: func.func @f\n")


def test_errors_are_joined_on_request(run: Run) -> None:
    run(
        "// RUN: not passgen-opt %s --pass-pipeline='any(nix)' 2>&1 \\\n"
        "// RUN:   | filecheck %s\n"
        "// CHECK: error: 'nix' does not refer\n"
    )


def test_native_code_is_heard_too(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    run(
        "// RUN: both a 2>&1 | filecheck %s\n"
        "// CHECK:      out a\n"
        "// CHECK-NEXT: native out\n"
        "// CHECK-NEXT: err\n"
        "// CHECK-NEXT: native err\n"
    )

    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("redirection", "file", "piped"),
    [
        ("> %t", "out \nnative out\n", ""),
        ("2> %t", "err\nnative err\n", "out \nnative out\n"),
        ("2>&1 > %t", "out \nnative out\n", "err\nnative err\n"),
        ("&> %t", "out \nnative out\nerr\nnative err\n", ""),
    ],
)
def test_streams_are_redirected_in_order(
    redirection: str, file: str, piped: str, run: Run, tmp_path: Path
) -> None:
    run(f"// RUN: both {redirection} | echo > piped\n")

    assert (tmp_path / "new/case.mlir.tmp").read_text() == file
    assert (tmp_path / "new/piped").read_text() == piped


def test_files_are_appended_to_and_read(run: Run, tmp_path: Path) -> None:
    run("// RUN: echo < %s > a && echo < %s >> a\n")

    assert (tmp_path / "new/a").read_text().count("func.func") == 2


def test_the_streams_of_the_process_are_restored(run: Run) -> None:
    before = sys.stdin, sys.stdout, sys.stderr, Path.cwd()

    run("// RUN: both\n")
    failure(run, "// RUN: divide\n")

    assert (sys.stdin, sys.stdout, sys.stderr, Path.cwd()) == before


@pytest.mark.parametrize("command", ["not leave 2", "leave 0", "not leave message"])
def test_programs_may_exit(command: str, run: Run) -> None:
    run(f"// RUN: {command}\n")


def test_check_that_fails_shows_pattern_ir_and_place(run: Run, tmp_path: Path) -> None:
    text = (
        "\n// RUN: passgen-opt %s | filecheck %s\n"
        "// CHECK-LABEL: func.func @f\n// CHECK-NEXT: func.call @g\n"
    )

    path = tmp_path / "case.mlir"
    assert failure(run, text) == (
        f"{path}:2: error: 'filecheck {path}' failed with exit code 1\n"
        f'{path}:4: error: Couldn\'t match "func.call @g".\n'
        "--- it read:\n"
        "     1 | builtin.module {\n"
        "     2 |   func.func @f() {\n"
        ">    3 |     func.return\n"
        "     4 |   }\n"
        "     5 | }"
    )


def test_excluded_text_is_shown(run: Run) -> None:
    text = (
        "// RUN: passgen-opt %s | filecheck %s\n"
        "// CHECK: module\n// CHECK-NOT: return\n"
    )

    message = failure(run, text)

    assert ":3: error: CHECK-NOT: excluded string found in input ('return')" in message
    assert "Matching at:\n    func.return\n" in message


def test_an_unknown_variable_of_a_check_is_named_without_a_stack(run: Run) -> None:
    text = "// RUN: passgen-opt %s | filecheck %s\n// CHECK: func.func [[X]]\n"

    message = failure(run, text)

    assert ":2: error: Variable X referenced before assignment" in message
    assert "Traceback" not in message


def test_of_long_output_the_lines_around_are_shown(run: Run) -> None:
    lines = "".join(f'"test.op{number}"() : () -> ()\n' for number in range(100))
    text = (
        "// RUN: echo < %s | filecheck %s\n"
        '// CHECK: {{^}}"test.op50"\n// CHECK-NEXT: test.op52\n'
    )

    message = failure(run, text + lines)

    assert '>   55 | "test.op51"() : () -> ()\n' in message
    assert "test.op20" not in message
    assert "--- it read, lines 35 to 74 of 106:" in message


def test_program_that_fails_shows_its_errors(run: Run) -> None:
    message = failure(run, "// RUN: passgen-opt %s --pass-pipeline='any(nix)'\n")

    assert "case.mlir:1: error: 'passgen-opt " in message
    assert "failed with exit code 1\n" in message
    assert "'nix' does not refer to a registered pass" in message


def test_program_that_succeeds_under_not_shows_its_output(run: Run) -> None:
    message = failure(run, "// RUN: not passgen-opt %s\n")

    assert "succeeded, under 'not'\n--- its output:\nbuiltin.module {" in message


@pytest.mark.parametrize("command", ["divide", "not divide"])
def test_exception_is_a_failure_under_not_too(command: str, run: Run) -> None:
    message = failure(run, f"// RUN: {command}\n")

    assert "case.mlir:1: error: 'divide' raised an exception\nTraceback" in message
    assert "ZeroDivisionError" in message
    assert "testing/execution.py" not in message


def test_program_that_is_not_there_is_a_failure(run: Run) -> None:
    assert "has no attribute 'missing'" in failure(run, "// RUN: missing\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("nix.mlir", "No such file or directory: 'nix.mlir'"),
        ("", "Missing argument: check-file"),
        (
            "%s --check-prefix X",
            (
                "No check strings found with prefix X:\n"
                "note: `pytest --update-checks` writes CHECK lines\n"
            ),
        ),
    ],
)
def test_error_filecheck(arguments: str, message: str, run: Run) -> None:
    assert message in failure(run, f"// RUN: passgen-opt %s | filecheck {arguments}\n")


@pytest.mark.process
def test_other_commands_run_in_a_shell_with_our_programs(run: Run) -> None:
    run(
        "// RUN: cat %s | passgen-opt | sed s/@f/@g/ | filecheck %s; test $? = 0\n"
        "// RUN: not passgen-opt %s --nix 2>&1 | cat > %t && test -s %t\n"
        "// CHECK: func.func @g\n"
    )


@pytest.mark.process
def test_each_command_of_a_pipe_in_a_shell_has_to_succeed(run: Run) -> None:
    message = failure(run, "// RUN: passgen-opt %s --nix | cat\n")

    assert (
        "--nix | cat' failed in bash with exit code 2\npassgen-opt: Unknown" in message
    )


@pytest.mark.process
@pytest.mark.parametrize(
    "command",
    [
        "env FOO=7 setting | grep -x 7",
        "FOO=7 setting | grep -x 7",
        "env FOO=7 not leave 3",
        "env -u FOO setting | grep -x unset",
        "env -i PATH=$PATH FOO=7 setting | grep -x 7",
        "not env FOO=7 leave 3",
        "timeout 60 echo < %s | filecheck %s",
        "printf %s | xargs passgen-opt | filecheck %s",
        "xargs leave < /dev/null 0",
        "sh -c 'passgen-opt %s | filecheck %s'",
        "find . -name nix -exec leave 0 ';'",
        "cat %s | (cd %S && echo) | count 5",
        "printf 'a\\nb' | count 1",
        "env not --crash sh -c 'kill -SEGV $$'",
    ],
)
def test_other_programs_start_our_programs(command: str, run: Run) -> None:
    run(f"// RUN: {command}\n// CHECK: @f\n")


@pytest.mark.process
@pytest.mark.parametrize("name", ["bin/tool", "../outside", "{folder}/outside"])
def test_a_program_with_a_path_for_a_name_writes_no_file_there(
    name: str, tmp_path: Path
) -> None:
    name = name.format(folder=tmp_path)
    path = tmp_path / "case.mlir"
    path.write_text(f"// RUN: {name} | cat\n", encoding="utf-8")
    (tmp_path / "outside").write_text("mine", encoding="utf-8")
    (tmp_path / "new").mkdir()

    run_test(read_test(path), Settings({name: PROGRAMS["setting"]}), tmp_path / "new")

    assert (tmp_path / "outside").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("count 5 < %s", "Expected 5 lines, got 4."),
        ("count five < %s", "count: error: found 'five', expected a number of lines"),
        ("count < %s", "usage: count LINES"),
    ],
)
def test_error_count(command: str, message: str, run: Run) -> None:
    assert message in failure(run, f"// RUN: {command}\n")


def test_lines_are_counted(run: Run) -> None:
    run("// RUN: count 4 < %s && both | count 2 && not count 3 < %s\n")


@pytest.mark.process
@pytest.mark.parametrize(
    "command",
    [
        "passgen-opt %s --contain | filecheck %s",
        "passgen-opt --timeout=60 < %s 2>&1 | filecheck %s",
        "not passgen-opt %s --contain --pass-pipeline='any(nix)'",
        "cat %s | passgen-opt --contain | filecheck %s",
    ],
)
def test_drivers_that_need_a_process_get_one(command: str, run: Run) -> None:
    run(f"// RUN: {command}\n// CHECK: @f\n")


@pytest.mark.parametrize("command", ["%{readfile:%t}", "'a %{readfile:%t} b'"])
def test_a_file_that_an_earlier_command_writes_is_one_word(
    command: str, run: Run, tmp_path: Path
) -> None:
    run(f"// RUN: echo < %s > %t\n// RUN: both {command} > out\n")

    text = (tmp_path / "case.mlir").read_text()
    word = command.strip("'").replace("%{readfile:%t}", text)
    written = (tmp_path / "new/out").read_text()
    assert written == f"out {word}\nnative out\n"


@pytest.mark.process
@pytest.mark.parametrize(
    "word", ["%{readfile:%t}", '"%{readfile:%t}"', "'%{readfile:%t}'"]
)
def test_a_file_is_one_word_in_a_shell_too(word: str, run: Run) -> None:
    run(
        "// RUN: printf 'x  y\\n' > %t\n"
        f"// RUN: printf '<%%s>' {word} | grep -x '<x  y>'\n"
    )


@pytest.mark.process
@pytest.mark.parametrize("command", ["echo %{readfile:nix}", "true %{readfile:nix}"])
def test_error_file_to_read_is_missing(command: str, run: Run) -> None:
    assert "cannot read 'nix' for %{readfile:nix}" in failure(
        run, f"// RUN: {command}\n"
    )


def test_error_unknown_substitution(run: Run) -> None:
    message = failure(run, "\n// RUN: passgen-opt %{s:steam} %s\n")

    assert message.endswith(
        "case.mlir:2: error: found '%{s:steam}', which is no substitution\n"
        "Did you mean '%{s:stem}'?\n"
        "note: '%%{s:steam}' is the text itself"
    )


@pytest.mark.process
@pytest.mark.parametrize(
    "command",
    [
        "not false",
        "not --crash sh -c 'kill -SEGV $$'",
        "not sh -c 'exit 200'",
        "not grep -q no[t]hing %s",
        "not leave 3 | cat",
        "not not true",
    ],
)
def test_not_means_that_a_program_ran_and_failed(command: str, run: Run) -> None:
    run(f"// RUN: {command}\n")


@pytest.mark.process
@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("not passgn-opt %s", "passgn-opt: command not found"),
        ("! passgn-opt %s", "passgn-opt: command not found"),
        ("passgn-opt %s 2>/dev/null || true", "passgn-opt: command not found"),
        ("not --crash passgn-opt %s", "passgn-opt: command not found"),
        ("not passgn-opt %s | cat", "passgn-opt: command not found"),
        ("not %s", "could not be run"),
        ("not divide | cat", "\nZeroDivisionError: "),
        ("! divide", "\nZeroDivisionError: "),
        ("divide 2>/dev/null || true", ":divide raised an exception"),
        ("not sh -c 'kill -SEGV $$'", "'sh' was ended by a signal"),
        ("not --crash false", "failed in bash with exit code 1"),
        ("not true", "failed in bash with exit code 1"),
    ],
)
def test_not_accepts_nothing_that_did_not_run(
    command: str, message: str, run: Run
) -> None:
    assert message in failure(run, f"// RUN: {command}\n")


@pytest.mark.process
@pytest.mark.parametrize("command", ["not nosuchprog", "not --crash nosuchprog | cat"])
def test_a_program_that_is_not_there_is_named_once(command: str, run: Run) -> None:
    _, *lines = failure(run, f"// RUN: {command}\n").splitlines()

    assert lines == [
        "not: nosuchprog: command not found",
        "note: pytest.ini names programs of the project: `mlir_tools`",
    ]


@pytest.mark.process
@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("not true *", "'*'"),
        ("setting --filter=.* && false", "'*' in '--filter=.*'"),
        ("false; true; false", "';'"),
    ],
)
def test_a_failure_in_bash_says_what_needs_bash(
    command: str, reason: str, run: Run
) -> None:
    *_, last = failure(run, f"// RUN: {command}\n").splitlines()

    assert last.startswith(f"note: bash runs this line: {reason}")
