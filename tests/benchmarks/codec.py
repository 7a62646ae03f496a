"""What encoding and decoding IR costs, beside printing and parsing it.

    python -m tests.benchmarks.codec [--rounds N]

A module of 1,000 functions is printed with locations and parsed, or encoded and decoded,
in turn in one process; the values have names. Prints one line for each figure, and exits
1 if one misses its target. MLIR's own bytecode has no target.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Final

from passgen_runtime import Context
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.printing_flags import PrintingFlags
from passgen_tools.ir_libraries import transport_of
from tests.benchmarks.paired import median_ratio, report, text_of

NUM_FUNCTIONS: Final = 1000
TIME_TARGET: Final = 0.35
SIZE_TARGET: Final = 0.75

_FLAGS: Final = PrintingFlags(debug_info=True)


def seconds(work: Callable[[], object]) -> float:
    """Return how long `work` takes."""
    begin_s = time.perf_counter()
    work()
    return time.perf_counter() - begin_s


def figures(context: Context, rounds: int) -> tuple[float, float]:
    """Return the ratios of times and of sizes."""
    text = text_of(NUM_FUNCTIONS).replace("%0", "%sum").replace("%4", "%value")
    module = context.parse(text, "functions.mlir")

    def as_bytes() -> None:
        transport_of(context).decode(transport_of(context).encode(module))

    def as_text() -> None:
        context.parse(context.print(module, flags=_FLAGS), "functions.mlir")

    ratio = median_ratio(lambda: seconds(as_bytes), lambda: seconds(as_text), rounds)
    printed = context.print(module, flags=_FLAGS).encode()
    return ratio, len(transport_of(context).encode(module)) / len(printed)


def main() -> int:
    """Print all figures; return 1 if one misses its target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    misses = False
    measured: tuple[tuple[str, Context, tuple[float | None, float | None]], ...] = (
        ("xDSL", XDSLContext(), (TIME_TARGET, SIZE_TARGET)),
        ("MLIR", MLIRContext(), (None, None)),
        ("jaxlib's MLIR", MLIRContext("jaxlib.mlir"), (None, None)),
    )
    for name, context, (time_target, size_target) in measured:
        time_ratio, size_ratio = figures(context, rounds)
        misses |= report(
            f"{name}: encode and decode to print and parse", time_ratio, time_target
        )
        misses |= report(f"{name}: bytes to text", size_ratio, size_target)
    return int(misses)


if __name__ == "__main__":
    sys.exit(main())
