"""The driver as a program: its flags, its listings, and its messages about errors."""

from __future__ import annotations

import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.dialects.builtin import UnitAttr

from passgen_runtime import INT64, OperationPass, PassOptions, PassRegistry, option
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.opt import main
from passgen_runtime.pass_registry import PipelineEntry, RegistryEntry
from passgen_runtime.passes.cse import CSE

pytestmark = pytest.mark.process

BASH = shutil.which("bash") or "bash"
PROGRAM = Path(sysconfig.get_path("scripts")) / "passgen-opt"
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
        "import sys; from passgen_runtime.opt import main; main(sys.argv[1:]);"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = call(sys.executable, "-c", program, *arguments)
    return set(done.stderr.splitlines()[-1].split())


def said(code: int, error: str, *arguments: str | Path) -> None:
    """Check that the program ends with `code` and says just `error`."""
    done = run(*arguments)

    assert (done.returncode, done.stderr) == (code, error)
    assert done.stdout == ""


def test_a_report_that_cannot_be_written_loses_no_ir(source: Path) -> None:
    done = run(source, "--cse", "--mlir-timing", "--info-output-file=/dev/full")

    assert done.returncode == 1
    assert done.stderr == "error: cannot write '/dev/full': No space left on device\n"
    assert done.stdout.count("arith.addi") == 2


# Passes as flags.


def test_passes_run_in_the_order_of_their_flags(source: Path) -> None:
    flags = (
        "-canonicalize",
        "--cse",
        "--dump-pass-pipeline=line",
        "-canonicalize=top-down=0",
    )

    done = run(source, *flags)

    assert done.returncode == 0
    printed = (
        "canonicalize{max-iterations=10 max-num-rewrites=-1 region-simplify=normal "
    )
    printed += "test-convergence=false top-down=%s}"
    assert done.stderr == (
        f"builtin.module({printed % 'true'},cse,{printed % 'false'})\n"
    )
    assert done.stdout.count("arith.addi") == 2


def test_pass_on_another_anchor_is_nested(source: Path) -> None:
    dump = "--dump-pass-pipeline=line"

    done = run(source, "--affine-loop-unroll=unroll-factor=2", dump)

    assert done.returncode == 0
    assert done.stderr.startswith("builtin.module(any(affine-loop-unroll{")
    assert " unroll-factor=2 " in done.stderr


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


def test_error_in_a_flag_has_its_place(source: Path) -> None:
    said(
        1,
        """\
command-line:1:34: error: for the --max-iterations option: 'x' value invalid for long argument!
--canonicalize=   max-iterations=x top-down
                                 ^
note: expected an integer of -9223372036854775808 to 9223372036854775807, decimal or prefixed 0x, 0b, 0o or 0
note: failed to add `canonicalize` with options `max-iterations=x top-down`
""",
        *(source, "--canonicalize=   max-iterations=x top-down"),
    )


def test_error_about_a_pass_of_mlir_names_the_flag(source: Path) -> None:
    said(
        1,
        """\
pass-pipeline:1:20: error: 'sccp' does not refer to a registered pass or pass pipeline
builtin.module(cse,sccp)
                   ^~~~
note: 'sccp' is a pass of MLIR's: --ir=mlir runs it
""",
        *(source, "-p", "builtin.module(cse,sccp)"),
    )


def test_error_about_a_pass_that_is_only_declared_names_the_flag(source: Path) -> None:
    done = run(source, "-p", "builtin.module(func.func(affine-loop-fusion))")

    assert done.returncode == 1
    assert done.stderr.endswith(
        "\nnote: 'affine-loop-fusion' is a pass of MLIR's: --ir=mlir runs it\n"
    )


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


# Messages about the command line.


def unknown(argument: str) -> str:
    return f"Unknown command line argument '{argument}'.  Try: 'passgen-opt --help'"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--csee"], f"{unknown('--csee')}\npassgen-opt: Did you mean '--cse'?"),
        (["---cse"], f"{unknown('---cse')}\npassgen-opt: Did you mean '--cse'?"),
        (["--xyzzy-nothing-alike=1"], unknown("--xyzzy-nothing-alike=1")),
        (
            ["--verify-each=maybe"],
            (
                "for the --verify-each option: 'maybe' is invalid value for boolean "
                "argument! Try 0 or 1"
            ),
        ),
        (["--pass-pipeline"], "for the --pass-pipeline option: requires a value!"),
        (["-o"], "for the -o option: requires a value!"),
        *(
            (
                [f"--mlir-elide-elementsattrs-if-larger={number}"],
                (
                    "for the --mlir-elide-elementsattrs-if-larger option: "
                    f"'{shown}' value invalid for uint argument!"
                ),
            )
            for number, shown in (
                (-1, -1),
                ("9" * 5000, f"{'9' * 79}...{'9' * 19}"),
            )
        ),
        (
            ["--cse", "--pass-pipeline=builtin.module(cse)"],
            "'-pass-pipeline' option can't be used with individual pass options",
        ),
        ([f"--{'x' * 3000}"], unknown(f"--{'x' * 77}...{'x' * 18}")),
        (
            ["a", "b"],
            (
                "Too many positional arguments specified!\n"
                "passgen-opt: Can specify at most 1 positional arguments: "
                "See: passgen-opt --help"
            ),
        ),
        (
            ["--help-pass=csee"],
            (
                "'csee' does not refer to a registered pass or pass pipeline\n"
                "passgen-opt: did you mean 'cse'?"
            ),
        ),
        (
            ["--help-pass=sccp"],
            (
                "'sccp' does not refer to a registered pass or pass pipeline\n"
                "passgen-opt: 'sccp' is a pass of MLIR's: --ir=mlir runs it"
            ),
        ),
        (
            ["--sccp"],
            (
                "--sccp is not supported: 'sccp' is a pass of MLIR's: "
                "--ir=mlir runs it"
            ),
        ),
    ],
)
def test_wrong_usage(arguments: list[str], error: str) -> None:
    said(2, f"passgen-opt: {error}\n", *arguments)


@pytest.mark.parametrize("dashes", ["-", "--"])
def test_one_dash_or_two(dashes: str, source: Path) -> None:
    done = run(f"{dashes}cse", f"{dashes}verify-each=false", source)

    assert (done.returncode, done.stderr) == (0, "")


# Messages about the input and the output.


@pytest.mark.parametrize(
    "flag", ["mlir-generate-reproducer", "mlir-pass-pipeline-crash-reproducer"]
)
def test_empty_name_of_a_file(flag: str, source: Path) -> None:
    """A file to write besides the output is then not asked for, as in mlir-opt."""
    done = run(source, "--cse", f"--{flag}=")

    assert (done.returncode, done.stderr) == (0, "")
    assert run(source, "--cse", "-o=").returncode == 1


def test_missing_input(tmp_path: Path) -> None:
    path = tmp_path / "none.mlir"

    said(
        1, f"error: cannot open input file '{path}': No such file or directory\n", path
    )


def test_input_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "binary.mlir"
    path.write_bytes(b"module {\n\xff\n}")

    said(1, f"{path}:2: error: the input is not UTF-8: invalid start byte\n", path)


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


def test_output_that_cannot_be_written(tmp_path: Path, source: Path) -> None:
    for output in (tmp_path, tmp_path / "none" / "output.mlir"):
        done = run(source, "-o", output)

        assert done.returncode == 1
        assert done.stderr.startswith("error: cannot ")
        assert f"'{output}'" in done.stderr
        assert done.stderr.count("\n") == 1
        assert sorted(tmp_path.iterdir()) == [source]


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


def test_closed_pipe_on_standard_output(source: Path) -> None:
    command = f"sleep 1; '{PROGRAM}' '{source}'; echo $? >&2"

    done = call(BASH, "-c", f"({command}) | true")

    assert done.stderr == "error: cannot write standard output: Broken pipe\n1\n"


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


def test_closed_standard_input() -> None:
    done = call(BASH, "-c", f"'{PROGRAM}' <&-")

    error = "error: cannot open input file '<stdin>': it is closed\n"
    assert (done.returncode, done.stderr) == (1, error)


def test_without_xdsl_a_run_says_what_to_install(
    source: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("passgen_runtime.opt.ir_library.find_spec", lambda _: None)

    assert main([str(source), "--cse"]) == 1

    assert capsys.readouterr().err == (
        "error: xDSL is not installed, and this driver reads IR with it: install "
        "'mlir-passgen-runtime[xdsl]', or read it by MLIR's bindings with --ir=mlir\n"
    )


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


def test_nested_pipeline_that_matched_nothing_is_reported(source: Path) -> None:
    pipeline = "builtin.module(func.func(cse),gpu.module(cse))"

    done = run(source, f"--pass-pipeline={pipeline}")

    assert done.returncode == 0
    assert done.stderr == (
        "pass-pipeline: warning: the nested pipeline gpu.module(cse) matched no "
        "operation\n"
    )


def test_anchor_that_is_no_operation(source: Path) -> None:
    pipeline = "--pass-pipeline=builtin.module(func.fun(cse))"
    shown = """\
func.fun' does not refer to a registered operation
builtin.module(func.fun(cse))
               ^~~~~~~~
note: did you mean 'func.func'?
"""

    said(1, f"pass-pipeline:1:16: error: '{shown}", source, pipeline)
    done = run(source, pipeline, "--allow-unregistered-dialect")

    assert done.returncode == 0
    assert f"pass-pipeline:1:16: warning: '{shown}" in done.stderr


# Version, help, lists of passes, completion.


def test_the_driver_runs_as_a_module_too() -> None:
    done = call(sys.executable, "-m", "passgen_runtime.opt", "--version")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == run("--version").stdout != ""


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_version_and_help_do_not_import_xdsl(flag: str) -> None:
    assert "xdsl" not in imported_by(flag)


def test_help_shows_options_with_types_and_defaults() -> None:
    lines = run("-help").stdout.splitlines()

    assert "usage: passgen-opt [FLAG]... [INPUT]" in lines
    start = lines.index(
        "  --canonicalize[=OPTIONS]        Bring operations into their "
        "canonical form"
    )
    assert lines[start + 1] == (
        "      top-down=bool               Visit operations in program order first;"
    )
    assert lines[start + 2].strip() == "otherwise in reverse (default: true)"
    assert "      region-simplify=disabled|normal|aggressive" in lines


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


class Listed(OperationPass[PassOptions]):
    """Be listed.

    At length.
    """

    argument = "listed"
    summary = "Be listed"
    anchor = "func.func"
    dependent_dialects = ("arith",)

    def run_on_operation(self) -> None:
        """Do nothing."""


class Declared(OperationPass[PassOptions]):
    """Be declared; nothing implements it."""

    argument = "declared"
    summary = "Be declared"


class Meddles(OperationPass[PassOptions]):
    """Changes an operation that it does not run on."""

    argument = "meddles"
    anchor = "func.func"

    def run_on_operation(self) -> None:
        self.operation.parent_op().attributes["meddled"] = UnitAttr()


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
    again = f"note: at test_opt.py:{lines['recurse(depth - 1)']}, in recurse\n"

    code = main([str(source), "--raises"], registry=registry)

    assert code == 1
    assert capsys.readouterr().err == (
        f"error: pass 'raises' failed on 'builtin.module' operation at {source}:0:0\n"
        "note: it raised KeyError: 0\n"
        "note: in the pipeline builtin.module(raises)\n"
        f"note: at test_opt.py:{lines['recurse(20)']}, in run_on_operation\n"
        f"{3 * again}"
        "note: 14 more in between\n"
        f"{3 * again}"
        f"note: at test_opt.py:{lines['raise KeyError(depth)']}, in recurse\n"
        "note: for a reproducer, add "
        "--mlir-pass-pipeline-crash-reproducer=reproducer.mlir\n"
    )


def test_own_registry_is_all_that_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    registry = PassRegistry()
    registry.register_pass(Listed)
    registry.register_pass(Declared)
    registry.register_pipeline("all", "Everything", lambda _: None)

    assert main(["--list-passes"], registry=registry) == 0
    assert capsys.readouterr().out == (
        "declared  Be declared (not implemented)\n"
        "listed    Be listed\n"
        "all       Everything\n"
    )
    assert main(["--help-pass", "listed"], registry=registry) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[:4] == [
        "listed: Be listed",
        "",
        "runs on: func.func",
        "dependent dialects: arith",
    ]
    assert shown[-1] == "At length."


@dataclass(kw_only=True)
class ReplacedOptions(PassOptions):
    size: int = option("size", INT64, cpp_default="kSize", deprecated="Leave it out.")


class Replaced(OperationPass[ReplacedOptions]):
    argument = "replaced"
    summary = "Do it"
    unknown_anchor = "xyz::Op"
    deprecated = "Use 'listed' instead."

    def run_on_operation(self) -> None:
        pass


def test_help_tells_what_is_deprecated_and_what_only_cpp_knows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    registry = PassRegistry()
    registry.register_pass(Replaced)

    assert main(["--list-passes"], registry=registry) == 0
    assert capsys.readouterr().out == "replaced  Do it (deprecated)\n"
    assert main(["--help"], registry=registry) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["--replaced[=OPTIONS]", "Do", "it", "(deprecated)"] in lines
    assert ["size=int64", "(default", "in", "C++:", "kSize)", "(deprecated)"] in lines
    assert main(["--help-pass=replaced"], registry=registry) == 0

    shown = capsys.readouterr().out.splitlines()
    assert "deprecated: Use 'listed' instead." in shown
    assert "runs on: operations that only C++ names: xyz::Op" in shown
    assert shown[-2:] == [
        "  size=int64 (default in C++: kSize)",
        "      deprecated: Leave it out.",
    ]


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("passgen-opt --affine-loop-unroll-", ["--affine-loop-unroll-jam"]),
        ("passgen-opt -dump", ["-dump-pass-pipeline"]),
        ("passgen-opt --allow-unreg", ["--allow-unregistered-dialect"]),
        ("passgen-opt --verify-each=", ["false", "true"]),
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
            "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}",
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

        def lookup(self, argument: str) -> RegistryEntry | PipelineEntry | None:
            self.num_lookups += 1
            return super().lookup(argument)

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

        said = capsys.readouterr()
        assert (code, said.err.count("'unknown.op' does not refer to a")) == (0, 1)
        counts.append((registry.num_lookups, said.out.count("// -----")))

    (once, _), (split, num_marks) = counts
    assert (num_marks, split) == (2, once)
