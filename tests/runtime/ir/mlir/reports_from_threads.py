"""Lets MLIR's threads report diagnostics through the bindings, without passgen.

    python -m tests.runtime.ir.mlir.reports_from_threads mlir errors nested 1000 5

MLIR keeps the diagnostics of its threads until the thread that waits for them reports
them. That fails if operations that are isolated from above, and processed in parallel,
contain other such operations: a thread of MLIR that waits for the inner operations of
one outer operation starts with the next outer one, and no longer collects diagnostics.
They then go straight to the handlers, while the caller of the pass manager or of the
verifier holds Python's lock. A handler in Python waits for the lock forever. The errors
that the bindings collect for an `MLIRError` end in the same deadlock, without any
handler, or in an abort if nanobind checks the lock.

Prints how many reports each run had. If all runs together take longer than the last
argument, in seconds, it ends with exit code 1 and the stacks of all threads.
"""

from __future__ import annotations

import faulthandler
import sys
from importlib import import_module
from typing import Any

NUM_OUTER, NUM_INNER = 8, 8

REMARK = """\
transform.named_sequence @__transform_main(%r: !transform.any_op {transform.readonly}) {
  transform.debug.emit_remark_at %r, "seen" : !transform.any_op
  transform.yield
}
"""
PIPELINE = "builtin.module(builtin.module(builtin.module(cse),transform-interpreter))"


def source(kind: str, nesting: str) -> str:
    """Return a module of modules, which hold modules if that is the nesting."""
    inside = "module {}\n" * (NUM_INNER if nesting == "nested" else 0)
    if kind == "remarks":
        inside += REMARK
    outer = f"module attributes {{transform.with_named_sequence}} {{\n{inside}}}\n"
    return f"module {{\n{outer * NUM_OUTER}}}\n"


def invalidate(ir: Any, module: Any) -> None:  # noqa: ANN401 - of any bindings
    """Give the innermost modules an attribute that MLIR's verifier refuses."""
    inside = list(module.regions[0].blocks[0].operations)
    for operation in inside:
        invalidate(ir, operation)
    if not inside:
        module.attributes["no_dialect"] = ir.UnitAttr.get()


def main(package: str, kind: str, nesting: str, num_runs: str, limit_s: str) -> None:
    """Run or verify, and print how much was reported each time."""
    faulthandler.dump_traceback_later(float(limit_s), exit=True)
    ir: Any = import_module(f"{package}.ir")
    managers: Any = import_module(f"{package}.passmanager")
    reported: list[str] = []
    counts = set()

    def handle(diagnostic: Any) -> bool:  # noqa: ANN401 - of any bindings
        reported.append(str(diagnostic.message))
        return True

    with ir.Context() as context:
        module = ir.Module.parse(source(kind, nesting)).operation
        if kind == "remarks":
            context.attach_diagnostic_handler(handle)
            manager = managers.PassManager.parse(PIPELINE)
        else:
            invalidate(ir, module)
        for _ in range(int(num_runs)):
            reported.clear()
            try:
                if kind == "remarks":
                    manager.run(module)
                else:
                    module.verify()
            except ir.MLIRError as error:
                reported.extend(each.message for each in error.error_diagnostics)
            counts.add(len(reported))
    sys.stdout.write(f"reports in each run: {sorted(counts)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
