"""`--timeout`: parts of the input that take too long are ended, and the place is told."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from passgen_runtime.opt import main

pytestmark = pytest.mark.process

FUNCTION = "func.func @f() {\n  func.return\n}\n"
ENDLESS = f"  func.func private @g(memref<{400_000 * '1x'}i32>)\n"
"""A type that takes xDSL's parser minutes: time grows with the square of its rank."""

DRIVER = """\
import os, re, signal, sys, time
from passgen_runtime import OperationPass, PassOptions, PassRegistry
from passgen_runtime.opt import console_main

class Slow(OperationPass[PassOptions]):
    argument = "slow"
    anchor = "func.func"

    def run_on_operation(self) -> None:
        if self.operation.sym_name.data == "slow":
            %s

registry = PassRegistry()
registry.register_pass(Slow)
console_main(registry=registry)
"""


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def opt(
    text: str, *arguments: str, deed: str = "pass"
) -> subprocess.CompletedProcess[str]:
    """Run a driver on `text`, with a pass `slow` that does `deed` on `@slow`."""
    Path("f.mlir").write_text(text, encoding="utf-8")
    Path("driver.py").write_text(DRIVER % deed, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "driver.py", "f.mlir", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_token_that_takes_too_long_is_shown() -> None:
    done = opt(f"// Blanks.\n{ENDLESS}", "--timeout=1", "-o=out.mlir")

    assert done.returncode == 1
    assert re.match(
        r"f\.mlir:2:\d+: error: the time limit of 1 s has passed while the input was "
        f"parsed: the lexer stood here\n{re.escape(ENDLESS)} +\\^\n",
        done.stderr,
    )
    assert not Path("out.mlir").exists()


@pytest.mark.parametrize(
    "deed", ["time.sleep(60)", "re.match('(a|a)*$', 40 * 'a' + 'b')"]
)
def test_a_pass_that_takes_too_long_is_named_with_its_calls(deed: str) -> None:
    text = FUNCTION.replace("@f", "@slow")

    done = opt(text, "--slow", "--timeout=1", deed=deed)

    assert (done.returncode, done.stdout) == (1, "")
    assert (
        "\nerror: the time limit of 1 s has passed while pass 'slow' ran on 'func.func' "
        "operation: @slow at f.mlir:1:1\n"
        "note: in the pipeline builtin.module(func.func(slow))\n"
        "note: at driver.py:11, in run_on_operation: "
    ) in done.stderr


@pytest.mark.parametrize(
    "deed",
    [
        "signal.alarm(0)",
        "signal.setitimer(signal.ITIMER_REAL, 0)",
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})",
        "import faulthandler; faulthandler.unregister(signal.SIGALRM)",
        "os.kill(os.getpid(), signal.SIGSTOP)",
    ],
)
def test_no_pass_switches_the_limit_off(deed: str) -> None:
    text = FUNCTION.replace("@f", "@slow")

    done = opt(text, "--slow", "--timeout=1", deed=f"{deed}; time.sleep(60)")

    assert (done.returncode, done.stdout) == (1, "")
    assert (
        "\nerror: the time limit of 1 s has passed while pass 'slow' ran on 'func.func' "
        "operation: @slow at f.mlir:1:1\n"
    ) in done.stderr


def test_the_other_parts_of_the_input_are_processed() -> None:
    parts = (FUNCTION, ENDLESS, FUNCTION, FUNCTION.replace("@f", "@slow"), FUNCTION)
    flags = ("--slow", "--timeout=1", "--split-input-file")

    done = opt("// -----\n".join(parts), *flags, deed="time.sleep(60)")

    assert done.returncode == 1
    assert done.stdout.count("func.func @f") == 3
    assert done.stderr.count("error: the time limit of 1 s has passed") == 2
    assert re.search(r"f\.mlir:5:\d+: error: the time limit", done.stderr)


def test_each_part_has_the_whole_time() -> None:
    text = "// -----\n".join([FUNCTION.replace("@f", "@slow")] * 3)
    flags = ("--slow", "--timeout=4", "--split-input-file")

    done = opt(text, *flags, deed="time.sleep(1.5)")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("func.func @slow") == 3


@pytest.mark.parametrize("limit", ["0", "99999999999999999999"])
def test_a_run_without_a_limit_or_below_it_is_as_without(limit: str) -> None:
    done = opt(FUNCTION, "--slow", f"--timeout={limit}")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == opt(FUNCTION, "--slow").stdout


def test_a_limit_needs_containment(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["f.mlir", "--timeout=1"]) == 2
    assert main(["f.mlir", "--timeout=1", "--contain=false"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "passgen-opt: for the --timeout option: only a program can be contained",
        "passgen-opt: call console_main() instead of main()",
        "passgen-opt: for the --timeout option: it needs --contain",
    ]
