"""Passes preserve the behaviour of programs: their results and their memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

Programs = Callable[[str], Any]

UNROLL_OPTIONS = st.builds(
    "unroll-factor={} unroll-up-to-factor={} unroll-num-reps={} "
    "unroll-full-threshold={} cleanup-unroll={}".format,
    st.sampled_from((-1, 1, 2, 3, 4, 7)),
    st.sampled_from(("true", "false")),
    st.integers(0, 2),
    st.sampled_from((1, 3, 6)),
    st.sampled_from(("true", "false")),
)
FUNCTION_PASSES = st.one_of(
    UNROLL_OPTIONS.map("affine-loop-unroll{{{}}}".format),
    st.sampled_from(
        (
            "affine-loop-normalize",
            "affine-loop-normalize{promote-single-iter=false}",
            "affine-loop-invariant-code-motion",
            "loop-invariant-code-motion",
            "cse",
            "canonicalize",
            "canonicalize{region-simplify=aggressive top-down=false}",
        )
    ),
)


@dataclass(frozen=True)
class Loop:
    """The head of a loop; bounds may depend on `%n` and on outer variables."""

    lower: str
    upper: str
    step: int


def _bound(depth: int) -> st.SearchStrategy[str]:
    constant = st.integers(-3, 6).map(str)
    symbolic = st.builds(
        "affine_map<()[s0] -> (s0 * {} + {})>()[%n]".format,
        st.integers(-1, 1),
        st.integers(-3, 3),
    )
    if not depth:
        return st.one_of(constant, st.just("%n"), symbolic)
    outer = st.builds(
        "affine_map<(d0) -> (d0 * {} + {})>(%i{})".format,
        st.integers(0, 2),
        st.integers(-2, 4),
        st.integers(0, depth - 1),
    )
    return st.one_of(constant, symbolic, outer)


def _limited(keyword: str, depth: int) -> st.SearchStrategy[str]:
    """A bound, or the least or largest of two."""
    both = st.builds(
        "{} affine_map<(d0) -> (d0 + {}, {})>(%{})".format,
        st.just(keyword),
        st.integers(-2, 2),
        st.integers(-2, 6),
        st.just("n") if not depth else st.just(f"i{depth - 1}"),
    )
    return st.one_of(_bound(depth), _bound(depth), both)


def _loop(depth: int) -> st.SearchStrategy[Loop]:
    return st.builds(
        Loop, _limited("max", depth), _limited("min", depth), st.integers(1, 5)
    )


NESTS = st.sampled_from((1, 2, 2, 3)).flatmap(
    lambda depth: st.tuples(*(_loop(each) for each in range(depth)))
)


def _nest(loops: tuple[Loop, ...], depth: int, *, with_arguments: bool) -> list[str]:
    """Return the lines of a nest whose sums depend on the order of its iterations."""
    loop = loops[depth]
    variable = f"%i{depth}"
    head = f"affine.for {variable} = {loop.lower} to {loop.upper} step {loop.step}"
    body: list[str] = []
    if depth + 1 < len(loops):
        body += _nest(loops, depth + 1, with_arguments=with_arguments)
        last = f"%r{depth + 1}"
    else:
        last = f"%acc{depth}" if with_arguments else "%seed"
    index = f"({variable} * 5 + {depth}) mod 16"
    body += [
        f"%v{depth} = arith.index_cast {variable} : index to i64",
        f"%c{depth} = arith.addi %seed, %seed : i64",
        f"%l{depth} = affine.load %m[{variable} mod 16] : memref<16xi64>",
        f"%k{depth} = affine.load %m[{depth + 3}] : memref<16xi64>",
        f"%x{depth} = arith.muli {last}, %three : i64",
        f"%y{depth} = arith.addi %x{depth}, %v{depth} : i64",
        f"%z{depth} = arith.addi %y{depth}, %l{depth} : i64",
        f"%w{depth} = arith.addi %z{depth}, %c{depth} : i64",
        f"%s{depth} = arith.addi %w{depth}, %k{depth} : i64",
        f"affine.store %s{depth}, %m[{index}] : memref<16xi64>",
    ]
    if not with_arguments:
        body.append(f"%r{depth + 1}0 = arith.addi %s{depth}, %three : i64")
        return [
            f"{head} {{",
            *body,
            "}",
            f"%r{depth} = affine.load %m[{depth}] : memref<16xi64>",
        ]
    start = "%seed" if not depth else f"%acc{depth - 1}"
    return [
        f"%r{depth} = {head} iter_args(%acc{depth} = {start}) -> (i64) {{",
        *body,
        f"affine.yield %s{depth} : i64",
        "}",
    ]


def nest_text(loops: tuple[Loop, ...], *, with_arguments: bool) -> str:
    """Return a program around a loop nest."""
    lines = _nest(loops, 0, with_arguments=with_arguments)
    return "\n".join(
        (
            "func.func @main(%m: memref<16xi64>, %n: index, %seed: i64) -> i64 {",
            "%three = arith.constant 3 : i64",
            *lines,
            "return %r0 : i64",
            "}",
        )
    )


@pytest.mark.slow
@settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    loops=NESTS,
    with_arguments=st.booleans(),
    passes=st.lists(FUNCTION_PASSES, min_size=1, max_size=2),
    sizes=st.lists(st.integers(-5, 7), min_size=1, max_size=2, unique=True),
)
def test_loop_nests(
    program: Programs,
    loops: tuple[Loop, ...],
    with_arguments: bool,  # noqa: FBT001 - hypothesis passes it by name
    passes: list[str],
    sizes: list[int],
) -> None:
    text = nest_text(loops, with_arguments=with_arguments)
    tested = program(text)
    before = [tested(size, 11) for size in sizes]

    tested.run_passes(f"builtin.module(func.func({','.join(passes)}))")

    after = [tested(size, 11) for size in sizes]
    assert after == before, f"{text}\n{passes}\n{tested}"


CONTROL_FLOW = """
func.func @main(%m: memref<16xi64>, %n: i64, %seed: i64) -> (i64, i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  cf.br ^head(%zero, %seed, %seed : i64, i64, i64)
^head(%i: i64, %acc: i64, %same: i64):
  %more = arith.cmpi slt, %i, %n : i64
  cf.cond_br %more, ^body, ^exit(%acc : i64)
^body:
  %double = arith.addi %same, %same : i64
  %again = arith.addi %same, %same : i64
  %unused = arith.muli %again, %double : i64
  %sum = arith.addi %acc, %double : i64
  %total = arith.addi %sum, %again : i64
  %plus = arith.addi %total, %zero : i64
  %next = arith.addi %i, %one : i64
  %odd = arith.andi %i, %one : i64
  %is_odd = arith.cmpi eq, %odd, %one : i64
  cf.cond_br %is_odd, ^left(%plus : i64), ^right(%plus : i64)
^left(%a: i64):
  %a1 = arith.addi %a, %one : i64
  cf.br ^head(%next, %a1, %same : i64, i64, i64)
^right(%b: i64):
  %b1 = arith.addi %b, %one : i64
  cf.br ^head(%next, %b1, %same : i64, i64, i64)
^nowhere(%p: i64):
  %q = arith.addi %p, %one : i64
  cf.br ^nowhere(%q : i64)
^exit(%r: i64):
  return %r, %same : i64, i64
}
"""

STRUCTURED = """
func.func @main(%m: memref<16xi64>, %n: index, %seed: i64) -> (i64, i64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : i64
  %r:2 = scf.for %i = %zero to %n step %one
      iter_args(%a = %seed, %b = %five) -> (i64, i64) {
    %twice = arith.addi %seed, %seed : i64
    %quotient = arith.divsi %twice, %five : i64
    %old = memref.load %m[%one] : memref<16xi64>
    %index = arith.index_cast %i : index to i64
    %new = arith.addi %old, %index : i64
    memref.store %new, %m[%one] : memref<16xi64>
    %reread = memref.load %m[%one] : memref<16xi64>
    %reread_again = memref.load %m[%one] : memref<16xi64>
    %sum = arith.addi %reread, %reread_again : i64
    %sum_a = arith.addi %sum, %a : i64
    %next = arith.addi %sum_a, %quotient : i64
    scf.yield %b, %next : i64, i64
  }
  return %r#0, %r#1 : i64, i64
}
"""


@pytest.mark.parametrize(
    ("text", "pipeline"),
    [
        (CONTROL_FLOW, "canonicalize"),
        (CONTROL_FLOW, "canonicalize{region-simplify=aggressive}"),
        (CONTROL_FLOW, "canonicalize{region-simplify=disabled top-down=false}"),
        (CONTROL_FLOW, "cse"),
        (CONTROL_FLOW, "cse,canonicalize{region-simplify=aggressive},cse"),
        (STRUCTURED, "cse"),
        (STRUCTURED, "loop-invariant-code-motion"),
        (STRUCTURED, "loop-invariant-code-motion,cse,canonicalize"),
    ],
)
@pytest.mark.parametrize("size", [-1, 0, 1, 2, 7])
def test_control_flow(program: Programs, text: str, pipeline: str, size: int) -> None:
    tested = program(text)
    before, text_before = tested(size, 9), str(tested)

    tested.run_passes(f"builtin.module(func.func({pipeline}))")

    assert str(tested) != text_before
    assert tested(size, 9) == before


@pytest.mark.parametrize("factor", [-1, 1, 2, 3, 20])
@pytest.mark.parametrize(
    ("lower", "upper", "step"),
    [(0, 0, 1), (5, -5, 1), (-7, -2, 2), (3, 4, 9), (0, 13, 1), (-3, 9, 4)],
    ids=["zero-trips", "negative-trips", "negative-bounds", "step-over-range", "prime",
         "multiple"],
)  # fmt: skip
def test_unrolling_constant_bounds(
    program: Programs, factor: int, lower: int, upper: int, step: int
) -> None:
    text = nest_text((Loop(str(lower), str(upper), step),), with_arguments=True)
    tested = program(text)
    before = tested(0, 11)

    tested.run_passes(
        f"builtin.module(func.func(affine-loop-unroll{{unroll-factor={factor}}}))"
    )

    assert tested(0, 11) == before
