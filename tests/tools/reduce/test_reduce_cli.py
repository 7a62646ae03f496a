"""The program `passgen-reduce`: files, checks, exit codes and messages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from passgen_tools.reduce import main
from tests.mlir_bindings_needed import require_bindings

pytestmark = pytest.mark.process

INPUT = """\
func.func @f(%x: i32, %y: i32) -> i32 {
  %0 = arith.addi %x, %y : i32
  %1 = arith.muli %0, %y : i32
  %2 = arith.divsi %1, %y : i32
  func.return %2 : i32
}
func.func @g() {
  func.return
}
"""

REDUCED = """\
builtin.module {
  %x = arith.constant 0 : i32
  %0 = arith.divsi %x, %x : i32
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("in.mlir").write_text(INPUT, encoding="utf-8")
    return tmp_path


def reduce(*arguments: str) -> int:
    try:
        return main(arguments)
    except SystemExit as error:  # of argparse
        return cast("int", error.code)


def left(path: str = "in.reduced.mlir") -> str:
    return Path(path).read_text(encoding="utf-8")


@pytest.mark.parametrize("num_jobs", [1, 3])
def test_the_file_becomes_what_the_check_needs(
    num_jobs: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del folder
    jobs = f"--jobs={num_jobs}"

    assert reduce(jobs, "in.mlir", "--", "grep", "-q", "divsi", "{}") == 0
    assert left() == REDUCED
    assert capsys.readouterr() == (
        (
            "8 operations before, 3 operations now; 13 checks; check again:\n"
            "grep -q divsi in.reduced.mlir\n"
        ),
        "",
    )


def test_outcome_and_errors_are_json_on_request(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del folder
    check = "grep", "-q", "divsi", "{}"

    assert reduce("--json", "in.mlir", "--", *check) == 0
    assert json.loads(capsys.readouterr().out) == {
        "file": "in.reduced.mlir",
        "isInterrupted": False,
        "command": "grep -q divsi in.reduced.mlir",
        "before": "8 operations",
        "after": "3 operations",
        "numOperations": 3,
        "numPasses": None,
        "numChecks": 13,
    }
    assert reduce("--json", "none.mlir", "--", *check) == 2
    found = json.loads(capsys.readouterr().err)
    assert found["message"].startswith("cannot read 'none.mlir'")


def test_the_printed_command_can_be_pasted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check = ["sh", "-c", "grep -q 'arith.divsi' \"$0\"", "{}"]

    assert reduce("in.mlir", "-o", "a b's.mlir", "--", *check) == 0
    command = capsys.readouterr().out.splitlines()[-1]
    for text, exit_code in ((left("a b's.mlir"), 0), ("", 1)):
        (folder / "a b's.mlir").write_text(text, encoding="utf-8")
        pasted = subprocess.run(["/bin/sh", "-c", command], check=False)
        assert pasted.returncode == exit_code


def test_a_check_of_bisection_must_fail(folder: Path) -> None:
    del folder
    is_good = 'if grep -q muli "$0"; then exit 125; fi; ! grep -q divsi "$0"'

    check = ["sh", "-c", is_good.replace("muli", "subi")]
    assert reduce("--check-must-fail", "in.mlir", "--", *check) == 0
    assert left() == REDUCED
    # What cannot be judged is not interesting.
    assert reduce("--check-must-fail", "in.mlir", "--", "sh", "-c", is_good) == 1


def test_a_pipeline_is_reduced_with_the_file(folder: Path) -> None:
    del folder
    pipeline = (
        "builtin.module(cse,func.func(canonicalize{max-iterations=3 top-down},cse))"
    )
    check = ["sh", "-c", 'grep -q "canonicalize.*top-down" $0 && grep -q divsi $0']

    assert reduce("in.mlir", f"--pass-pipeline={pipeline}", "--", *check) == 0
    text = left()
    assert text.startswith(REDUCED)
    assert 'pipeline: "builtin.module(func.func(canonicalize{top-down}))"' in text

    # A reproducer has its pipeline in the file; --pass-pipeline replaces it.
    check = ["grep", "-q", "mlir_reproducer"]
    assert reduce("in.reduced.mlir", "-o", "again.mlir", "--", *check) == 0
    assert 'pipeline: "builtin.module()"' in left("again.mlir")
    replaced = "--pass-pipeline=builtin.module(symbol-dce)"
    check = ["grep", "-q", "symbol-dce"]
    assert reduce("in.reduced.mlir", "-o", "x.mlir", replaced, "--", *check) == 0
    assert 'pipeline: "builtin.module(symbol-dce)"' in left("x.mlir")


def test_a_check_that_changes_its_file_changes_nothing_else(folder: Path) -> None:
    del folder
    script = 'grep -q divsi "$0"; found=$?; echo broken >"$0"; exit $found'

    assert reduce("in.mlir", "--", "sh", "-c", script) == 0
    assert left() == REDUCED


def test_what_takes_too_long_is_not_interesting(folder: Path) -> None:
    del folder
    script = (
        'grep -q divsi "$0" || { test -e slept || { touch slept; sleep 60; }; false; }'
    )

    assert reduce("--timeout=1", "in.mlir", "--", "sh", "-c", script) == 0
    assert left() == REDUCED


def test_a_check_that_refuses_the_input_is_shown(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = "echo the reason; exit 3"

    assert reduce("in.mlir", "--", "sh", "-c", script) == 1
    assert capsys.readouterr().err == (
        "passgen-reduce: error: CHECK does not find the input interesting: exit code"
        " 3\nthe reason\n"
    )
    assert not (folder / "in.reduced.mlir").exists()


def test_a_check_that_depends_on_how_the_input_is_written_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del folder

    assert reduce("in.mlir", "--", "grep", "-q", "^func.func") == 1
    assert "not the same IR as it is printed here" in capsys.readouterr().err
    check = ["grep", "-q", '"arith.divsi"']
    assert reduce("--mlir-print-op-generic", "in.mlir", "--", *check) == 0


def test_a_check_that_contradicts_itself_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del folder
    script = 'echo >>count; test $(wc -l <count) -ne 14 && grep -q divsi "$0"'

    assert reduce("in.mlir", "--", "sh", "-c", script) == 0
    Path("count").unlink()
    assert reduce("in.mlir", "--", "sh", "-c", script.replace("14", "13")) == 1
    assert "CHECK contradicts itself: it now refuses 'in.reduced.mlir'" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["in.mlir"], "expected a check after FILE: `-- CHECK {}`"),
        (["in.mlir", "--"], "expected a check after FILE: `-- CHECK {}`"),
        (["in.mlir", "--", "no-such"], "cannot run 'no-such': it is not found"),
        (["none.mlir", "--", "true"], "cannot read 'none.mlir': No such file"),
        ([".", "--", "true"], "cannot read '.': Is a directory"),
        (["in.mlir", "-oin.mlir", "--", "true"], "would overwrite 'in.mlir'"),
        (["in.mlir", "-ono/x.mlir", "--", "true"], "cannot write 'no/x.mlir': No such"),
        (["--jobs=0", "in.mlir", "--", "true"], "expected positive numbers"),
        (["--timeout=nan", "in.mlir", "--", "true"], "expected positive numbers"),
        (["--timeout=0", "in.mlir", "--", "true"], "expected positive numbers"),
        (["--ir=llvm", "in.mlir", "--", "true"], "expected xdsl, mlir or mlir:PACKAGE"),
        (["--load-pass-plugin=no", "in.mlir", "--", "true"], "no installed plugin"),
        (["--pass-pipeline=cse", "in.mlir", "--", "true"], "expected pass pipeline to"),
        (["bad.mlir", "--", "true"], "bad.mlir:1:15: error: "),
        (["invalid.mlir", "--", "true"], "invalid.mlir:1:25: error: 'func.return' op"),
        (["unknown.mlir", "--", "true"], "Operation a.b is not registered"),
        (["bytes.mlir", "--", "true"], "'bytes.mlir' is not UTF-8"),
    ],
)
def test_wrong_files_and_checks_are_named(
    arguments: list[str],
    message: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, text in {
        "bad": b"func.func @f( {",
        "invalid": b"func.func @f() -> i32 { func.return }",
        "unknown": b'"a.b"() : () -> ()',
        "bytes": b"\xff",
    }.items():
        (folder / f"{name}.mlir").write_bytes(text)

    assert reduce(*arguments) == 2
    assert message in capsys.readouterr().err
    assert not list(folder.glob("*.reduced.mlir"))


def test_an_empty_file_and_unregistered_dialects_are_accepted(folder: Path) -> None:
    (folder / "empty.mlir").write_text("", encoding="utf-8")
    (folder / "unknown.mlir").write_text('"a.b"() : () -> ()', encoding="utf-8")

    assert reduce("empty.mlir", "--", "true") == 0
    assert left("empty.reduced.mlir") == "builtin.module {\n}\n"
    unregistered = "--allow-unregistered-dialect"
    assert reduce(unregistered, "unknown.mlir", "--", "grep", "-q", "a.b") == 0
    assert '"a.b"() : () -> ()' in left("unknown.reduced.mlir")


@pytest.mark.bindings
def test_ir_of_mlir_is_reduced(folder: Path) -> None:
    del folder
    require_bindings("mlir")

    assert reduce("--ir=mlir", "in.mlir", "--", "grep", "-q", "divsi") == 0
    assert left() == """\
module {
  %c0_i32 = arith.constant 0 : i32
  %0 = arith.divsi %c0_i32, %c0_i32 : i32
}
"""


def test_deeply_nested_ir_is_reduced(folder: Path) -> None:
    del folder
    opened = "scf.if %c {\n" * 124
    closed = "}\n" * 124
    Path("deep.mlir").write_text(
        f"func.func @f(%c: i1) {{\n{opened}func.call @g() : () -> ()\n{closed}"
        "func.return\n}\nfunc.func private @g() -> ()\n"
    )

    assert reduce("deep.mlir", "--", "true") == 0
    assert left("deep.reduced.mlir") == "builtin.module {\n}\n"


@pytest.mark.parametrize("output", ["check.sh", "./check.sh", "link"])
def test_the_output_never_replaces_what_the_check_reads(
    output: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "check.sh").write_text("exit 0\n")
    Path("link").symlink_to("check.sh")

    assert reduce("in.mlir", "-o", output, "--", "sh", "check.sh", "{}") == 2
    assert "would overwrite 'check.sh'" in capsys.readouterr().err
    assert (folder / "check.sh").read_text() == "exit 0\n"


@pytest.mark.start
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("num_jobs", [1, 2])
def test_a_signal_leaves_the_smallest_file_and_no_process(
    num_jobs: int, number: signal.Signals, folder: Path
) -> None:
    # The input is interesting, an empty module is not; anything else takes long.
    script = """
      echo $$ >>started
      test -e input || { touch input; exit 0; }
      grep -q func.func "$0" && exec sleep 60
    """
    program = [sys.executable, "-m", "passgen_tools.reduce"]
    check = ["sh", "-c", script]
    with subprocess.Popen(
        [*program, f"--jobs={num_jobs}", "in.mlir", "--", *check],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        wait_for(lambda: len(started(folder)) == 2 + num_jobs)
        process.send_signal(number)
        out, _ = process.communicate(timeout=60)

    assert process.returncode == 128 + number
    assert out.startswith("interrupted: 8 operations before, ")
    assert "divsi" in left()
    for pid in started(folder):
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


def started(folder: Path) -> list[str]:
    path = folder / "started"
    return path.read_text(encoding="utf-8").split() if path.exists() else []


def wait_for(condition: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.01)
