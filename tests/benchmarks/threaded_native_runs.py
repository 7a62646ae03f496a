"""Repeats runs of MLIR's own passes that report much at once, with MLIR's threads on.

    python -m tests.benchmarks.threaded_native_runs [--repetitions 1000]

Native passes fail, warn, remark, and leave what does not verify, in many operations at
once: in one module, in modules inside a module, and in modules inside functions. So
does the verifier after a pass in Python. Each repetition must show what a run without
MLIR's threads shows, in the same order, and leave the threads on. Prints one line for
each case; exits 1 if a repetition shows something else, or hangs.
"""

from __future__ import annotations

import argparse
import faulthandler
import sys
import time
from enum import Enum
from typing import NamedTuple

from passgen_runtime import PassError
from passgen_runtime.context import Operation
from passgen_runtime.ir.mlir import MLIRContext, mlir_registry
from passgen_runtime.pass_registry.resolution import parse_pass_manager

NUM_OUTER, NUM_MODULES, NUM_FUNCTIONS = 4, 8, 8
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
MODULE = "builtin.module attributes {{transform.with_named_sequence}} {{\n{}}}\n"
FAIL = "func.func(transform-interpreter)"
WARN = "func.func(cse,affine-data-copy-generate{fast-mem-capacity=0 generate-dma=0})"


class Layers(Enum):
    """Where the functions are that the passes run on, as pipelines around them."""

    FLAT = "builtin.module({})"
    MODULES = "builtin.module(builtin.module({}))"
    FUNCTIONS = "builtin.module(func.func(builtin.module({})))"

    def source(self, functions: int) -> str:
        """Return modules with `functions` functions each, or one with all functions."""
        if self is Layers.FLAT:
            return "".join(map(FUNCTION.format, range(NUM_MODULES * NUM_FUNCTIONS)))
        inside = "".join(map(FUNCTION.format, range(functions)))
        modules = MODULE.format(inside + REMARK) * NUM_MODULES
        if self is Layers.FUNCTIONS:
            outer = "func.func @outer{}() {{\n{}return\n}}\n"
            return "".join(outer.format(index, modules) for index in range(NUM_OUTER))
        return f"module {{\n{modules}}}\n"


class Case(NamedTuple):
    """A pipeline that reports, and the operations that it runs on."""

    name: str
    pipeline: str
    """Runs on the operations around the functions; empty for the verifier alone."""

    layers: Layers
    functions_a_module: int = NUM_FUNCTIONS
    is_broken: bool = False
    """Whether no function verifies."""

    def source(self) -> str:
        """Return the IR to run on, before it is broken."""
        return self.layers.source(self.functions_a_module)

    def shown(self, context: MLIRContext, module: Operation) -> list[str]:
        """Return what a run on a copy of `module` reports, and how it fails."""
        reported: list[str] = []
        context.diagnostic_handler = lambda each: reported.append(str(each))
        module = context.clone(module)
        if self.is_broken:
            drop_returned_values(context, module)
        try:
            if self.pipeline:
                text = self.layers.value.format(self.pipeline)
                parse_pass_manager(text, context, mlir_registry()).run(module)
            else:
                context.verify(module)
        except PassError as failure:
            reported.append(str(failure))
        return reported


BROKEN = "func.func(cse)"
CASES = (
    Case("fail", FAIL, Layers.FLAT),
    Case("warn", WARN, Layers.FLAT),
    Case("verify badly", BROKEN, Layers.FLAT, is_broken=True),
    Case("verify", "", Layers.FLAT, is_broken=True),
    Case("remark", "transform-interpreter", Layers.MODULES, functions_a_module=0),
    Case("fail, in modules", FAIL, Layers.MODULES),
    Case("warn, in modules", WARN, Layers.MODULES),
    Case("verify badly, in modules", BROKEN, Layers.MODULES, is_broken=True),
    Case("verify, in modules", "", Layers.MODULES, is_broken=True),
    Case("remark, in modules", "func.func(cse),transform-interpreter", Layers.MODULES),
    Case("fail, in functions", FAIL, Layers.FUNCTIONS),
    Case("verify badly, in functions", BROKEN, Layers.FUNCTIONS, is_broken=True),
    Case("verify, in functions", "", Layers.FUNCTIONS, is_broken=True),
)


def drop_returned_values(context: MLIRContext, module: Operation) -> None:
    """Let all functions inside `module` return nothing, against their types."""
    ir = context.bindings.ir
    for operation in context.children(module):
        drop_returned_values(context, operation)
        if context.name(operation) == "func.func":
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
