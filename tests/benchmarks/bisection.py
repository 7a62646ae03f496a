"""How well, and with how many checks, `passgen-bisect` finds what is wrong.

    python -m tests.benchmarks.bisection [--faults N]

In 200 small records, each with one planted fault, half of them in passes that cannot be
skipped, the pass and the function must be named; checks that answer at random must
accuse no pass. Then one run of 50 passes on 1,000 functions: the number of checks, and the
times of the search and of the first difference to a run without the fault. Prints a line
for each figure, and exits 1 if one misses its target.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from math import log2
from pathlib import Path
from typing import Final

from passgen_tools.bisect import BisectError, bisect, first_difference
from tests.benchmarks.paired import report
from tests.planted_faults import (
    Counting,
    Fault,
    is_broken,
    is_valid,
    random_faults,
    record_run,
)

NUM_PASSES: Final = 50
NUM_FUNCTIONS: Final = 1000
NUM_FLAKY: Final = 20
MAX_CHECKS: Final = 2 * (log2(NUM_PASSES) + log2(NUM_FUNCTIONS) + 4)


def has_found(record: Path, fault: Fault, judge: Counting) -> bool:
    """Return whether a bisection names the fault in a record."""
    culprit = bisect(record, judge, is_valid=is_valid)
    named = culprit.step.argument, culprit.part and culprit.part.path
    return named == (f"stage-{fault.pass_number}", f"@f{fault.function_number}")


def num_found(folder: Path, num_faults: int) -> int:
    """Return how many faults are named, each in a record of its own."""
    found = 0
    for fault in random_faults(num_faults, 8, 8):
        record_run(folder / "small.db", 8, 8, fault)
        found += has_found(folder / "small.db", fault, Counting(is_broken))
    return found


def num_accused(record: Path) -> int:
    """Return how many checks that answer at random accuse a pass."""
    accused = 0
    generator = random.Random(1)  # noqa: S311 - no secret

    def guess(_: str) -> bool:
        return generator.random() < 0.5

    for _ in range(NUM_FLAKY):
        try:
            bisect(record, guess, is_valid=lambda _: True)
        except BisectError:
            continue
        accused += 1
    return accused


def large_run_misses(folder: Path) -> list[bool]:
    """Print the figures of the large run; return which miss their targets."""
    (fault,) = random_faults(1, NUM_PASSES, NUM_FUNCTIONS)
    good, bad = folder / "good.db", folder / "bad.db"
    record_run(bad, NUM_PASSES, NUM_FUNCTIONS, fault)
    record_run(good, NUM_PASSES, NUM_FUNCTIONS, Fault(NUM_PASSES, 0, is_required=True))
    judge = Counting(is_broken)
    begin_s = time.perf_counter()
    is_found = has_found(bad, fault, judge)
    bisected_s = time.perf_counter()
    difference = first_difference(good, bad)
    compared_s = time.perf_counter()
    is_first = difference is not None and (
        difference.operation == f"@f{fault.function_number}"
    )
    report("seconds of the bisection", bisected_s - begin_s, None)
    report("seconds of the first difference", compared_s - bisected_s, None)
    return [
        report("checks in the large run", judge.count, MAX_CHECKS),
        report("faults missed in the large run", (not is_found) + (not is_first), 0),
    ]


def main() -> int:
    """Print the figures; return whether one misses its target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", type=int, default=200)
    num_faults: int = parser.parse_args().faults
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        missed = num_faults - num_found(folder, num_faults)
        misses = [
            report("faults missed", missed, 0),
            report("random checks that accuse", num_accused(folder / "small.db"), 0),
            *large_run_misses(folder),
        ]
    return int(any(misses))


if __name__ == "__main__":
    sys.exit(main())
