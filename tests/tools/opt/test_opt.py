"""The driver as a program: its streams, its completion, and what it imports."""

from __future__ import annotations

import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from xdsl.dialects.builtin import UnitAttr

from passgen_runtime import OperationPass, PassOptions, PassRegistry
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.pass_registry import PipelineEntry, RegistryEntry
from passgen_runtime.passes.cse import CSE
from passgen_tools.opt import main

pytestmark = pytest.mark.process

BASH = shutil.which("bash") or "bash"
PROGRAM = "passgen-opt"
MODULE = """\
func.func @f(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = arith.addi %x, %x : i32
  %c = arith.addi %a, %b : i32
  return %c : i32
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "input.mlir"
    path.write_text(MODULE)
    return path


def call(*command: str | Path, **kwargs: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # type: ignore[call-overload,no-any-return] # as given
        command, capture_output=True, text=True, check=False, **kwargs
    )


def run(*arguments: str | Path, **kwargs: object) -> subprocess.CompletedProcess[str]:
    return call(PROGRAM, *arguments, **kwargs)


def imported_by(*arguments: str | Path) -> set[str]:
    """Return the modules that a call of the driver has imported."""
    program = (
        "import sys; from passgen_tools.opt import main; main(sys.argv[1:]);"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = call(sys.executable, "-c", program, *arguments)
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize(
    ("pipeline", "imported"),
    [
        ("builtin.module(cse)", set()),
        ("builtin.module(sccp)", {"passgen_runtime.ir.mlir.known_passes"}),
    ],
)
def test_names_of_mlirs_passes_are_imported_for_a_mistake_only(
    pipeline: str, imported: set[str], source: Path
) -> None:
    modules = imported_by(source, "-p", pipeline)

    assert {each for each in modules if each.endswith(".known_passes")} == imported
    assert not {
        each for each in modules if each.partition(".")[0] in {"mlir", "jaxlib"}
    }


def test_a_run_without_passes_imports_no_hashes(source: Path) -> None:
    assert "hashlib" not in imported_by(source, "-p", "builtin.module()")


@pytest.mark.parametrize("argument", [f"--{'x' * 3000}", f"--timeout={'9' * 5000}"])
def test_long_arguments_are_shown_in_part(
    argument: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([argument]) == 2

    said = capsys.readouterr().err
    assert f"{argument[-1] * 77}..." in said
    assert len(said) < 400


def test_input_that_is_no_text(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source.write_bytes(b"module {\n\xff\n}")

    assert main([str(source)]) == 1
    assert capsys.readouterr().err == (
        f"{source}:2: error: the input is not UTF-8: invalid start byte\n"
    )


@pytest.mark.parametrize("flag", ["--ir=xdsl", "--ir=mlir", "--ir=mlir:jaxlib.mlir"])
def test_driver_with_contexts_of_its_own_refuses_to_choose_the_ir(
    flag: str, source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def make_context(*, allow_unregistered: bool) -> XDSLContext:
        return XDSLContext(allow_unregistered=allow_unregistered)

    arguments = [str(source), "--cse"]
    assert main(arguments, make_context=make_context) == 0
    assert main([*arguments, flag], make_context=make_context) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(
        "passgen-opt: for the --ir option: this driver makes the contexts itself"
    )
    assert second == "passgen-opt: leave the option out, or use passgen-opt"


@pytest.mark.start
def test_closed_pipe_on_standard_output(source: Path) -> None:
    command = f"sleep 1; '{PROGRAM}' '{source}'; echo $? >&2"

    done = call(BASH, "-c", f"({command}) | true")

    assert done.stderr == "error: cannot write standard output: Broken pipe\n1\n"


@pytest.mark.start
@pytest.mark.parametrize("flags", ["--cse", "--cse --contain"])
@pytest.mark.parametrize(
    ("redirection", "code", "error"),
    [
        (">&-", 1, "error: cannot write standard output: it is closed\n"),
        ("2>&-", 0, ""),
        ("<&- >&- 2>&-", 1, ""),
    ],
)
def test_closed_streams(
    redirection: str, code: int, error: str, flags: str, source: Path
) -> None:
    done = call(BASH, "-c", f"'{PROGRAM}' '{source}' {flags} {redirection}")

    assert (done.returncode, done.stderr) == (code, error)


@pytest.mark.start
def test_closed_standard_input() -> None:
    done = call(BASH, "-c", f"'{PROGRAM}' <&-")

    error = "error: cannot open input file '<stdin>': it is closed\n"
    assert (done.returncode, done.stderr) == (1, error)


def test_without_xdsl_a_run_says_what_to_install(
    source: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("passgen_tools.ir_libraries.find_spec", lambda _: None)

    assert main([str(source), "--cse"]) == 1

    assert capsys.readouterr().err == (
        "error: xDSL is not installed, and this driver reads IR with it: install "
        "'mlir-passgen-tools[xdsl]', or read it by MLIR's bindings with --ir=mlir\n"
    )


@pytest.mark.start
def test_output_is_utf_8_whatever_the_locale_says(source: Path) -> None:
    source.write_text(
        'func.func private @f() attributes {name = "é"}\n', encoding="utf-8"
    )

    done = subprocess.run(
        [PROGRAM, source],
        capture_output=True,
        check=False,
        env={
            **os.environ,
            "LC_ALL": "C",
            "PYTHONUTF8": "0",
            "PYTHONIOENCODING": "ascii",
        },
    )

    assert done.stderr == b""
    assert '"é"'.encode() in done.stdout or b"\\C3\\A9" in done.stdout


# Version, help, lists of passes, completion.


@pytest.mark.start
def test_the_driver_runs_as_a_module_too() -> None:
    done = call(sys.executable, "-m", "passgen_tools.opt", "--version")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run("--version").stdout != ""


@pytest.mark.start
@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_version_and_help_do_not_import_xdsl(flag: str) -> None:
    assert "xdsl" not in imported_by(flag)


def test_help_fits_a_terminal() -> None:
    left, right = r" {2,6}-.*", r" {34}\S+"  # a flag, or a word, that nothing can break
    long = [line for line in run("--help").stdout.splitlines() if len(line) > 80]

    assert [line for line in long if not re.fullmatch(f"{left}|{right}", line)] == []


def test_examples_of_the_help_work(source: Path) -> None:
    examples = run("--help").stdout.partition("examples:\n")[2].replace("\\\n", "")
    source.rename(source.parent / "input.mlir")

    for line in examples.splitlines():
        program, *arguments = shlex.split(line)
        done = run(*arguments, cwd=source.parent)

        assert (program, done.returncode) == ("passgen-opt", 0), (line, done.stderr)


class Meddles(OperationPass[PassOptions]):
    """Changes an operation that it does not run on."""

    argument = "meddles"
    anchor = "func.func"

    def run_on_operation(self) -> None:
        self.operation.parent_op().attributes["meddled"] = UnitAttr()


@pytest.mark.slow
@pytest.mark.process
def test_audit_fails_and_names_the_pass_that_broke_a_rule(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registry = PassRegistry()
    registry.register_pass(Meddles)

    code = main([str(source), "--meddles", "--audit"], registry=registry)

    said = capsys.readouterr().err
    assert code == 1
    assert said.count("pass 'meddles' on 'func.func' operation") == 1
    assert said.endswith("error: the audit found 1 violation\n")


class Raises(OperationPass[PassOptions]):
    """Raises, in a call of its own."""

    argument = "raises"

    def run_on_operation(self) -> None:
        recurse(20)


def recurse(depth: int) -> None:
    if not depth:
        raise KeyError(depth)
    recurse(depth - 1)


def test_an_exception_of_a_pass_is_reported_with_the_calls_that_led_to_it(
    source: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parent)
    registry = PassRegistry()
    registry.register_pass(Raises)
    lines = {
        line.strip(): number
        for number, line in enumerate(Path(__file__).read_text().splitlines(), 1)
    }

    def note(code: str, function: str) -> str:
        return f"note: at test_opt.py:{lines[code]}, in {function}: {code}\n"

    again = note("recurse(depth - 1)", "recurse")

    code = main([str(source), "--raises"], registry=registry)

    assert code == 1
    assert capsys.readouterr().err == (
        f"error: pass 'raises' failed on 'builtin.module' operation at {source}:0:0\n"
        "note: it raised KeyError: 0\n"
        "note: in the pipeline builtin.module(raises)\n"
        f"{note('recurse(20)', 'run_on_operation')}"
        f"{3 * again}"
        "note: 14 more in between\n"
        f"{3 * again}"
        f"{note('raise KeyError(depth)', 'recurse')}"
        "note: for a reproducer, add "
        "--mlir-pass-pipeline-crash-reproducer=reproducer.mlir\n"
    )


def test_an_exception_of_a_pass_is_no_diagnostic_that_was_compared(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registry = PassRegistry()
    registry.register_pass(Raises)

    code = main([str(source), "--raises", "--verify-diagnostics"], registry=registry)

    assert code == 1
    assert "note: it raised KeyError: 0\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("passgen-opt --affine-loop-u", ["--affine-loop-unroll"]),
        ("passgen-opt -dump", ["-dump-pass-pipeline"]),
        ("passgen-opt --allow-unreg", ["--allow-unregistered-dialect"]),
        ("passgen-opt --verify-each=", ["all", "end", "false", "true"]),
        ("passgen-opt --canonicalize=max-i", ["max-iterations="]),
        ("passgen-opt --canonicalize='top-down=f", ["false"]),
        ("passgen-opt --canonicalize='top-down=false region-simplify=d", ["disabled"]),
        ("passgen-opt -p 'built", ["builtin.module("]),
        ("passgen-opt -p 'any(cse, topolog", ["topological-sort"]),
        ("passgen-opt -p 'any(canonicalize{top-d", ["top-down"]),
        ("passgen-opt -p 'any(canonicalize{region-simplify=n", ["normal"]),
        ("passgen-opt --help-pass=cs", ["cse", "csl-", "csl_"]),
        ("passgen-opt --mlir-print-ir-after=topolog", ["topological-sort"]),
        ("passgen-opt --print-ir-before cse,canonicalize,topo", ["topological-sort"]),
        ("passgen-opt --arith-add-fastmath=flags=no", ["none"]),
        ("passgen-opt --load-pass-plugin=topolog", []),  # no pass is a plugin
        ("passgen-opt --no-such-pass=", []),
        ("passgen-opt input", []),
    ],
)
def test_completion(line: str, completed: list[str]) -> None:
    found = run(f"--complete={line}").stdout.splitlines()[1:]

    if line.endswith("=cs"):
        assert "cse" in found
        assert all(each.startswith("cs") for each in found)
    else:
        assert found == completed


@pytest.mark.start
def test_bash_completes_a_pipeline() -> None:
    script = run("--completion=bash").stdout
    primary, secondary = pty.openpty()
    bash = subprocess.Popen(
        [BASH, "--norc", "--noprofile", "-i"],
        stdin=secondary,
        stdout=secondary,
        stderr=secondary,
        start_new_session=True,
        env={
            **os.environ,
            "PS1": "$ ",
        },
    )
    os.close(secondary)
    try:
        os.write(primary, script.encode())
        os.write(primary, b"clear\npassgen-opt -p 'any(topologic\t")
        seen = b""
        end = time.monotonic() + 60
        while b"any(topological-sort" not in seen and time.monotonic() < end:
            seen += os.read(primary, 4096)
    finally:
        bash.kill()
        bash.wait()
        os.close(primary)

    assert b"any(topological-sort" in seen


PARTS = """\
func.func @a() { func.return }
// -----
func.func @b() { func.return }
// -----
func.func @c() { func.return }
"""


def test_a_pipeline_is_parsed_once_for_all_parts_of_the_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Counting(PassRegistry):
        num_lookups = 0

        def lookup(
            self, argument: str, library: str = ""
        ) -> RegistryEntry | PipelineEntry | None:
            self.num_lookups += 1
            return super().lookup(argument, library)

    path = tmp_path / "in.mlir"
    path.write_text(PARTS, encoding="utf-8")
    arguments = [str(path), "-p=builtin.module(func.func(cse),unknown.op(cse))"]
    counts = []
    for flags in (["--split-input-file=never"], ["--split-input-file"]):
        registry = Counting()
        registry.register_pass(CSE)

        code = main(
            [*arguments, "--allow-unregistered-dialect", *flags], registry=registry
        )

        assert code == 0
        counts.append((registry.num_lookups, capsys.readouterr().out.count("// -----")))

    (once, _), (split, num_marks) = counts
    assert (num_marks, split) == (2, once)


def test_pretty_pipeline_can_be_pasted_back(source: Path) -> None:
    dump = ("--dump-pass-pipeline=pretty", "-o", os.devnull)

    done = run(source, "--pass-pipeline=builtin.module(func.func(cse),cse)", *dump)

    assert done.stderr == """\
builtin.module(
  func.func(
    cse
  ),
  cse
)
"""
    assert run(source, "-p", done.stderr, *dump).stderr == done.stderr


def test_broken_input_leaves_the_output_alone(tmp_path: Path, source: Path) -> None:
    source.write_text("func.func @f() {")
    output = tmp_path / "output.mlir"
    output.write_text("before")

    done = run(source, "-o", output)

    assert done.returncode == 1
    assert done.stderr.startswith(f"{source}:1:17: error: ")
    assert "Traceback" not in done.stderr
    assert output.read_text() == "before"
    assert sorted(tmp_path.iterdir()) == [source, output]


def test_output_keeps_link_and_mode(tmp_path: Path, source: Path) -> None:
    target, link = tmp_path / "target.mlir", tmp_path / "link.mlir"
    target.write_text("")
    target.chmod(0o640)
    link.symlink_to(target)

    done = run(source, "-o", link)

    assert (done.returncode, done.stderr) == (0, "")
    assert link.is_symlink()
    assert target.read_text().startswith("builtin.module {")
    assert target.stat().st_mode & 0o777 == 0o640
