"""The schedule example of the Tileiras page: analyses survive, or nothing is built.

Any pass between the one that generates the schedule and the one that materializes it
must declare the schedule preserved. The passes are those of `tests/toy_compiler`.
"""

from __future__ import annotations

import textwrap

import pytest

from passgen_runtime import (
    OperationPass,
    PassOptions,
    PassRegistry,
    analysis,
)
from passgen_runtime.extensions.builder import (
    PassManagerBuilder,
    PipelineConstraintError,
)
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes import register_all_passes
from tests.toy_compiler.generated.toy_compiler_passes import (
    buildSchedulingPipeline,
    registerToyCompilerPasses,
)
from tests.toy_compiler.schedule import Schedule

MODULE = """\
func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.muli %0, %x : i32
  return %1 : i32
}
"""


class Annotate(OperationPass[PassOptions]):
    """Changes attributes, which leave the schedule as it is."""

    argument = "annotate"
    preserved_analyses = (analysis("tests.toy_compiler.schedule:Schedule"),)

    def run_on_operation(self) -> None:
        self.operation.attributes.pop("note", None)


@pytest.fixture
def builder() -> PassManagerBuilder:
    registry = PassRegistry()
    register_all_passes(registry)
    registerToyCompilerPasses(registry)
    return PassManagerBuilder(XDSLContext(), registry=registry)


def run(builder: PassManagerBuilder) -> str:
    context = builder.context
    assert context is not None
    module = context.parse(MODULE, "schedule.mlir")
    builder.build().run(module)
    return context.print(module)


def test_the_schedule_is_made_once_and_reaches_the_pass_that_needs_it(
    builder: PassManagerBuilder,
) -> None:
    buildSchedulingPipeline(builder)
    builder.insert_after(Annotate, "check-schedule")
    Schedule.num_made = 0

    text = run(builder)

    assert Schedule.num_made == 1
    assert text == textwrap.dedent("""\
        builtin.module {
          func.func @f(%x: i32) -> i32 attributes {start = 0 : i32} {
            %0 = arith.addi %x, %x {start = 0 : i32} : i32
            %1 = arith.muli %0, %x {start = 1 : i32} : i32
            func.return {start = 2 : i32} %1 : i32
          }
        }""")


def test_a_pass_between_that_does_not_preserve_the_schedule_is_refused(
    builder: PassManagerBuilder,
) -> None:
    buildSchedulingPipeline(builder)

    with pytest.raises(PipelineConstraintError) as caught:
        builder.insert_after("cse", "check-schedule")

    assert str(caught.value) == textwrap.dedent(
        """\
        pass-pipeline:1:59: error: pass 'cse' does not preserve analysis 'Schedule', which 'materialize-schedule' requires after it
        builtin.module(func.func(generate-schedule,check-schedule,cse,materialize-schedule))
                                                                  ^~~
        note: 'generate-schedule' provides it
        note: 'cse': inserted after 'check-schedule'
        note: the rule is declared in tests/toy_compiler/toy_compiler.yaml: MaterializeSchedule.requires"""
    )


def test_every_pass_in_the_region_is_named(builder: PassManagerBuilder) -> None:
    builder = PassManagerBuilder(
        builder.context, registry=builder.registry, defers_checks=True
    )
    builder.add(
        "func.func(generate-schedule,cse,check-schedule,canonicalize,materialize-schedule)"
    )

    with pytest.raises(PipelineConstraintError) as caught:
        builder.build()

    assert [each.message for each in caught.value.violations] == [
        "pass 'cse' does not preserve analysis 'Schedule', which 'check-schedule' requires after it",
        "pass 'canonicalize' does not preserve analysis 'Schedule', which 'materialize-schedule' requires after it",
    ]


def test_outside_of_the_region_anything_may_run(builder: PassManagerBuilder) -> None:
    builder.add("func.func(cse)")
    buildSchedulingPipeline(builder)
    builder.add("func.func(cse)")

    assert builder.check() == []


def test_an_analysis_ends_with_its_pass_manager(builder: PassManagerBuilder) -> None:
    builder.add("func.func(generate-schedule)")
    builder.add("print-op-stats")

    with pytest.raises(PipelineConstraintError) as caught:
        builder.add("func.func(materialize-schedule)")

    assert [each.message for each in caught.value.violations] == [
        "pass 'print-op-stats' ends the 'func.func' pass manager in which analysis 'Schedule' lives, and 'materialize-schedule' requires it after that"
    ]


def test_adjacent_pass_managers_share_their_analyses(
    builder: PassManagerBuilder,
) -> None:
    builder.add("func.func(generate-schedule),func.func(materialize-schedule)")
    Schedule.num_made = 0
    run(builder)

    assert Schedule.num_made == 1
