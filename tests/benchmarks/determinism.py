"""What `--verify-determinism` costs, as a multiple of the run.

    python -m tests.benchmarks.determinism [--functions N] [--rounds N]

Both run in turn; the figure is the ratio of their least processor times, those of all
their processes together. Prints the figure and exits 1 if it misses its target.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.paired import report

TARGET_RATIO = 10
PIPELINE = "--pass-pipeline=builtin.module(func.func(canonicalize,cse))"
NUM_SUMS = 8


def function(index: int) -> str:
    """Return a function of ten operations, half of which are equal to others."""
    lines = ["%0 = arith.addi %x, %x : i32"]
    for number in range(1, NUM_SUMS + 1):
        operand = "%x" if number % 2 == 0 else f"%{number - 1}"
        lines.append(f"%{number} = arith.addi {operand}, %x : i32")
    body = "\n".join(lines)
    head = f"func.func @f{index}(%x: i32) -> i32 {{"
    return f"{head}\n{body}\nfunc.return %{NUM_SUMS} : i32\n}}\n"


def cpu_seconds(*command: str) -> float:
    """Return the processor time of a command with its processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Measure, print and judge."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--functions", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=4)
    given = parser.parse_args()
    passgen_opt = str(Path(sys.executable).with_name("passgen-opt"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "input.mlir")
        file.write_text("".join(map(function, range(given.functions))))
        command = [passgen_opt, str(file), PIPELINE, "-o", "/dev/null"]
        checked = [*command, "--verify-determinism"]
        pairs = [
            (cpu_seconds(*command), cpu_seconds(*checked)) for _ in range(given.rounds)
        ]
    run_s, checked_s = map(min, zip(*pairs, strict=True))
    name = f"--verify-determinism of {given.functions} functions, to the run"
    return int(report(name, checked_s / run_s, TARGET_RATIO))


if __name__ == "__main__":
    raise SystemExit(main())
