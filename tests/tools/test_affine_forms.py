"""The form of the affine group: loops with one lower bound start at 0, with step 1."""

from __future__ import annotations

import pytest

from passgen_runtime import parse_pass_manager
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes.affine.loop_normalize import loops_to_normalize
from passgen_tools import run
from passgen_tools.forms import verify_forms
from passgen_tools.ir_libraries import registry_of

LOOPS = """
func.func @loops(%n: index) {
  affine.for %i = 2 to 32 step 3 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to 40 {
      "test.op"(%i, %j) : (index, index) -> ()
    }
  }
  affine.for %i = 0 to affine_map<()[s0] -> (s0)>()[%n] step 2 {
    "test.op"(%i) : (index) -> ()
  }
  affine.for %i = max affine_map<()[s0] -> (s0, 4)>()[%n] to 40 step 5 {
    "test.op"(%i) : (index) -> ()
  }
  func.return
}
"""


def faults(pipeline: str) -> list[str]:
    """Return what is wrong with the loops after a pipeline."""
    context = XDSLContext()
    module = context.parse(LOOPS, "in.mlir")
    if pipeline:
        run(pipeline, module, context=context)
    return list(loops_to_normalize(module))


def test_each_loop_with_one_lower_bound_is_judged() -> None:
    assert faults("") == [
        "a loop from 2 with step 3",
        "a loop from d0 with step 1",
        "a loop from 0 with step 2",
    ]


@pytest.mark.parametrize("promotes", ["true", "false"])
def test_normalization_gives_the_form(promotes: str) -> None:
    options = f"{{promote-single-iter={promotes}}}"
    assert faults(f"func.func(affine-loop-normalize{options})") == []


def test_the_form_is_verified_where_the_pass_gives_it() -> None:
    context = XDSLContext()
    pipeline = "builtin.module(func.func(affine-loop-normalize))"
    manager = parse_pass_manager(pipeline, context, registry_of(context))
    verifier = verify_forms(manager)

    manager.run(context.parse(LOOPS, "in.mlir"))

    assert verifier.violations == []


def test_unrolling_breaks_it() -> None:
    unrolled = faults("func.func(affine-loop-normalize,affine-loop-unroll)")
    assert "a loop from 0 with step 4" in unrolled
