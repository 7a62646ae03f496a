"""Passes on MLIR's IR that end their process are contained and reported.

What no IR library has a part in is in `tests/tools/opt/test_containment.py`.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mlir_bindings_needed import require_bindings

DRIVER = """\
import ctypes, os, resource, sys
from mlir import ir  # a driver may import the bindings before it is contained
from mlir.passmanager import PassManager
from passgen_runtime import OperationPass, PassOptions, PassRegistry
from passgen_tools.opt import console_main

def use_after_erase(function):
    value = function.regions[0].blocks[0].operations[0].result
    function.operation.erase()
    print(value.owner)

def use_a_value_of_another_context(function):
    other = ir.Module.parse("func.func @z(%a: i32) { return }", ir.Context())
    value = other.body.operations[0].regions[0].blocks[0].arguments[0]
    function.regions[0].blocks[0].operations[0].operands[0] = value
    del other, value

def recurse(_):
    ir.Type.parse("tuple<" * 2_000_000)

def leave(num_bytes):
    pages = int(open("/proc/self/statm").read().split()[0])
    limit = pages * resource.getpagesize() + num_bytes
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

def allocate(_):
    leave(1 << 28)
    for number in range(1000):
        ir.StringAttr.get(f"{number}" + "x" * (1 << 25))

def starve_once(_):
    if not os.path.exists("has starved"):
        open("has starved", "x")
        leave(1 << 20)

def abort_between_passes(_):
    def look(frame, event, _):
        if frame.f_locals.get("hook") == "run_after_collection":
            os.abort()
    sys.setprofile(look)

def anchor_wrongly(function):
    for _ in range(50):  # what has been freed may look alive for a while
        manager = PassManager.parse("any(convert-to-llvm)")
        manager.enable_verifier(False)
        manager.run(function.operation)

class Deadly(OperationPass[PassOptions]):
    argument = "deadly"
    anchor = "func.func"

    def run_on_operation(self) -> None:
        if self.operation.attributes["sym_name"].value == "b":
            DEATH(self.operation)

registry = PassRegistry()
registry.register_pass(Deadly)
console_main(registry=registry)
"""
INPUT = """\
func.func @a(%x: i32) -> i32 {
  return %x : i32
}
module @inner {
  func.func @b(%x: i32) -> i32 {
    %0 = arith.addi %x, %x : i32
    return %0 : i32
  }
}
func.func @c(%x: i32) -> i32 { return %x : i32 }
gpu.module @kernels { gpu.func @k() kernel { gpu.return } }
"""
PIPELINE = "builtin.module(cse,builtin.module(func.func(canonicalize,deadly)),cse)"
NATIVE = "builtin.module(cse,gpu.module(cse,xegpu-subgroup-distribute))"
FAILED = "error: Failures have been detected while processing an MLIR pass pipeline\n"
DEADLY = "`Deadly` on 'func.func' operation: @b"
RUNNING = "pass 'deadly' ran on 'func.func' operation: @inner/@b at in.mlir:5:3"
READS_PROC = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
REPRODUCER = "--mlir-pass-pipeline-crash-reproducer=r.mlir"


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    require_bindings("mlir")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.mlir").write_text(INPUT, encoding="utf-8")
    return tmp_path


def command(death: str, *arguments: str) -> list[str]:
    """Write a driver whose pass ends the process by `death`; return how to run it."""
    Path("driver.py").write_text(DRIVER.replace("DEATH", death), encoding="utf-8")
    return [sys.executable, "driver.py", "--ir=mlir", *arguments]


def opt(death: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(death, *arguments),
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


@pytest.mark.parametrize(
    ("death", "call"),
    [
        ("use_after_erase", "print(value.owner)"),
        ("use_a_value_of_another_context", "del other, value"),
        ("os.abort() or print", ""),
        ("recurse", "2_000_000)"),
        ("ctypes.string_at(0) or print", ""),
        pytest.param("allocate", "(1 << 25))", marks=READS_PROC),
        ("anchor_wrongly", "run(function.operation)"),
    ],
)
def test_a_pass_that_ends_its_process_is_reported(death: str, call: str) -> None:
    done = opt(death, "in.mlir", "-p", PIPELINE, "--contain", "-o=out.mlir")

    assert (done.returncode, done.stdout) == (1, "")
    assert not Path("out.mlir").exists()
    *_, said = done.stderr.partition(f"in.mlir:0:0: {FAILED}")
    note, error, pipeline, calls = said.split("\n", 3)
    executing = f"Pipeline failed while executing [{DEADLY}]"
    assert note == f"in.mlir:0:0: note: {executing}"
    # A use after erase may end in either signal.
    ending = r"by (SIGSEGV|SIGABRT)"
    assert re.fullmatch(
        f"error: the process was ended {ending} while {re.escape(RUNNING)}", error
    )
    assert pipeline == f"note: in the pipeline {PIPELINE}"
    assert f"driver.py:{line(death)}, in run_on_operation: {death}" in calls
    if call:
        assert f"driver.py:{line(call)}, in {death}: " in calls


def line(end: str) -> int:
    """Return the number of the line of the driver that ends with `end`, or a call."""
    lines = Path("driver.py").read_text(encoding="utf-8").splitlines()
    ends = (end, f" {end}(self.operation)")
    return next(n for n, text in enumerate(lines, start=1) if text.endswith(ends))


@pytest.mark.parametrize("flag", ["", "--mlir-timing", REPRODUCER])
def test_a_native_pass_that_ends_its_process_is_named(flag: str) -> None:
    flags = [flag] if flag else []
    done = opt("print", "in.mlir", "-p", NATIVE, "--contain", *flags)

    assert (done.returncode, done.stdout) == (1, "")
    name, operation = "xegpu-subgroup-distribute", "'gpu.module' operation: @kernels"
    executing = f"[`XeGPUSubgroupDistribute` on {operation}]"
    assert f"note: Pipeline failed while executing {executing}" in done.stderr
    running = f"pass '{name}' ran on {operation} at in.mlir:11:1"
    assert f"error: the process was ended by SIGABRT while {running}\n" in done.stderr
    assert "no Python stack: native code ran that no code of a pass in" in done.stderr
    assert "found by a second run, one pass at a time\n" in done.stderr
    assert done.stderr.count("UNREACHABLE executed") <= 1


def test_a_crash_between_passes_is_reported() -> None:
    pipeline = "builtin.module(builtin.module(func.func(deadly)),cse)"
    done = opt("abort_between_passes", "in.mlir", "-p", pipeline, "--contain")

    assert (done.returncode, done.stdout) == (1, "")
    assert f"Pipeline failed while executing [`{pipeline}`]\n" in done.stderr
    assert "error: the process was ended by SIGABRT while no pass ran\n" in done.stderr


@READS_PROC
def test_a_native_run_that_does_not_crash_again_is_named_as_a_whole() -> None:
    loop = "affine.for %i = 0 to 700000 { %0 = arith.addi %x, %x : i32 }"
    text = INPUT.replace("return", f"{loop}\n  return", 1)
    Path("in.mlir").write_text(text, encoding="utf-8")
    natives = "symbol-dce,func.func(affine-loop-unroll{unroll-factor=700000})"
    pipeline = f"builtin.module(builtin.module(func.func(deadly)),{natives})"
    flags = ("--contain", "--verify-each=false")
    done = opt("starve_once", "in.mlir", "-p", pipeline, *flags)

    assert (done.returncode, done.stdout) == (1, "")
    running = f"while pass '{natives}' ran on 'builtin.module' operation at in.mlir:0:0"
    assert running in done.stderr
    assert "one pass at a time, did not end the process\n" in done.stderr


def test_a_reproducer_ends_the_process_again() -> None:
    done = opt("os.abort() or print", "in.mlir", "-p", PIPELINE, REPRODUCER)
    again = opt("os.abort() or print", "r.mlir", "--run-reproducer", "--contain=false")

    assert done.returncode == 1
    assert f"executing [{DEADLY}]: reproducer generated at `r.mlir`" in done.stderr
    assert f'pipeline: "{PIPELINE}"' in Path("r.mlir").read_text(encoding="utf-8")
    assert again.returncode == -signal.SIGABRT


@pytest.mark.parametrize("death", ["os.abort() or print", "recurse"])
def test_a_crash_that_is_not_contained_has_a_python_stack(death: str) -> None:
    done = opt(death, "in.mlir", "-p", PIPELINE)

    assert done.returncode < 0
    assert "Fatal Python error: " in done.stderr
    assert f'driver.py", line {line(death)} in run_on_operation' in done.stderr


def test_a_run_without_a_crash_is_the_same_with_containment() -> None:
    flags = ("in.mlir", "-p", PIPELINE, "--mlir-timing", "--split-input-file")
    plain, contained = (opt("print", *flags, *more) for more in ((), ("--contain",)))

    assert (plain.returncode, contained.returncode) == (0, 0)
    assert contained.stdout == plain.stdout
    assert [text.split()[-1:] for text in contained.stderr.splitlines()] == [
        text.split()[-1:] for text in plain.stderr.splitlines()
    ]


USES_THREADS = """\
from mlir import ir
from mlir.passmanager import PassManager
from passgen_runtime.ir.mlir import MLIRContext
from passgen_tools.opt import console_main

context = ir.Context()
functions = "".join(f"func.func @f{n}() {{ return }}\\n" for n in range(50))
with context:
    PassManager.parse("builtin.module(func.func(cse))").run(
        ir.Module.parse(functions).operation
    )
console_main(make_context=lambda **_: MLIRContext(mlir=context))
"""


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux lists threads of all origins, in /proc"
)
@pytest.mark.parametrize(("flag", "code"), [("--contain", 2), (REPRODUCER, 0)])
def test_a_program_in_which_mlir_has_threads_is_not_forked(
    flag: str, code: int
) -> None:
    Path("driver.py").write_text(USES_THREADS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "driver.py", "in.mlir", "-p=builtin.module()", flag],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )

    assert done.returncode == code
    assert ("this program has started threads" in done.stderr) == (code == 2)


def test_a_fused_run_that_fails_is_named_in_a_reproducer() -> None:
    natives = "func.func(cse,snapshot-op-locations{filename=no/file})"
    done = opt("print", "in.mlir", f"-p=builtin.module({natives})", REPRODUCER)

    assert done.returncode == 1
    said = (
        f"Pipeline failed while executing [`{natives}` on 'builtin.module' operation]"
    )
    assert f"note: {said}: reproducer generated at `r.mlir`\n" in done.stderr
    assert "pass 'snapshot-op-locations' failed on" in done.stderr
    assert f'pipeline: "builtin.module({natives}' in Path("r.mlir").read_text("utf-8")
