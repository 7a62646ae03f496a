"""A Python pass between two C++ passes has every feature of MLIR's own passes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from passgen_runtime import (
    OperationPass,
    PassOptions,
    PassRegistry,
    default_registry,
    parse_pass_manager,
    parse_pass_pipeline,
)
from passgen_runtime.context import Context
from passgen_runtime.ir.mlir import MLIRContext, mlir_registry
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.opt import main
from tests.mlir_bindings_needed import require_bindings
from tests.passgen_test_opt.generated.test_passes import registerTestPasses

SOURCE = """\
func.func @scale(%a: i32) -> i32 {
  %c8 = arith.constant 8 : i32
  %0 = arith.muli %a, %c8 : i32
  %1 = arith.muli %a, %c8 : i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
"""
PIPELINE = (
    "builtin.module(func.func(cse,test-strength-reduction{max-shift=%d},canonicalize))"
)
REDUCED = """\
module {
  func.func @scale(%arg0: i32) -> i32 {
    %c3_i32 = arith.constant 3 : i32
    %0 = arith.shli %arg0, %c3_i32 : i32
    %1 = arith.addi %0, %0 : i32
    return %1 : i32
  }
}

"""


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    require_bindings("mlir")
    monkeypatch.chdir(tmp_path)
    Path("scale.mlir").write_text(SOURCE, encoding="utf-8")
    return Path("scale.mlir")


def opt(*arguments: str | Path) -> int:
    registry = PassRegistry()
    registerTestPasses(registry)
    return main(["--ir=mlir", *map(str, arguments)], registry=registry)


def test_it_runs_with_its_options(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert opt(source, "-p", PIPELINE % 3) == 0
    assert capsys.readouterr() == (REDUCED, "")


def test_it_has_statistics(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert opt(source, "-p", PIPELINE % 3, "--mlir-pass-statistics") == 0
    output = capsys.readouterr()
    assert output.out == REDUCED
    assert output.err.strip().splitlines()[3:] == [
        "'func.func' Pipeline",
        "  CSE",
        "  TestStrengthReductionPass",
        "    (S) 1 num-reduced - Number of multiplications replaced",
        "  Canonicalizer",
    ]


def test_all_passes_are_in_the_timing_tree(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert opt(source, "-p", PIPELINE % 3, "--mlir-timing") == 0
    output = capsys.readouterr()
    assert output.out == REDUCED
    assert re.findall(r"%\)  (.*)", output.err) == [
        "Parser",
        "'func.func' Pipeline",
        "  CSE",
        "  TestStrengthReductionPass",
        "  Canonicalizer",
        "Output",
        "Rest",
        "Total",
    ]


def test_the_ir_is_printed_after_it(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flag = "--mlir-print-ir-after=test-strength-reduction,canonicalize"
    assert opt(source, "-p", PIPELINE % 3, flag) == 0
    assert capsys.readouterr().err == """\
// -----// IR Dump After TestStrengthReductionPass (test-strength-reduction) //----- //
func.func @scale(%arg0: i32) -> i32 {
  %c8_i32 = arith.constant 8 : i32
  %c3_i32 = arith.constant 3 : i32
  %0 = arith.shli %arg0, %c3_i32 : i32
  %1 = arith.addi %0, %0 : i32
  return %1 : i32
}

// -----// IR Dump After Canonicalizer (canonicalize) //----- //
func.func @scale(%arg0: i32) -> i32 {
  %c3_i32 = arith.constant 3 : i32
  %0 = arith.shli %arg0, %c3_i32 : i32
  %1 = arith.addi %0, %0 : i32
  return %1 : i32
}

"""


def test_its_failure_leaves_a_reproducer_that_fails_again_and_runs_once_mended(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flag = "--mlir-pass-pipeline-crash-reproducer=reproducer.mlir"
    assert opt(source, "-p", PIPELINE % 2, flag) == 1
    failure = capsys.readouterr()
    assert failure.out == ""
    assert "scale.mlir:3:8: error: shift by 3 exceeds 2" in failure.err
    assert "reproducer generated at `reproducer.mlir`" in failure.err
    reproducer = Path("reproducer.mlir").read_text(encoding="utf-8")
    assert (
        'pipeline: "builtin.module(func.func(cse,test-strength-reduction{max-shift=2},'
        'canonicalize))"'
    ) in reproducer

    assert opt("reproducer.mlir", "--run-reproducer") == 1
    assert "error: shift by 3 exceeds 2" in capsys.readouterr().err

    mended = reproducer.replace("max-shift=2", "max-shift=3")
    Path("reproducer.mlir").write_text(mended, encoding="utf-8")
    assert opt("reproducer.mlir", "--run-reproducer") == 0
    assert capsys.readouterr() == (REDUCED, "")


def test_a_native_pass_leaves_a_reproducer_too(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipeline = "builtin.module(cse,snapshot-op-locations{filename=no/dir/file})"
    flag = "--mlir-pass-pipeline-crash-reproducer=reproducer.mlir"
    assert opt(source, "-p", pipeline, flag) == 1
    said = capsys.readouterr().err
    natives = pipeline.removeprefix("builtin.module(").removesuffix(")")
    assert f"[`{natives}` on 'builtin.module' operation]: reproducer" in said
    assert "error: pass 'snapshot-op-locations' failed on 'builtin.module'" in said
    assert opt("reproducer.mlir", "--run-reproducer") == 1
    assert "its option 'filename' reaches beyond the IR" in capsys.readouterr().err
    assert opt("reproducer.mlir", "--run-reproducer", "--trust-reproducer") == 1
    assert "cannot open output file" in capsys.readouterr().err


def test_passes_in_the_default_registry_are_there(
    source: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A driver only has to register them."""
    registry = PassRegistry()
    monkeypatch.setattr("passgen_tools.ir_libraries.default_registry", registry)
    registerTestPasses(registry)
    assert main(["--ir=mlir", str(source), "-p", PIPELINE % 3]) == 0
    assert capsys.readouterr() == (REDUCED, "")


class NestsPipelines(OperationPass[PassOptions]):
    """Runs a textual pipeline of MLIR's own passes on its module."""

    argument = "nests-pipelines"
    anchor = "builtin.module"

    def run_on_operation(self) -> None:
        text = "builtin.module(func.func(cse,sccp))"
        manager = parse_pass_pipeline(text, mlir_registry())
        if not self.run_pipeline(manager, self.operation):
            self.signal_pass_failure()


def test_a_pass_spells_pipelines_of_the_passes_of_mlir(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registry = PassRegistry()
    registry.register_pass(NestsPipelines)

    assert main(["--ir=mlir", str(source), "--nests-pipelines"], registry=registry) == 0
    assert capsys.readouterr() == (
        REDUCED.replace("%c3_i32", "%c8_i32")
        .replace("constant 3", "constant 8")
        .replace("shli", "muli"),
        "",
    )


def test_the_default_registry_stays_as_it_is(source: Path) -> None:
    assert opt(source) == 0
    assert default_registry.lookup("sccp") is None


def test_the_help_describes_the_passes_of_this_ir(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If no driver has registered passes for xDSL in this process."""
    require_bindings("mlir")
    monkeypatch.setattr("passgen_tools.ir_libraries.default_registry", PassRegistry())
    assert main(["--ir=mlir", "--help"]) == 0

    text = capsys.readouterr().out
    assert "  --symbol-dce                    Eliminate dead symbols\n" in text
    assert "xDSL's passes" not in text


def test_plugins_are_listed_for_this_ir(capsys: pytest.CaptureFixture[str]) -> None:
    require_bindings("mlir")
    assert main(["--ir=mlir", "--list-plugins"]) == 0
    assert capsys.readouterr().err == ""


def test_a_program_goes_on_in_a_copy_of_the_process(source: Path) -> None:
    """MLIR's threads are not copied: a forked process must not wait for them."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from passgen_tools.opt import console_main; console_main()",
            "--ir=mlir",
            source,
            "-p",
            "builtin.module(inline,func.func(cse,canonicalize),any(cse))",
            "--mlir-pass-pipeline-crash-reproducer=reproducer.mlir",
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("module {\n  func.func @scale")


def test_input_cannot_go_unverified(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert opt(source, "--mlir-very-unsafe-disable-verifier-on-parsing") == 2
    assert "verify all IR that they parse" in capsys.readouterr().err


@pytest.mark.parametrize(
    "flag",
    ["--mlir-print-unique-ssa-ids", "--mlir-print-elementsattrs-with-hex-if-larger=1"],
)
def test_flags_that_the_bindings_cannot_obey_are_refused_before_any_pass(
    source: Path, capsys: pytest.CaptureFixture[str], flag: str
) -> None:
    """Also if no IR would be printed before the passes have run."""
    assert opt(source, flag, "-p", PIPELINE % 3, "-o", "out.mlir") == 1
    assert (
        "neither unique SSA ids nor a limit of decimal elements"
        in capsys.readouterr().err
    )
    assert opt("no-such-file.mlir", flag) == 1
    assert "decimal elements" in capsys.readouterr().err
    assert not Path("out.mlir").exists()


COUNTED = """\
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %0, %a : i32
  func.return %1 : i32
}
func.func private @g()
"""
STATISTICS = """\
===-------------------------------------------------------------------------===
                         ... Pass statistics report ...
===-------------------------------------------------------------------------===
TestOperationStatisticsPass
  (S) 2 num-matching   - Number of them whose name begins with the prefix
  (S) 5 num-operations - Number of operations inside

"""


@pytest.mark.parametrize("library", ["xdsl", "mlir", "jaxlib.mlir"])
def test_a_pass_that_uses_the_context_alone_runs_on_every_ir(library: str) -> None:
    require_bindings(library)
    context: Context = XDSLContext() if library == "xdsl" else MLIRContext(library)
    registry = PassRegistry()
    registerTestPasses(registry)
    pipeline = "builtin.module(test-operation-statistics{prefix=arith.})"
    manager = parse_pass_manager(pipeline, context, registry)
    manager.run(context.parse(COUNTED, "in.mlir"))
    assert manager.statistics_report() == STATISTICS
