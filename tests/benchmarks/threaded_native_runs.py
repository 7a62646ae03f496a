"""Repeats runs of MLIR's own passes that report much at once, with MLIR's threads on.

    python tests/benchmarks/threaded_native_runs.py [--repetitions 1000]

Native passes fail, warn, remark, and leave what does not verify, in many operations at
once: in one module, and in modules inside a module. Each repetition must show what a
run without MLIR's threads shows, in the same order, and leave the threads on. Prints a
line a case; exits 1 when a repetition shows something else, or hangs.
"""

from __future__ import annotations

import argparse
import faulthandler
import sys
import time
from typing import NamedTuple

from passgen_runtime import PassFailure
from passgen_runtime.context import Operation
from passgen_runtime.ir.mlir import MLIRContext, mlir_registry
from passgen_runtime.pass_registry.pipelines.resolution import parse_pass_manager

NUM_MODULES, NUM_FUNCTIONS = 8, 8
LIMIT_S = 60
"""How long a repetition may take before it counts as hanging."""

FUNCTION = """\
func.func @f{}(%m: memref<64xf32>) -> f32 {{
  %0 = arith.constant 0.0 : f32
  affine.for %i = 0 to 64 {{
    %v = affine.load %m[%i] : memref<64xf32>
    affine.store %v, %m[%i] : memref<64xf32>
  }}
  return %0 : f32
}}
"""
REMARK = """\
transform.named_sequence @__transform_main(%r: !transform.any_op {transform.readonly}) {
  transform.debug.emit_remark_at %r, "seen" : !transform.any_op
  transform.yield
}
"""
MODULE = "module attributes {{transform.with_named_sequence}} {{\n{}}}\n"
FAIL = "func.func(transform-interpreter)"
WARN = "func.func(cse,affine-data-copy-generate{fast-mem-capacity=0 generate-dma=0})"


class Case(NamedTuple):
    """What native passes do to the modules inside a module, or to a single one."""

    name: str
    pipeline: str
    """What runs on each module."""

    is_nested: bool
    functions_a_module: int = NUM_FUNCTIONS
    is_broken: bool = False
    """Whether no function verifies."""

    def source(self) -> str:
        """Return the functions of one module, or modules that hold them."""
        if not self.is_nested:
            return "".join(map(FUNCTION.format, range(NUM_MODULES * NUM_FUNCTIONS)))
        functions = "".join(map(FUNCTION.format, range(self.functions_a_module)))
        return f"module {{\n{MODULE.format(functions + REMARK) * NUM_MODULES}}}\n"

    def shown(self, context: MLIRContext, module: Operation) -> list[str]:
        """Return what a run on a copy of `module` reports, and how it fails."""
        reported: list[str] = []
        context.diagnostic_handler = lambda each: reported.append(str(each))
        module = context.clone(module)
        if self.is_broken:
            drop_returned_values(context, module)
        anchored = f"builtin.module({self.pipeline})"
        manager = parse_pass_manager(
            f"builtin.module({anchored})" if self.is_nested else anchored,
            context,
            mlir_registry(),
        )
        try:
            manager.run(module)
        except PassFailure as failure:
            reported.append(str(failure))
        return reported


CASES = (
    Case("fail", FAIL, is_nested=False),
    Case("warn", WARN, is_nested=False),
    Case("verify badly", "func.func(cse)", is_nested=False, is_broken=True),
    Case("remark", "transform-interpreter", is_nested=True, functions_a_module=0),
    Case("fail, nested", FAIL, is_nested=True),
    Case("warn, nested", WARN, is_nested=True),
    Case("verify badly, nested", "func.func(cse)", is_nested=True, is_broken=True),
    Case("remark, nested", "func.func(cse),transform-interpreter", is_nested=True),
)


def drop_returned_values(context: MLIRContext, module: Operation) -> None:
    """Let all functions inside `module` return nothing, against their types."""
    ir = context.bindings.ir
    for operation in context.children(module):
        if context.name(operation) != "func.func":
            drop_returned_values(context, operation)
            continue
        block = operation.regions[0].blocks[0]
        block.operations[len(block.operations) - 1].operation.erase()
        with operation.location, ir.InsertionPoint(block):
            ir.Operation.create("func.return")


def num_different(case: Case, repetitions: int) -> tuple[int, int]:
    """Return how many repetitions differ, and how many reports each is to have."""
    context, alone = MLIRContext(), MLIRContext()
    alone.mlir.enable_multithreading(enable=False)
    expected = case.shown(alone, alone.parse(case.source(), "input.mlir"))
    module = context.parse(case.source(), "input.mlir")
    num_threads = context.mlir.get_num_threads()
    different = 0
    for _ in range(repetitions):
        faulthandler.dump_traceback_later(LIMIT_S, exit=True)
        is_same = case.shown(context, module) == expected
        different += not (is_same and context.mlir.get_num_threads() == num_threads)
    faulthandler.cancel_dump_traceback_later()
    return different, len(expected)


def main() -> int:
    """Repeat, compare and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=1000)
    repetitions = parser.parse_args().repetitions
    is_missed = False
    for case in CASES:
        start_s = time.monotonic()
        different, num_reports = num_different(case, repetitions)
        elapsed_s = time.monotonic() - start_s
        is_missed |= bool(different)
        print(
            f"{case.name}: {repetitions} runs of {num_reports} reports, "
            f"{different} different (target 0), {elapsed_s:.0f} s",
            flush=True,
        )
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main())
