"""Flags of the driver on MLIR's IR, in `passgen-opt --ir=mlir` and in `mlir-opt`."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from passgen_tools.opt import main
from tests.mlir_bindings_needed import require_bindings

Result: TypeAlias = tuple[int, str, str]
"""Exit code, output and errors."""

Both: TypeAlias = Callable[..., tuple[Result, Result]]
"""Runs `mlir-opt`, then ours, in a new folder with the given text in `in.mlir`."""

INPUTS = Path(__file__).with_name("mlir_inputs")

MISMATCH = """\
func.func @bad() -> i32 {
  // expected-error @below {{has 0 operands}}
  return
}
"""
NOT_BUFFERIZED = """\
func.func @add(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{op was not bufferized}}
  %0 = arith.addf %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
UNEXPECTED = """\
in.mlir:3:3: error: unexpected error: 'func.return' op has 0 operands, but enclosing \
function (@bad) returns 1
  return
  ^
"""
UNSHOWN = UNEXPECTED.replace("unexpected error: ", "")
SHOWN = f"""\
{UNSHOWN}\
in.mlir:3:3: note: see current operation: "func.return"() : () -> ()
"""
FAILED = """\
in.mlir:3:8: error: op was not bufferized
  %0 = arith.addf %a, %b : tensor<4xf32>
       ^
"""
THEN_OURS = """\
error: pass 'one-shot-bufferize' failed on 'builtin.module' operation at in.mlir:0:0
note: in the pipeline builtin.module(one-shot-bufferize)
note: for a reproducer, add --mlir-pass-pipeline-crash-reproducer=reproducer.mlir
"""
ALIASED = """\
#map = affine_map<(d0) -> (d0 + 1)>
func.func private @f(memref<8xf32, #map>)
"""
UNALIASED = """\
module {
  func.func private @f(memref<8xf32, affine_map<(d0) -> (d0 + 1)>>)
}
"""
BUFFERIZES = "--pass-pipeline=builtin.module(one-shot-bufferize)"
SHOWS_NONE = "--mlir-print-op-on-diagnostic=false"
LOCAL = "--mlir-print-local-scope"
ALL = "--mlir-print-ir-after-all"
ONE_THREAD = "--mlir-disable-threading"
NESTED = "--pass-pipeline=builtin.module(func.func(canonicalize,cse))"


def uncommented(text: str) -> str:
    """Return `text` without expectations, which `mlir-opt` always checks."""
    return text.replace("expected-", "")


PRINTING = """\
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    transform.print {name = "NAME"}
    transform.yield
  }
}
"""


@pytest.fixture
def both(
    mlir_opt: Path,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Both:
    require_bindings("mlir")
    monkeypatch.chdir(tmp_path)

    def run(text: str, *flags: str) -> tuple[Result, Result]:
        Path("in.mlir").write_text(text, encoding="utf-8")
        theirs = subprocess.run(
            [mlir_opt, "in.mlir", *flags], capture_output=True, text=True, check=False
        )
        code = main(["--ir=mlir", "in.mlir", *flags])
        ours = capfd.readouterr()
        return (theirs.returncode, theirs.stdout, theirs.stderr), (code, *ours)

    return run


@pytest.mark.parametrize(
    ("text", "flags", "said"),
    [
        (MISMATCH, ["--verify-diagnostics"], ""),
        (NOT_BUFFERIZED, ["--verify-diagnostics", BUFFERIZES], ""),
        (
            f"{NOT_BUFFERIZED}// -----\n{MISMATCH}",
            ["--verify-diagnostics", "--split-input-file", BUFFERIZES],
            "",
        ),
        (uncommented(MISMATCH), ["--verify-diagnostics"], UNEXPECTED),
        (uncommented(MISMATCH), [SHOWS_NONE], UNSHOWN),
        (uncommented(MISMATCH), [], SHOWN),
    ],
)
def test_diagnostics_show_the_operation_if_the_flags_say_so(
    text: str, flags: list[str], said: str, both: Both
) -> None:
    theirs, ours = both(text, *flags)
    assert ours == theirs
    assert ours[2] == said


def test_native_output_stands_before_the_ir_of_its_part(both: Both) -> None:
    parts = [PRINTING.replace("NAME", name) for name in "abc"]
    text = "// -----\n".join(parts)

    theirs, ours = both(text, "--split-input-file", "--transform-interpreter")

    assert ours == theirs
    assert [line for line in ours[1].splitlines() if line.startswith(("[", "//"))] == [
        "[[[ IR printer: a top-level ]]]",
        "// -----",
        "[[[ IR printer: b top-level ]]]",
        "// -----",
        "[[[ IR printer: c top-level ]]]",
    ]


@pytest.mark.parametrize("ir", ["--ir=mlir", "--ir=xdsl"])
def test_a_part_without_its_one_operation_is_reported_at_its_marker(
    mlir_opt: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], ir: str
) -> None:
    path = tmp_path / "parts.mlir"
    two = "func.func private @f()\nfunc.func private @g()\n"
    path.write_text(f"{two}// -----\n{two}// -----\n\n// -----\n  {two}")
    flags = [str(path), "--no-implicit-module", "--split-input-file"]
    theirs = subprocess.run(
        [mlir_opt, *flags], capture_output=True, text=True, check=False
    )

    assert main([ir, *flags]) == 1

    assert capfd.readouterr().err == theirs.stderr


def test_diagnostics_of_a_pass_that_fails(both: Both) -> None:
    theirs, ours = both(uncommented(NOT_BUFFERIZED), BUFFERIZES, SHOWS_NONE)
    assert theirs == (1, "", FAILED)
    assert ours == (1, "", FAILED + THEN_OURS)


@pytest.mark.parametrize(
    "flags",
    [
        [LOCAL],
        [LOCAL, "--mlir-print-debuginfo"],
        [LOCAL, "--mlir-print-debuginfo", "--mlir-pretty-debuginfo"],
        [LOCAL, "--mlir-print-op-generic"],
        [LOCAL, ALL, "--cse"],
        [LOCAL, ALL, NESTED],
        [LOCAL, ALL, "--mlir-print-debuginfo", NESTED],
        [LOCAL, ALL, "--mlir-print-ir-module-scope", NESTED],
        [ALL, "--mlir-print-debuginfo", NESTED],
    ],
    ids=" ".join,
)
def test_ir_printed_with_local_scope_has_no_aliases(
    flags: list[str], both: Both
) -> None:
    text = (INPUTS / "affine.mlir").read_text(encoding="utf-8")
    theirs, ours = both(text, ONE_THREAD, *flags)  # or MLIR's dumps are in any order
    assert ours == theirs
    assert ("\n#" in f"\n{ours[1]}") == (LOCAL not in flags)


def test_a_file_without_aliases_ends_with_its_module(both: Both) -> None:
    theirs, ours = both(ALIASED, LOCAL)
    assert ours == theirs == (0, UNALIASED, "")
