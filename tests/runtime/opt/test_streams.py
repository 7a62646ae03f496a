"""Standard streams and the driver: what passes do to them, and what reaches a terminal."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from passgen_runtime import OperationPass, PassOptions, PassRegistry
from passgen_runtime.opt import main

MODULE = "func.func @f() {\n  func.return\n}\n"
DRIVER = """\
import asyncio, io, os, sys
from passgen_runtime import OperationPass, PassOptions, PassRegistry
from passgen_runtime.opt import console_main

class Unreadable(BaseException):
    def __str__(self):
        raise SystemExit(0)

class Bad(OperationPass[PassOptions]):
    argument = "bad"

    def run_on_operation(self) -> None:
        %s

class Prints(OperationPass[PassOptions]):
    argument = "prints"

    def run_on_operation(self) -> None:
        print("printed")
        print("said", file=sys.stderr)

registry = PassRegistry()
registry.register_pass(Bad)
registry.register_pass(Prints)
console_main(registry=registry)
"""
PRINTED = "builtin.module {\n  func.func @f() {\n    func.return\n  }\n}\n"


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("f.mlir").write_text(MODULE, encoding="utf-8")
    return tmp_path


def opt(
    deed: str, *arguments: str, redirection: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a driver whose pass `bad` does `deed`."""
    Path("driver.py").write_text(DRIVER % deed, encoding="utf-8")
    command = shlex.join((sys.executable, "driver.py", "f.mlir", *arguments))
    return subprocess.run(
        (shutil.which("bash") or "bash", "-c", f"{command} {redirection}"),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.process
@pytest.mark.parametrize("flag", ["-o=-", "--contain"])
@pytest.mark.parametrize(
    ("deed", "names"),
    [
        ("sys.stdout.close()", "sys.stdout"),
        ("sys.stdout.detach()", "sys.stdout"),
        ("sys.stdout = None", "sys.stdout"),
        ("del sys.stderr", "sys.stderr"),
        ("sys.stderr.close()", "sys.stderr"),
        ("sys.stderr.close(); del sys.stdout", "sys.stdout and sys.stderr"),
        ("sys.__stdout__.close(); sys.stdout = 3", "sys.stdout"),
    ],
)
def test_a_pass_that_closes_or_removes_a_stream_is_named_in_one_message(
    deed: str, names: str, flag: str
) -> None:
    done = opt(deed, "--bad", "--prints", flag)

    assert done.returncode == 1
    assert done.stdout in {"", "printed\n"}  # of the next pass; no IR
    assert done.stderr == (
        f"said\nerror: pass 'bad' has closed or removed {names} on 'builtin.module' "
        "operation at f.mlir:0:0\n"
        "note: the driver writes there when passes have run\n"
    )


@pytest.mark.process
@pytest.mark.parametrize(
    ("deed", "exception"),
    [
        ("raise GeneratorExit", "GeneratorExit: "),
        ("raise BaseException('no')", "BaseException: no"),
        ("raise asyncio.CancelledError", "CancelledError: "),
        ("raise Unreadable", "Unreadable: <exception str() failed>"),
        ("sys.stdout.close(); del sys.stderr; sys.exit(0)", "SystemExit: 0"),
    ],
)
def test_a_pass_that_raises_to_end_the_program_is_named_in_one_message(
    deed: str, exception: str
) -> None:
    done = opt(deed, "--bad", "--prints", "-o=out.mlir")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(
        "error: pass 'bad' failed on 'builtin.module' operation at f.mlir:0:0\n"
        f"note: it raised {exception}\n"
    )
    assert done.stderr.count("error:") == 1
    assert not Path("out.mlir").exists()


@pytest.mark.process
def test_a_pass_that_leaves_another_stream_does_not_get_the_output() -> None:
    done = opt("sys.stdout = io.StringIO()", "--bad")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == PRINTED


@pytest.mark.process
@pytest.mark.parametrize(
    "arguments",
    [
        ("--bad",),
        ("--bad", "--mlir-print-ir-after-all", "--mlir-timing"),
        ("--bad", "--mlir-pass-statistics", "--dump-pass-pipeline"),
        ("--bad", "--contain"),
        ("--nonesuch",),
    ],
)
@pytest.mark.parametrize("redirection", ["2>&-", "2>&- <&-"])
def test_without_standard_error_nothing_for_it_appears_elsewhere(
    arguments: tuple[str, ...], redirection: str
) -> None:
    deed = "os.write(2, b'native'); self.emit_remark('said'); raise ValueError"

    done = opt(deed, *arguments, redirection=redirection)

    assert done.returncode in {1, 2}
    assert (done.stdout, done.stderr) == ("", "")
    written = {path.name: path.read_bytes() for path in Path().iterdir()}
    assert b"native" not in written["f.mlir"]
    assert set(written) == {"driver.py", "f.mlir"}


@pytest.mark.process
def test_a_bug_is_reported_without_a_traceback() -> None:
    Path("buggy.py").write_text(
        "from passgen_runtime.opt import console_main\n"
        "def make_context(**_): raise KeyError('\\x1b[31m')\n"
        "console_main(['f.mlir'], make_context=make_context)\n",
        encoding="utf-8",
    )

    done = subprocess.run(
        [sys.executable, "buggy.py"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (1, "")
    first, second, third = done.stderr.splitlines()
    assert first == "error: KeyError: '\\x1b[31m'"
    assert second == "note: this is a bug in the driver, in a dialect or in a plugin"
    assert third.endswith("buggy.py:2")


class Colors(OperationPass[PassOptions]):
    """Reports in red."""

    argument = "colors"

    def run_on_operation(self) -> None:
        self.emit_remark("\x1b[31mred\x07\r\u202e\x9b31m")
        raise ValueError("\x1b]0;title\x07")


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        (MODULE, ["--colors"]),
        (MODULE, ["--colors", "--verify-diagnostics"]),
        (MODULE, ["--pass-pipeline=builtin.module(\x1b[31m)"]),
        (MODULE, ["--\x1b[31m"]),
        (MODULE, ["-o=missing/\x1b[31m"]),
        ('%a = "\x1b[31m" 1', []),
        ("\x1b[31m", []),
        ('"a.b\x1b[31m"() : () -> ()', []),
        ('"a.b\x1b[31m"() : () -> ()', ["--allow-unregistered-dialect"]),
        ('module @"\\1B[31m" { "a.b"(%0) : (i1) -> () }', ["--colors"]),
        ("// expected-error {{\x1b[31m}}", ["--verify-diagnostics"]),
        ('{-# external_resources: {mlir_reproducer: {pipeline: "\x1b[31m"}} #-}',
         ["--run-reproducer"]),
    ],
)  # fmt: skip
def test_no_control_character_reaches_a_terminal(
    text: str, arguments: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    Path("f.mlir").write_text(text, encoding="utf-8")
    registry = PassRegistry()
    registry.register_pass(Colors)

    main(["f.mlir", *arguments], registry=registry)

    out, err = capfd.readouterr()
    assert out or err
    assert all(each in "\n\t" or each.isprintable() for each in out + err)


def test_a_caret_stands_below_what_follows_an_escape(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("f.mlir").write_text('%a = "q\x1b[31m" 1', encoding="utf-8")

    assert main(["f.mlir", "--allow-unregistered-dialect"]) == 1
    assert capsys.readouterr().err == (
        "f.mlir:1:15: error: '(' expected in operation argument list\n"
        '%a = "q\\x1b[31m" 1\n'
        "                 ^\n"
    )


def test_an_integer_that_cannot_be_printed_is_an_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = f'"test.op"() {{a = 0x{5000 * "F"} : i16777215}} : () -> ()'
    Path("f.mlir").write_text(text, encoding="utf-8")

    assert main(["f.mlir"]) == 1
    assert capsys.readouterr().err.startswith(
        "f.mlir:0:0: error: 'builtin.module' op cannot be printed: Exceeds the limit"
    )


def test_an_error_about_many_values_names_the_first_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = [f"%{number}" for number in range(1000)]
    types = ", ".join(["i32"] * 1000)
    text = f'"test.op"({", ".join(names)}) : ({types}) -> ()'
    Path("f.mlir").write_text(text, encoding="utf-8")

    assert main(["f.mlir"]) == 1
    first, *_ = capsys.readouterr().err.splitlines()
    assert first.endswith(f": {', '.join(names[:20])}, and 980 more")
