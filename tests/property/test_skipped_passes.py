"""Any pipeline has the same results with and without skipping idempotent passes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.ir import Operation

from passgen_runtime import OpPassManager, Pass, PassFailure, PassManager, PassRegistry
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.ir.xdsl.module_passes import register_xdsl_passes
from passgen_runtime.passes.canonicalize import Canonicalizer
from passgen_runtime.passes.cse import CSE
from passgen_runtime.passes.generated.transforms_passes import CanonicalizerOptions
from passgen_runtime.passes.symbol_dce import SymbolDCE
from passgen_runtime.runners import Threads
from tests.property.skipped_passes import (
    Climb,
    FailsOnOdd,
    Grow,
    Nothing,
    RunsInside,
    Stamp,
    StampOptions,
    Toggle,
    ToggleAndKeepAnalyses,
)
from tests.tools.workers.running import workers_of

TEXT = """
module {
  func.func @f(%a: i32) -> i32 {
    %0 = arith.constant 0 : i32
    %1 = arith.addi %a, %0 : i32
    %2 = arith.muli %1, %0 : i32
    %3 = arith.addi %2, %a : i32
    return %3 : i32
  }
  func.func private @g() { return }
  module @m {
    func.func @h(%a: i1) -> i32 {
      cf.cond_br %a, ^end, ^end
    ^end:
      %0 = arith.constant 1 : i32
      %1 = arith.constant 1 : i32
      %2 = arith.addi %0, %1 : i32
      return %2 : i32
    }
    func.func @i() { return }
  }
}
"""


def canonicalize(max_iterations: int) -> Callable[[], Pass]:
    options = CanonicalizerOptions(max_iterations=max_iterations)
    return lambda: Canonicalizer(options)


def of_xdsl(name: str) -> Callable[[], Pass]:
    """Return a function that makes a pass of xDSL's own."""
    registry = PassRegistry()
    register_xdsl_passes(registry)
    entry = registry.lookup_pass(name)
    assert entry is not None
    return lambda: entry.create(entry.parse_options(()))


ANYWHERE: dict[str, Callable[[], Pass]] = {
    "stamp": Stamp,
    "stamp{3}": lambda: Stamp(StampOptions(factor=3)),
    "climb": Climb,
    "grow": Grow,
    "toggle": Toggle,
    "toggle and keep analyses": ToggleAndKeepAnalyses,
    "nothing": Nothing,
    "runs inside": RunsInside,
    "fails on odd": FailsOnOdd,
    "canonicalize": Canonicalizer,
    "canonicalize{1}": canonicalize(1),
    "canonicalize{2}": canonicalize(2),
    "cse": CSE,
}
ON_MODULES: dict[str, Callable[[], Pass]] = {
    "symbol-dce": SymbolDCE,
    "xdsl's canonicalize": of_xdsl("canonicalize"),
    "xdsl's dce": of_xdsl("dce"),
}

Steps = list[tuple[str, str]]
POOL = ThreadPoolExecutor(1)
PLACES = ("", "functions", "modules", "functions of modules")


@st.composite
def pipelines(draw: st.DrawFn) -> Steps:
    """Return steps of a few passes, so that they repeat.

    Workers cannot make passes of xDSL, which run in this process on the whole module.
    """
    few = draw(st.lists(st.sampled_from(sorted(ANYWHERE)), min_size=1, max_size=4))
    anywhere = st.tuples(st.sampled_from(PLACES), st.sampled_from(few))
    on_module = st.tuples(st.just(""), st.sampled_from(sorted(ON_MODULES)))
    return draw(st.lists(anywhere | on_module, min_size=2, max_size=14))


def place_in(manager: OpPassManager, place: str) -> OpPassManager:
    """Return a new pipeline at `place`, which may be merged with the last one."""
    if "modules" in place:
        manager = manager.nest("builtin.module")
    return manager.nest("func.func") if "functions" in place else manager


@cache
def parsed() -> tuple[XDSLContext, Operation]:
    """Return a context that reports nothing, and the module."""
    context = XDSLContext()
    context.diagnostic_handler = lambda _: None
    return context, context.parse(TEXT, "input.mlir")


def result(steps: Steps, mode: str) -> tuple[str, str, int]:
    """Return the IR and the failure of a run, and how many passes were skipped."""
    context, original = parsed()
    module = context.clone(original)
    manager = PassManager(context)
    for place, name in steps:
        make = ANYWHERE.get(name) or ON_MODULES[name]
        place_in(manager, place).add_pass(make())
    manager.skips_unchanged = mode != "all"
    manager.counts_optional = True
    if mode == "threads":
        manager.runner = Threads(max_workers=2)
    failure = ""
    try:
        manager.run(module, workers_of(POOL if mode == "workers" else None))
    except PassFailure as error:
        failure = f"{error.argument} {error.operation}"
    text = context.print_in_any_state(module, generic=True)
    return text, failure, sum(int(each.times_skipped) for each in manager.passes())


@given(pipelines())
def test_results_are_the_same_with_and_without_skipping(steps: Steps) -> None:
    expected = result(steps, "all")
    assert expected[2] == 0
    in_turn = result(steps, "in turn")
    assert in_turn[:2] == expected[:2]
    assert result(steps, "threads") == in_turn
    assert result(steps, "workers")[:2] == expected[:2]


def test_some_of_these_passes_are_skipped() -> None:
    twice = [("functions", "stamp"), ("functions", "nothing"), ("functions", "stamp")]
    for mode in ("in turn", "threads", "workers"):
        *_, num_skipped = result([*twice, ("", "grow"), *twice], mode)
        assert num_skipped == 4


@pytest.mark.parametrize("mode", ["in turn", "threads"])
def test_what_lies_about_changes_is_found(mode: str) -> None:
    """The property would fail if a change went unnoticed."""
    steps = [("", "stamp"), ("functions", "toggle"), ("", "stamp")]

    class Lies(Toggle):
        def run_on_operation(self) -> None:
            super().run_on_operation()
            self.mark_unchanged()

    expected = result(steps, "all")
    ANYWHERE["toggle"] = Lies
    try:
        assert result(steps, mode)[0] != expected[0]
    finally:
        ANYWHERE["toggle"] = Toggle
