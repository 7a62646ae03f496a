"""Idempotent passes in Python between passes of MLIR, which do not say what they change."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from passgen_runtime import OperationPass, Pass, PassManager, PassOptions
from passgen_runtime.instrumentations.pass_timing import PassTiming
from passgen_runtime.instrumentations.timing_manager import TimingManager
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.mlir.passes import CSE, Canonicalizer, SymbolDCE
from passgen_runtime.pass_instrumentation import PassInstrumentation
from passgen_runtime.pass_manager import to_pass
from passgen_runtime.runners import Threads

TEXT = """
module {
  func.func @f(%a: i32) -> i32 {
    %0 = arith.constant 0 : i32
    %1 = arith.addi %a, %0 : i32
    %2 = arith.addi %a, %0 : i32
    %3 = arith.muli %1, %2 : i32
    return %3 : i32
  }
  func.func private @g(%a: i32) -> i32 {
    %0 = arith.addi %a, %a : i32
    %1 = arith.addi %0, %a : i32
    return %a : i32
  }
  module @m {
    func.func @h(%a: i32) -> i32 {
      %0 = arith.addi %a, %a : i32
      %1 = arith.addi %a, %a : i32
      %2 = arith.muli %0, %1 : i32
      return %2 : i32
    }
  }
}
"""


class Stamp(OperationPass[PassOptions]):
    """Writes the number of lines of its operation into it."""

    argument = "stamp"
    idempotent = True

    def run_on_operation(self) -> None:
        context = self.context
        assert isinstance(context, MLIRContext)
        text = str(str(self.operation).count("\n"))
        attributes = self.operation.attributes
        if "func.stamp" in attributes and attributes["func.stamp"].value == text:
            self.mark_unchanged()
        attributes["func.stamp"] = context.bindings.ir.StringAttr.get(
            text, context.mlir
        )


class Nothing(OperationPass[PassOptions]):
    argument = "nothing"

    def run_on_operation(self) -> None:
        self.mark_unchanged()


class EachPass(PassInstrumentation):
    """Needs to see each pass on each operation, so that nothing is fused."""

    def run_before_pass(self, pass_: Pass, operation: object) -> None:
        """Do nothing; a hook that is overridden is called."""


PASSES: dict[str, Callable[[], Pass]] = {
    "stamp": Stamp,
    "nothing": Nothing,
    "cse": lambda: to_pass(CSE()),
    "canonicalize": lambda: to_pass(Canonicalizer()),
    "symbol-dce": lambda: to_pass(SymbolDCE()),
}
OBSERVERS: dict[str, Callable[[], list[PassInstrumentation]]] = {
    "fused": list,
    "by pass": lambda: [PassTiming(TimingManager())],
    "by operation": lambda: [EachPass()],
}
steps = st.tuples(
    st.sampled_from(["", "functions", "modules", "functions of modules"]),
    st.sampled_from(["stamp", "stamp", "nothing", "cse", "canonicalize"]),
) | st.just(("", "symbol-dce"))
Steps = list[tuple[str, str]]


@cache
def context() -> MLIRContext:
    """Return the context of all runs: to make one takes longer than a run."""
    return MLIRContext()


def result(steps: Steps, observed: str, *, skips: bool, threads: int = 0) -> str:
    """Return the IR after a run."""
    module = context().parse(TEXT, "input.mlir")
    manager = PassManager(context())
    manager.skips_unchanged = skips
    manager.counts_optional = True
    for each in OBSERVERS[observed]():
        manager.add_instrumentation(each)
    if threads:
        manager.runner = Threads(max_workers=threads)
    for place, name in steps:
        nested = manager.nest("builtin.module") if "modules" in place else manager
        if "functions" in place:
            nested = nested.nest("func.func")
        nested.add_pass(PASSES[name]())
    manager.run(module)
    skipped = sum(int(each.times_skipped) for each in manager.passes())
    return f"skipped {skipped}\n" * skips + str(module)


def ir(text: str) -> str:
    return text[text.index("module") :]


@pytest.mark.parametrize("observed", sorted(OBSERVERS))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(steps, min_size=2, max_size=8))
def test_results_are_the_same_with_and_without_skipping(
    observed: str, steps: Steps
) -> None:
    expected = result(steps, observed, skips=False)
    in_turn = result(steps, observed, skips=True)
    assert ir(in_turn) == expected
    assert ir(result(steps, observed, skips=True, threads=2)) == expected


@pytest.mark.parametrize("observed", sorted(OBSERVERS))
@pytest.mark.parametrize(
    ("between", "num_skipped"), [("nothing", 2), ("cse", 0), ("canonicalize", 0)]
)
def test_a_pass_of_mlir_counts_as_a_change(
    between: str, num_skipped: int, observed: str
) -> None:
    steps = [("functions", name) for name in ("stamp", between, "stamp")]
    found = result(steps, observed, skips=True)
    assert found.startswith(f"skipped {num_skipped}\n")
