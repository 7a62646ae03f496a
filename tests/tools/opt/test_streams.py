"""Standard streams and the driver: what passes do to them, and what reaches a terminal."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from passgen_runtime import OperationPass, PassOptions, PassRegistry
from passgen_runtime.passes.composite_fixed_point_pass import CompositeFixedPoint
from passgen_runtime.passes.print_ir import PrintIR
from passgen_tools.opt import main

MODULE = "func.func @f() {\n  func.return\n}\n"


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("f.mlir").write_text(MODULE, encoding="utf-8")
    return tmp_path


@pytest.mark.process
@pytest.mark.start
def test_a_bug_is_reported_without_a_traceback() -> None:
    Path("buggy.py").write_text(
        "from passgen_tools.opt import console_main\n"
        "def make_context(**_): raise KeyError('\\x1b[31m')\n"
        "console_main(['f.mlir'], make_context=make_context)\n",
        encoding="utf-8",
    )

    done = subprocess.run(
        ["python", "buggy.py"], capture_output=True, text=True, check=False
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
        (MODULE, ["--pass-pipeline=builtin.module(print-ir{label=\x9b31m})"]),
        (MODULE, ["--composite-fixed-point-pass=name=\x9b31m pipeline=any(print-ir)",
                  "--mlir-timing"]),
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
    for pass_class in (Colors, CompositeFixedPoint, PrintIR):
        registry.register_pass(pass_class)

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
