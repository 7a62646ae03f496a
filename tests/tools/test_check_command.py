"""A program of the user that judges IR: how it is run, and what its end means."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from passgen_tools.check_command import (
    CheckCommand,
    CheckError,
    CheckResult,
)

pytestmark = pytest.mark.process


def shell(script: str, timeout_s: float | None = None) -> CheckCommand:
    return CheckCommand(["sh", "-c", script], timeout_s=timeout_s)


@pytest.mark.parametrize(
    ("exit_code", "verdict"),
    [(0, "good"), (1, "bad"), (124, "bad"), (125, "skip"), (127, "bad"), (139, "bad")],
)
def test_exit_codes_are_those_of_git_bisect(exit_code: int, verdict: str) -> None:
    assert shell(f"exit {exit_code}").run("module {}").verdict == verdict


def test_a_signal_is_bad_and_is_named() -> None:
    result = shell("kill -SEGV $$").run("module {}")

    assert (result.verdict, str(result)) == ("bad", "signal SIGSEGV")


def test_the_program_gets_the_ir_in_a_file_where_the_arguments_say_so() -> None:
    check = CheckCommand(
        ["sh", "-c", 'grep -q addi "$0" && test "$1" = end', "{}", "end"]
    )

    assert check.run("arith.addi").verdict == "good"
    assert check.run("arith.muli").verdict == "bad"


def test_the_file_is_the_last_argument_if_no_argument_names_it() -> None:
    check = CheckCommand(["grep", "addi"])

    assert check.run("x\narith.addi\n").output == "arith.addi\n"
    assert check.command_for("{}") == "grep addi '{}'"
    assert check.command_for("a b.mlir") == "grep addi 'a b.mlir'"


def test_a_program_that_does_not_exist_is_an_error_before_anything_runs() -> None:
    with pytest.raises(CheckError, match=r"'no-such-program': it is not found"):
        CheckCommand(["no-such-program", "{}"])


def test_a_file_that_is_no_program_is_an_error(tmp_path: Path) -> None:
    script = tmp_path / "check.sh"
    script.write_text("exit 0")

    with pytest.raises(CheckError, match=r"check\.sh': it cannot be executed"):
        CheckCommand([str(script)])


def test_a_program_that_cannot_be_started_is_an_error(tmp_path: Path) -> None:
    script = tmp_path / "check"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)

    with pytest.raises(CheckError, match="No such file"):
        CheckCommand([str(script)]).run("")


def test_a_shell_that_finds_no_program_has_judged_nothing() -> None:
    assert shell("no-such-program").run("").found_no_program
    assert not shell("exit 1").run("").found_no_program


def test_a_program_that_takes_too_long_is_ended_with_all_that_it_started(
    tmp_path: Path,
) -> None:
    pid_file = tmp_path / "pid"
    check = shell(f"sleep 60 & echo $! > {pid_file}; wait", timeout_s=0.3)

    result = check.run("")

    assert (result.verdict, str(result)) == ("bad", "ended at its time limit")
    assert has_ended(int(pid_file.read_text()))


def test_what_a_program_leaves_behind_is_ended_with_it(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"

    result = shell(f"sleep 60 & echo $! > {pid_file}").run("")

    assert result.verdict == "good"
    assert has_ended(int(pid_file.read_text()))


def test_a_program_that_left_the_session_does_not_hold_the_check_up(
    tmp_path: Path,
) -> None:
    pid_file = tmp_path / "pid"
    escape = "import os, time; os.setsid(); time.sleep(60)"
    script = f"{sys.executable} -c '{escape}' & echo $! > {pid_file}; sleep 0.5"

    assert shell(script).run("").verdict == "good"

    pid = int(pid_file.read_text())
    assert not has_ended(pid)
    os.kill(pid, signal.SIGKILL)


def test_output_without_end_is_read_and_not_kept() -> None:
    result = shell("exec yes", timeout_s=1).run("")

    assert result.timed_out
    assert set(result.output.split()) == {"y"}
    assert len(result.output) <= 64 * 1024


def test_only_an_argument_of_its_own_stands_for_the_file() -> None:
    check = CheckCommand(["grep", "a{}", "{}"])

    assert check.run("a{}\n").output == "a{}\n"
    with pytest.raises(CheckError, match="expected it as an argument of its own"):
        CheckCommand(["sh", "-c", "grep a {}"])


@pytest.mark.parametrize(
    "name", ["a b", "'\"", "$(touch PWNED)", "`touch PWNED`", "a\nb", "-x", "{}"]
)
def test_a_printed_command_gets_the_file_of_any_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("found")
    command = CheckCommand(["grep", "-c", "found"]).command_for(name)

    shown = subprocess.run(
        ["/bin/sh", "-c", command], capture_output=True, text=True, check=False
    )

    assert (shown.stdout, shown.stderr) == ("1\n", "")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_only_the_end_of_a_long_output_is_kept() -> None:
    source = "print('x' * 10**6); print('the end')"
    output = CheckCommand([sys.executable, "-c", source]).run("").output

    assert output.endswith("x\nthe end\n")
    assert len(output) < 10**5


def test_checks_in_other_threads_can_be_ended() -> None:
    check, results = shell("sleep 60"), list[CheckResult]()
    thread = threading.Thread(target=lambda: results.append(check.run("")))
    thread.start()
    while not results:
        check.end()
        time.sleep(0.01)
    thread.join()

    assert results[0].exit_code == -signal.SIGKILL


def has_ended(pid: int) -> bool:
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        stat = Path(f"/proc/{pid}/stat")
        if stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.01)
    return False


@pytest.mark.process
@pytest.mark.parametrize(
    ("text", "note"),
    [
        (b"exit 0\n", "names no interpreter: begin it with '#!/bin/sh'"),
        (
            b"#!/bin/sh\r\nexit 0\r\n",
            "the interpreter '/bin/sh' with a carriage return",
        ),
        (b"#!/no/such\nexit 0\n", "names the interpreter '/no/such'"),
    ],
)
def test_a_script_that_cannot_be_run_is_explained(
    tmp_path: Path, text: bytes, note: str
) -> None:
    script = tmp_path / "check"
    script.write_bytes(text)
    script.chmod(0o755)

    with pytest.raises(CheckError, match=re.escape(note)):
        CheckCommand([str(script)]).run("module {}")
