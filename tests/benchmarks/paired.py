"""IR of functions, paired rounds and printed figures, for several benchmarks."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import TypeAlias

Seconds: TypeAlias = Callable[[], float]
"""Does something once, and returns the time that it took."""

_FUNCTION = """\
func.func @f{index}(%a: i32, %b: i32) -> i32 {{
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %a, %b : i32
  %2 = arith.muli %0, %1 : i32
  %c = arith.cmpi slt, %2, %a : i32
  %3 = scf.if %c -> (i32) {{
    %4 = arith.subi %2, %b : i32
    scf.yield %4 : i32
  }} else {{
    %4 = arith.muli %2, %b : i32
    scf.yield %4 : i32
  }}
  func.return %3 : i32
}}
"""


def text_of(num_functions: int) -> str:
    """Return a module of `num_functions` functions of ten operations."""
    functions = (_FUNCTION.format(index=index) for index in range(num_functions))
    return f"builtin.module {{\n{''.join(functions)}}}\n"


def median_ratio(measured: Seconds, baseline: Seconds, rounds: int) -> float:
    """Return the median ratio of both, which take turns in being first."""
    ratios = []
    for number in range(-1, rounds):
        if number % 2:
            measured_s, baseline_s = measured(), baseline()
        else:
            baseline_s, measured_s = baseline(), measured()
        if number >= 0:  # the first round fills caches
            ratios.append(measured_s / baseline_s)
    return statistics.median(ratios)


def report(name: str, figure: float, target: float | None) -> bool:
    """Print a figure and return whether it misses its target."""
    print(f"{name}: {figure:.3f} (target {target})", flush=True)
    return target is not None and figure > target
