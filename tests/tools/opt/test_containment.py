"""Passes that end their process: what is around them, and how the driver goes on.

How endings are told is in `tests/runtime/filecheck/process/contain-endings.mlir`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from passgen_tools.opt import main

pytestmark = pytest.mark.process

TWO = """\
builtin.module {
  func.func @a() {
    func.return
  }
  builtin.module @inner {
    func.func @b() {
      func.return
    }
  }
}
"""
DRIVER = """\
import ctypes, os, sys, threading, time
from passgen_runtime import (
    OperationPass, PassOptions, PassRegistry, parse_pass_manager
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.opt import console_main
from passgen_runtime.passes import register_all_passes

def say_process():
    print(os.getpid(), file=sys.stderr, flush=True)

def wait(library=ctypes.CDLL):
    say_process()
    library(None).sleep(20)
    print("goes on", file=sys.stderr, flush=True)

met = threading.Barrier(2, timeout=20)

class Deadly(OperationPass[PassOptions]):
    argument = "deadly"
    anchor = "func.func"

    def run_on_operation(self) -> None:
        name = self.operation.sym_name.data
        %s

class Outer(OperationPass[PassOptions]):
    argument = "outer"

    def run_on_operation(self) -> None:
        text = "builtin.module(func.func(deadly))"
        pipeline = parse_pass_manager(text, self.context, registry)
        self.run_pipeline(pipeline, self.operation)

registry = PassRegistry()
register_all_passes(registry)
registry.register_pass(Deadly)
registry.register_pass(Outer)
%s
"""
CALLS_DRIVER = "console_main(registry=registry)"
PIPELINE = "builtin.module(builtin.module(func.func(cse,deadly)))"
SAID = f"""\
two.mlir:1:1: error: Failures have been detected while processing an MLIR pass pipeline
builtin.module {{
^
two.mlir:1:1: note: Pipeline failed while executing [`Deadly` on 'func.func' operation: @b]
error: the process was ended %s while pass 'deadly' ran on 'func.func' operation: @inner/@b at two.mlir:6:5
note: in the pipeline {PIPELINE}
%snote: for a reproducer, add --mlir-pass-pipeline-crash-reproducer=reproducer.mlir
"""


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.mlir").write_text(TWO, encoding="utf-8")
    return tmp_path


def command(death: str, *arguments: str, end: str = CALLS_DRIVER) -> list[str]:
    """Write a driver whose pass runs `death`, and which runs `end`; return its call."""
    Path("driver.py").write_text(DRIVER % (death, end), encoding="utf-8")
    return ["python", "driver.py", *arguments]


def true_command(death: str, *arguments: str, end: str = CALLS_DRIVER) -> list[str]:
    """Return the call of a driver that is to get signals."""
    return [sys.executable, *command(death, *arguments, end=end)[1:]]


def opt(
    death: str, *arguments: str, end: str = CALLS_DRIVER, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(death, *arguments, end=end),
        capture_output=True,
        check=False,
        input=stdin,
        text=True,
        timeout=60,
    )


def test_a_process_that_is_killed_from_outside_is_reported() -> None:
    driver = subprocess.Popen(
        command("wait()", "two.mlir", "--contain", f"-p={PIPELINE}"),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert driver.stderr is not None
    with driver.stderr as stderr:
        os.kill(int(stderr.readline()), signal.SIGKILL)
        said = stderr.read()

    assert driver.wait() == 1
    why = "SIGKILL cannot be caught; the kernel sends it when memory runs out"
    assert said == SAID % ("by SIGKILL", f"note: no Python stack: {why}\n")


@pytest.mark.parametrize(
    ("library", "without_prctl"),
    [
        pytest.param(
            "ctypes.PyDLL",  # holds the interpreter's lock
            False,
            marks=pytest.mark.skipif(sys.platform != "linux", reason="needs prctl"),
        ),
        ("ctypes.CDLL", True),
    ],
    ids=["in native code", "elsewhere than on Linux"],
)
@pytest.mark.start
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_outlives_the_driver(
    library: str, sent: signal.Signals, *, without_prctl: bool
) -> None:
    elsewhere = "sys.platform = 'another'\n" if without_prctl else ""
    run = true_command(
        f"wait({library})",
        *("two.mlir", f"-p={PIPELINE}", "--mlir-pass-pipeline-crash-reproducer=r.mlir"),
        end=f"{elsewhere}{CALLS_DRIVER}",
    )
    driver = subprocess.Popen(run, stderr=subprocess.PIPE, text=True)
    assert driver.stderr is not None
    with driver.stderr as stderr:
        contained = int(stderr.readline())
        driver.send_signal(sent)
        code = driver.wait()
        # The stream ends when the last process that has it open has ended.
        assert (contained != driver.pid, stderr.read()) == (True, "")

    assert code == (130 if sent is signal.SIGINT else -sent)
    assert "deadly" in Path("r.mlir").read_text(encoding="utf-8")


@pytest.mark.start
def test_control_c_ends_both_processes() -> None:
    """A terminal sends the signal to all processes of the group."""
    driver = subprocess.Popen(
        true_command("wait()", "two.mlir", "--contain", f"-p={PIPELINE}"),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert driver.stderr is not None
    with driver.stderr as stderr:
        stderr.readline()
        os.killpg(driver.pid, signal.SIGINT)
        assert (driver.wait(), stderr.read()) == (130, "")


PARTS = """\
func.func @a() { func.return }
// -----
func.func @b() { func.return }
// -----
func.func @c() { func.return }
// -----
func.func @b() { func.return }
"""


def test_the_other_parts_of_the_input_are_processed() -> None:
    flags = ("--split-input-file", "-p=builtin.module(func.func(deadly))", "--contain")
    done = opt(
        "name == 'b' and os.abort()",
        *(*flags, "--mlir-pass-statistics", "--dump-pass-pipeline=line"),
        stdin=PARTS,
    )

    assert done.returncode == 1
    assert [
        line for line in done.stdout.splitlines() if "@" in line or "//" in line
    ] == [
        "  func.func @a() {",
        "// -----",
        "// -----",
        "  func.func @c() {",
        "// -----",
    ]
    places = [line for line in done.stderr.splitlines() if "ended by" in line]
    assert [place.rpartition("@b at ")[2] for place in places] == [
        "<stdin>:3:1",
        "<stdin>:7:1",
    ]
    assert done.stderr.count("builtin.module(func.func(deadly))\n") == 4 + 2
    assert done.stderr.count("Pass statistics report") == 2


CRASHING = """\
// expected-error@+2 {{Failures have been detected while processing an MLIR pass}}
// expected-note@+1 {{Pipeline failed while executing}}
module {
  func.func @a() { return }
}
// -----
module @fine {}
"""


@pytest.mark.parametrize(
    ("flags", "code"),
    [([], 1), (["--verify-diagnostics"], 0)],
    ids=["plain", "verify-diagnostics"],
)
def test_the_driver_goes_on_with_a_reproducer(flags: list[str], code: int) -> None:
    Path("crashing.mlir").write_text(CRASHING, encoding="utf-8")
    run = ["python", "-m", "tests.passgen_test_opt", "crashing.mlir"]
    run += ["--split-input-file", "--mlir-pass-pipeline-crash-reproducer=r.mlir"]
    run += ["--pass-pipeline=builtin.module(func.func(test-pass-crash))", *flags]
    root = str(Path(__file__).parents[3])
    path = os.pathsep.join((root, os.environ.get("PYTHONPATH", "")))
    done = subprocess.run(
        run,
        capture_output=True,
        check=False,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )

    assert done.returncode == code
    assert done.stdout.count("builtin.module @fine") == 1
    if not flags:
        assert done.stderr.startswith(
            "crashing.mlir:3:1: error: Failures have been detected while processing an "
            "MLIR pass pipeline\n"
            "module {\n"
            "^\n"
            "crashing.mlir:3:1: note: Pipeline failed while executing "
            "[`TestCrashRecoveryPass` on 'func.func' operation: @a]: reproducer "
            "generated at `r.mlir`\n"
            "error: the process was ended by SIGABRT while pass 'test-pass-crash' ran "
            "on 'func.func' operation: @a at crashing.mlir:4:3\n"
        )
    assert "func.func(test-pass-crash)" in Path("r.mlir").read_text(encoding="utf-8")


def test_a_crash_without_a_reproducer_is_an_error_that_may_be_expected() -> None:
    text = TWO.replace("builtin.module {", "// expected-error@+1 {{other}}\nmodule {")
    Path("two.mlir").write_text(text, encoding="utf-8")

    done = opt(
        "os.abort()", "two.mlir", "--contain", "--verify-diagnostics", "--deadly"
    )

    assert done.returncode == 1
    assert "two.mlir:2:1: error: unexpected error: Failures have" in done.stderr


@pytest.mark.parametrize("local", [False, True], ids=["full", "local"])
def test_a_reproducer_on_standard_output_is_written(*, local: bool) -> None:
    flags = ["--mlir-disable-threading", "--mlir-pass-pipeline-local-reproducer"]
    done = opt(
        "os.abort()",
        *("two.mlir", f"-p={PIPELINE}", "--mlir-pass-pipeline-crash-reproducer=-"),
        *(flags if local else ()),
    )

    assert done.returncode == 1
    assert "func.func @b()" in done.stdout
    assert f'pipeline: "{PIPELINE}"' in done.stdout
    assert "reproducer generated at `-`" in done.stderr


def test_passes_inside_one_another_are_named() -> None:
    done = opt("os._exit(1)", "two.mlir", "--contain", "-p=builtin.module(outer)")

    assert "[`Outer` on 'builtin.module' operation, `Deadly` on " in done.stderr
    assert (
        "with exit code 1 while pass 'deadly' ran on 'func.func' operation: @a at "
        "two.mlir:2:3\n"
        "note: meanwhile, pass 'outer' ran on 'builtin.module' operation at two.mlir:1:1\n"
    ) in done.stderr


@pytest.mark.parametrize(
    ("death", "is_known"), [("os._exit(1)", False), ("os.abort()", True)]
)
def test_the_pass_in_the_thread_that_has_crashed_is_named(
    death: str, *, is_known: bool
) -> None:
    text = TWO.replace("builtin.module @inner {", "").replace("  }\n}\n", "}\n", 1)
    Path("two.mlir").write_text(text, encoding="utf-8")
    done = opt(
        f"met.wait(); {death} if name == 'b' else time.sleep(20)",
        *("two.mlir", "--contain", "-p=builtin.module(func.func(deadly))"),
        "--mlir-disable-threading=false",
    )

    assert "pass 'deadly' ran on 'func.func' operation: @b" in done.stderr
    assert ("operation: @a" not in done.stderr) == is_known


def test_a_crash_while_no_pass_runs_is_reported() -> None:
    end = """\
class Crashing(XDSLContext):
    def parse(self, *_, **__):
        os.abort()
console_main(registry=registry, make_context=lambda **_: Crashing())"""
    done = opt("pass", "two.mlir", "--contain", "--cse", end=end)

    assert (done.returncode, done.stdout) == (1, "")
    message = "the process was ended by SIGABRT while no pass ran"
    assert done.stderr.startswith(f"<unknown>:0: error: {message}\nnote: at ")
    assert done.stderr.endswith(", in parse: os.abort()\n")


def test_a_crash_before_there_is_any_input_is_reported() -> None:
    Path("crashing.py").write_text("import os\nos.abort()\n", encoding="utf-8")

    done = opt("pass", "two.mlir", "--contain", "--load-pass-plugin=crashing")

    assert (done.returncode, done.stdout) == (1, "")
    message = "error: the process was ended by SIGABRT while no pass ran\n"
    assert done.stderr.startswith(message)


def test_a_crash_while_a_crash_is_reported_ends_the_run() -> None:
    end = """\
def make(**_):
    if os.path.exists("seen"):
        os.abort()
    return XDSLContext()
console_main(registry=registry, make_context=make)"""
    done = opt(
        "open('seen', 'x'); os.abort()",
        *("two.mlir", "--contain", "-p=builtin.module(func.func(deadly))"),
        end=end,
    )

    assert (done.returncode, done.stdout) == (1, "")
    message = "error: the process was ended by SIGABRT while pass 'deadly' ran on"
    assert done.stderr.startswith(message)


@pytest.mark.parametrize("flag", ["--contain", "--contain=true", "--timeout=1"])
def test_only_a_program_is_contained(
    flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["two.mlir", flag]) == 2
    name = flag.partition("=")[0]
    assert capsys.readouterr().err.splitlines() == [
        f"passgen-opt: for the {name} option: only a program can be contained",
        "passgen-opt: call console_main() instead of main()",
    ]


def test_a_time_limit_needs_containment(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["two.mlir", "--timeout=1", "--contain=false"]) == 2
    assert capsys.readouterr().err == (
        "passgen-opt: for the --timeout option: it needs --contain\n"
    )


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        (["--contain"], 2),
        (["--mlir-pass-pipeline-crash-reproducer=r.mlir", "--contain"], 2),
        (["--mlir-pass-pipeline-crash-reproducer=r.mlir"], -6),
        (["--mlir-pass-pipeline-crash-reproducer=r.mlir", "--contain=false"], -6),
    ],
    ids=str,
)
def test_a_program_with_threads_is_not_forked(flags: list[str], code: int) -> None:
    thread = "threading.Thread(target=time.sleep, args=(20,), daemon=True).start()"
    arguments = ("two.mlir", f"-p={PIPELINE}", *flags)

    done = opt("os.abort()", *arguments, end=f"{thread}\n{CALLS_DRIVER}")

    assert done.returncode == code
    assert ("this program has started threads" in done.stderr) == (code == 2)
    assert Path("r.mlir").exists() == ("--contain" not in flags)


FORKS = """\
if os.fork() == 0:
            sys.exit("child")
        os.wait()
        os.abort()"""


def test_a_process_that_a_pass_forks_leaves_the_notes_alone() -> None:
    done = opt(FORKS, "two.mlir", f"-p={PIPELINE}", "--contain")

    assert done.returncode == 1
    running = "pass 'deadly' ran on 'func.func' operation: @inner/@b at two.mlir:6:5"
    assert f"the process was ended by SIGABRT while {running}\n" in done.stderr
    assert f"note: in the pipeline {PIPELINE}\n" in done.stderr


def test_a_run_that_goes_well_is_as_without() -> None:
    flags = ("--mlir-timing", "--mlir-pass-statistics", f"-p={PIPELINE}")
    plain, contained = (
        opt("pass", "two.mlir", *flags, *more) for more in ((), ("--contain",))
    )

    assert contained.returncode == plain.returncode == 0
    assert contained.stdout == plain.stdout
    assert [line.split()[-1:] for line in contained.stderr.splitlines()] == [
        line.split()[-1:] for line in plain.stderr.splitlines()
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="Linux names the processes left")
def test_a_process_that_a_pass_has_started_ends_at_the_time_limit() -> None:
    start = "subprocess.Popen(['sleep', '60'], start_new_session=True)"
    death = f"import subprocess; print({start}.pid, flush=True); time.sleep(60)"

    done = opt(death, "two.mlir", "--timeout=1", f"-p={PIPELINE}")

    pid = int(done.stdout.splitlines()[0])
    assert "the time limit of 1 s has passed" in done.stderr
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
