"""What editors wait for in a spec of 500 lines: its problems, and completions in it.

    python -m tests.benchmarks.editor [--rounds N]

A spec of 500 lines is changed, and its problems are found, lint included; or its last
line is half typed, and names are completed. Prints the median of each in milliseconds,
and exits 1 if one misses its target.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from passgen.editor import Workspace
from tests.benchmarks.paired import report

TARGET_MS: Final = 100.0
NUM_LINES: Final = 500

_ENTRY: Final = """\
  Unroll{number}:
    summary: Unroll loops of kind {number}
    description: |
      Before:

      ```mlir
      scf.for %i = %a to %b step %c {{ }}
      ```
    anchor: func.func
    tags: [loops]
    afterIfPresent: [canonicalize]
    options:
      - {{name: factor, type: uint32, default: 4, description: The factor.}}
      - {{name: mode, type: enum, values: [full, partial], description: The mode.}}
"""
_PIPELINE: Final = """\
pipelines:
  Lowering:
    summary: Lower everything
    anchor: func.func
    elements:
"""


def spec_of(num_lines: int) -> str:
    """Return a spec of about `num_lines` lines."""
    count = (num_lines - 10) // (_ENTRY.count("\n") + 1)
    passes = "".join(_ENTRY.format(number=number) for number in range(count))
    elements = "".join(f"      - unroll{number}\n" for number in range(count))
    head = "summary: Passes over loops\nexternalPasses: [canonicalize]\npasses:\n"
    return f"{head}{passes}{_PIPELINE}{elements}"


def median_ms(work: Callable[[int], object], rounds: int) -> float:
    """Return the median of what the calls of `work` take."""
    times = []
    for number in range(rounds):
        begin_s = time.perf_counter()
        work(number)
        times.append(time.perf_counter() - begin_s)
    return statistics.median(times) * 1000


def main() -> int:
    """Print all figures; return 1 if one misses its target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    text = spec_of(NUM_LINES)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "loops.yaml")
        workspace = Workspace(Path(folder))

        def change(number: int) -> None:
            workspace.put(path, f"{text}# {number}\n")

        def check(number: int) -> None:
            change(number)
            workspace.problems(path)

        def complete(number: int) -> None:
            change(number)
            half = f"{text}      - {{pass: \n"
            workspace.put(path, half)
            line = half.count("\n") - 1
            assert workspace.completions(path, line, len("      - {pass: "))

        check(0)
        print(f"{text.count(chr(10))} lines")
        misses = report("problems, ms", median_ms(check, rounds), TARGET_MS)
        misses |= report("completion, ms", median_ms(complete, rounds), TARGET_MS)
    return int(misses)


if __name__ == "__main__":
    sys.exit(main())
