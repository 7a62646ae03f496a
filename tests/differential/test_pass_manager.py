"""The same pipelines through `mlir-opt` and through our driver.

The exit code, the order of passes and operations, the diagnostics with their locations,
and the resulting IR agree. Each command lists the lines that differ, and the reason.

Two differences are everywhere, and are left out: our driver names the pass that failed
and its operation, where MLIR prints nothing; and MLIR prints the operation below every
error, ours below those of the verifier.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from passgen_runtime import default_registry
from passgen_runtime.passes import register_all_passes
from passgen_tools.opt import main
from tests.mlir_test_passes import mlir_opt_with_test_passes
from tests.passgen_test_opt.registry import REGISTRY, make_context

WATCH = (
    "--mlir-disable-threading",
    "--mlir-print-ir-module-scope",
    "--mlir-print-ir-before-all",
)

ARITH = """\
func.func @f(%a: i32, %b: i32) -> i32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %a, %b : i32
  %2 = arith.muli %0, %1 : i32
  %3 = arith.subi %a, %a : i32
  return %2 : i32
}
func.func @g() { return }
"""
MODULES = """\
module @m {
  func.func @a(%x: i32) -> i32 {
    %0 = arith.addi %x, %x : i32
    %1 = arith.addi %x, %x : i32
    %2 = arith.muli %0, %1 : i32
    return %2 : i32
  }
  module @n {
    func.func @b() { return }
  }
}
func.func @c() { return }
"""
WIDE = """\
module @m {
  func.func @a() { return }
  func.func @b() { return }
  module @n {
    func.func @c() { return }
    func.func @d() { return }
  }
}
func.func @e() { return }
"""
TEST_SYMBOL = '"test.symbol"() <{sym_name = "kept"}> : () -> ()\n'
TEST_SYMBOLS = """\
"test.symbol"() <{sym_name = "kept"}> : () -> ()
"test.symbol"() <{sym_name = "dead", sym_visibility = "private"}> : () -> ()
"""
INCREMENTS = """\
func.func @f() {
  "test.any_attr_of_i32_str"() {attr = 0 : i32} : () -> ()
  "test.any_attr_of_i32_str"() {attr = 7 : i32} : () -> ()
  "test.any_attr_of_i32_str"() {attr = "text"} : () -> ()
  return
}
"""
UNNAMED = """\
module @named { func.func @a() { return } }
module { func.func @b() { return } }
"""
SYMBOLS = """\
func.func private @dead() { return }
func.func private @used() { return }
func.func @f() { call @used() : () -> () return }
"""
LOOP = """\
func.func @f(%a: i32, %m: memref<10xi32>) {
  affine.for %i = 0 to 10 {
    %0 = arith.addi %a, %a : i32
    affine.store %0, %m[%i] : memref<10xi32>
  }
  return
}
"""
GRAPH = """\
module {
  func.func @f() { return }
  module @graph {
  }
}
"""
NO_MODULE = "func.func @f() { return }\n"
UNREGISTERED = '"x.y"() ({ "x.z"() : () -> () }) : () -> ()\n'


class Command(NamedTuple):
    name: str
    text: str
    pipeline: str
    flags: tuple[str, ...] = ()
    only_mlir: tuple[str, ...] = ()
    """Lines that only `mlir-opt` prints."""

    only_ours: tuple[str, ...] = ()
    """Lines that only our driver prints."""

    reason: str = ""
    """Why they differ."""


def unmatched(pipeline: str) -> str:
    return (
        f"pass-pipeline: warning: the nested pipeline {pipeline} matched no operation"
    )


UNMATCHED = "MLIR says nothing where a pipeline did not run at all"
COMMANDS = [
    # Nesting and order.
    Command("empty pipeline", ARITH, "builtin.module()"),
    Command("passes on a module", ARITH, "builtin.module(cse,canonicalize)"),
    Command(
        "passes on functions", ARITH, "builtin.module(func.func(cse,canonicalize))"
    ),
    Command("only directly inside", MODULES, "builtin.module(func.func(cse))"),
    Command(
        "nested twice", MODULES, "builtin.module(builtin.module(func.func(cse)),cse)"
    ),
    Command("any as root", MODULES, "any(cse)"),
    Command("any nested", MODULES, "builtin.module(any(cse))"),
    Command("any in any", MODULES, "any(any(any(cse)))"),
    Command(
        "no such operation in the IR",
        ARITH,
        "builtin.module(builtin.module(cse))",
        only_ours=(unmatched("builtin.module(cse)"),),
        reason=UNMATCHED,
    ),
    # Operations that a pass refuses: passes before it have run.
    Command("a type that a pass refuses", MODULES, "any(cse,affine-loop-unroll,cse)"),
    Command(
        "a root that is not isolated",
        TEST_SYMBOL,
        "any(cse)",
        ("--no-implicit-module",),
    ),
    Command("no symbol", UNNAMED, "builtin.module(cse,test-print-liveness)"),
    Command(
        "no symbol inside",
        UNNAMED,
        "builtin.module(builtin.module(cse,test-print-liveness,canonicalize))",
    ),
    Command(
        "no symbol in any", UNNAMED, "builtin.module(any(cse,test-print-liveness,cse))"
    ),
    # Merging.
    Command(
        "adjacent of one anchor",
        ARITH,
        "builtin.module(func.func(cse),func.func(canonicalize))",
    ),
    Command(
        "adjacent of two anchors",
        MODULES,
        "builtin.module(func.func(cse),builtin.module(canonicalize))",
    ),
    Command(
        "a pass in between",
        ARITH,
        "builtin.module(func.func(cse),symbol-dce,func.func(canonicalize))",
    ),
    Command(
        "any after what it can run on",
        MODULES,
        "builtin.module(func.func(cse),any(canonicalize))",
    ),
    Command(
        "any before what it can run on",
        MODULES,
        "builtin.module(any(canonicalize),func.func(cse))",
    ),
    Command(
        "any beside what it cannot run on",
        MODULES,
        "builtin.module(builtin.module(cse),any(canonicalize,test-function-pass))",
    ),
    Command(
        "any between two of one anchor",
        MODULES,
        "builtin.module(func.func(cse),any(test-module-pass,cse),func.func(cse))",
    ),
    Command("any beside any", ARITH, "builtin.module(any(cse),any(canonicalize))"),
    Command(
        "merged inside merged",
        MODULES,
        "builtin.module(builtin.module(func.func(cse)),"
        "builtin.module(func.func(canonicalize)))",
    ),
    *(
        Command(f"unmerged inside, {name}", WIDE, f"builtin.module({pipeline})")
        for name, pipeline in [
            (
                "before any",
                "builtin.module(func.func(cse),func.func(canonicalize)),any(cse)",
            ),
            (
                "any before any",
                "any(func.func(cse),builtin.module(cse)),any(cse)",
            ),
            (
                "merged before any",
                (
                    "builtin.module(func.func(cse)),builtin.module(func.func(canonicalize)),"
                    "any(cse)"
                ),
            ),
            (
                "but not the last",
                "any(cse),builtin.module(func.func(cse),func.func(canonicalize))",
            ),
            (
                "but not before a pass",
                (
                    "builtin.module(func.func(cse),func.func(canonicalize)),symbol-dce,"
                    "any(cse)"
                ),
            ),
            (
                "and further inside",
                "any(any(func.func(cse),func.func(canonicalize)),any(cse)),any(cse)",
            ),
        ]
    ),
    # Filters.
    Command("a filter in any", MODULES, "builtin.module(any(cse,test-function-pass))"),
    Command(
        "an interface in any", MODULES, "builtin.module(any(cse,test-interface-pass))"
    ),
    Command(
        "two filters that exclude one another",
        MODULES,
        "builtin.module(any(test-function-pass,test-module-pass))",
        only_ours=(unmatched("any(test-function-pass,test-module-pass)"),),
        reason=UNMATCHED,
    ),
    Command(
        "an interface on functions",
        ARITH,
        "builtin.module(func.func(test-interface-pass))",
    ),
    Command("an interface on the root", ARITH, "any(test-interface-pass)"),
    *(
        Command(
            name,
            ARITH,
            f"builtin.module({pass_})",
            only_mlir=(f"<unknown>:0: error: {message}",),
            only_ours=(f"pass-pipeline:1:16: error: {message}",),
            reason="ours has a place in the pipeline",
        )
        for name, pass_, message in [
            (
                "a mismatched anchor",
                "test-function-pass",
                (
                    "Can't add pass 'TestFunctionPass' restricted to 'func.func' on a "
                    "PassManager intended to run on 'builtin.module', did you intend to nest?"
                ),
            ),
            (
                "an interface on a module",
                "test-interface-pass",
                (
                    "unable to schedule pass 'TestInterfacePass' on a PassManager intended "
                    "to run on 'builtin.module'!"
                ),
            ),
        ]
    ),
    # Anchors.
    Command(
        "an anchor that is not isolated",
        ARITH,
        "builtin.module(func.func(func.return(cse)))",
    ),
    Command("a root of another kind", ARITH, "func.func(cse)"),
    Command(
        "an unregistered anchor",
        UNREGISTERED,
        "builtin.module(x.y(cse))",
        ("--allow-unregistered-dialect",),
    ),
    Command(
        "any passes over unregistered operations",
        UNREGISTERED,
        "builtin.module(any(cse))",
        ("--allow-unregistered-dialect",),
        only_ours=(unmatched("any(cse)"),),
        reason=UNMATCHED,
    ),
    Command(
        "one function without a module",
        NO_MODULE,
        "func.func(cse)",
        ("--no-implicit-module",),
    ),
    Command(
        "a module pass without a module",
        NO_MODULE,
        "builtin.module(cse)",
        ("--no-implicit-module",),
    ),
    Command(
        "two functions without a module", ARITH, "any(cse)", ("--no-implicit-module",)
    ),
    # Failure.
    Command("a failing pass", ARITH, "builtin.module(test-pass-failure,cse)"),
    Command(
        "failing on functions",
        ARITH,
        "builtin.module(func.func(test-pass-failure,cse),canonicalize)",
    ),
    Command(
        "failing on nested modules",
        MODULES,
        "builtin.module(builtin.module(test-pass-failure),cse)",
    ),
    Command(
        "signalled failure with broken IR",
        ARITH,
        "builtin.module(func.func("
        "test-pass-create-invalid-ir{signal-pass-failure=true},cse))",
    ),
    Command(
        "broken IR that is not verified",
        ARITH,
        "builtin.module(func.func(test-pass-create-invalid-ir{emit-invalid-ir=false}))",
    ),
    # Dynamic pipelines.
    Command(
        "dynamic on the operation",
        MODULES,
        "builtin.module(builtin.module(test-dynamic-pipeline{"
        "op-name=m dynamic-pipeline=func.func(cse,canonicalize)}))",
    ),
    Command(
        "dynamic with merging",
        MODULES,
        "builtin.module(builtin.module(test-dynamic-pipeline{"
        "op-name=m dynamic-pipeline=func.func(cse),func.func(canonicalize)}))",
    ),
    Command(
        "dynamic inside the operation",
        MODULES,
        "builtin.module(builtin.module(test-dynamic-pipeline{"
        "op-name=m run-on-nested-operations=1 dynamic-pipeline=cse}))",
    ),
    Command(
        "dynamic on the parent",
        MODULES,
        "builtin.module(builtin.module(func.func(test-dynamic-pipeline{"
        "op-name=a run-on-parent=1 dynamic-pipeline=cse})))",
    ),
    Command(
        "a failure in a dynamic pipeline",
        MODULES,
        "builtin.module(builtin.module(test-dynamic-pipeline{"
        "op-name=m dynamic-pipeline=test-pass-failure,cse}),cse)",
    ),
    # What passes do.
    Command("symbols of test", TEST_SYMBOLS, "builtin.module(symbol-dce)"),
    Command("greedy patterns", INCREMENTS, "any(test-greedy-patterns)"),
    Command(
        "one round of greedy patterns",
        INCREMENTS,
        "any(test-greedy-patterns{max-iterations=1 top-down=false fold=false})",
    ),
    Command("symbol-dce", SYMBOLS, "builtin.module(symbol-dce)"),
    Command("symbol-privatize", SYMBOLS, "builtin.module(symbol-privatize{exclude=f})"),
    Command("strip-debuginfo", ARITH, "builtin.module(func.func(strip-debuginfo))"),
    Command("topological-sort", GRAPH, "builtin.module(topological-sort)"),
    Command(
        "loop-invariant-code-motion",
        LOOP,
        "builtin.module(func.func(loop-invariant-code-motion))",
    ),
    Command(
        "affine-loop-invariant-code-motion",
        LOOP,
        "builtin.module(func.func(affine-loop-invariant-code-motion))",
    ),
    Command(
        "print-op-stats",
        ARITH,
        "builtin.module(print-op-stats{json=true},func.func(print-op-stats))",
    ),
    Command(
        "composite-fixed-point-pass",
        ARITH,
        "builtin.module(func.func("
        "composite-fixed-point-pass{name=Twice pipeline=cse,canonicalize}))",
    ),
    Command(
        "a fixed point within any",
        MODULES,
        "builtin.module(any(composite-fixed-point-pass{pipeline=any(cse)}))",
    ),
]


class Outcome(NamedTuple):
    exit_code: int
    stdout: str
    lines: list[str]
    """The lines of standard error about pipelines and passes."""


RELEVANT = re.compile(
    r"// -----// IR Dump|[^ ]+: (error|warning|remark): |Dynamic execute|dynamic-pipeline "
    r"|Run on (root|nested)|Operations encountered|  \w+\.\w+ +, \d+|  \"[\w.]+\" : \d+"
)
SAID_BY_OURS = re.compile(r"error: (pass '|the pipeline failed)")


def outcome(exit_code: int, stdout: str, stderr: str) -> Outcome:
    lines = stderr.replace("(anonymous namespace)::", "").splitlines()
    relevant = [
        line.rstrip()
        for line in lines
        if RELEVANT.match(line) and not SAID_BY_OURS.match(line)
    ]
    return Outcome(min(exit_code, 1), stdout, relevant)


def as_mlir_prints(mlir_opt: str, text: str) -> str:
    arguments = ["--mlir-print-op-generic", "--allow-unregistered-dialect"]
    if "module" not in text:
        arguments.append("--no-implicit-module")
    done = subprocess.run(
        [mlir_opt, *arguments], input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: each.name)
def test_both_drivers_do_the_same(
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    mlir_opt = str(mlir_opt_with_test_passes())
    # Where a composite pass looks up the passes that it repeats.
    register_all_passes(default_registry)
    (tmp_path / "input.mlir").write_text(command.text)
    monkeypatch.chdir(tmp_path)
    pipeline = f"--pass-pipeline={command.pipeline}"
    arguments = ["input.mlir", pipeline, *WATCH, *command.flags]

    done = subprocess.run(
        [mlir_opt, *arguments], capture_output=True, text=True, check=False
    )
    theirs = outcome(done.returncode, done.stdout, done.stderr)
    exit_code = main(arguments, registry=REGISTRY, make_context=make_context)
    ours = outcome(exit_code, *capfd.readouterr())

    assert bool(command.reason) == bool(command.only_mlir or command.only_ours)
    assert ours.exit_code == theirs.exit_code
    assert [line for line in ours.lines if line not in command.only_ours] == [
        line for line in theirs.lines if line not in command.only_mlir
    ]
    assert set(command.only_ours) <= set(ours.lines)
    assert set(command.only_mlir) <= set(theirs.lines)
    if exit_code == 0:
        printed = (as_mlir_prints(mlir_opt, each.stdout) for each in (ours, theirs))
        assert next(printed) == next(printed)
