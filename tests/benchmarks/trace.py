"""How large traces of records are, and how long they take to write.

    python -m tests.benchmarks.trace

A record has a million executions: fifty passes on each of 20,000 functions, with times
as of a run. Their trace is written and compressed. A run that is traced is a run that
is recorded: recording.py measures it. Prints one line for each figure, and exits 1 if
one misses its target. The ratio is one of processor times.
"""

from __future__ import annotations

import json
import random
import sqlite3
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from passgen_tools.record import begin_record
from passgen_tools.report import write_trace
from tests.benchmarks.paired import report

NUM_FUNCTIONS: Final = 20_000
NUM_PASSES: Final = 50
NAMES: Final = ("canonicalize", "cse", "affine-loop-unroll", "sccp", "symbol-dce")

SIZE_TARGET_MB: Final = 20.0
TIME_TARGET: Final = 3.6
"""The time of a trace to that of as many bare events, in JSON and compressed."""


def executions() -> Iterator[tuple[object, ...]]:
    """Yield rows of executions, which take 50 us each and change 10 % of functions."""
    drawn = random.Random(0)  # noqa: S311 - of test data
    begin_s = 0.0
    for number in range(NUM_FUNCTIONS * NUM_PASSES):
        begin_s += drawn.uniform(1e-6, 5e-6)
        end_s = begin_s + drawn.expovariate(1 / 5e-5)
        function, pass_ = divmod(number, NUM_PASSES)
        after = 2 if drawn.random() < 0.1 else 1
        times = begin_s, end_s
        yield (
            number + 1,
            1,
            pass_ + 1,
            function + 1,
            number,
            "succeeded",
            0,
            *times,
            1,
            after,
        )
        begin_s = end_s


def make_record(path: Path) -> None:
    """Write a record of a million executions."""
    begin_record(path)
    options = "max-iterations=10"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "INSERT INTO ir (id, digest, text, num_operations) VALUES (?, ?, ?, 1)",
            [(1, b"1", b""), (2, b"2", b"")],
        )
        connection.execute(
            "INSERT INTO run (id, pipeline, settings, versions, process_id, status)"
            " VALUES (1, 'builtin.module(func.func(cse))', '{}', '{}', 1, 'succeeded')"
        )
        connection.executemany(
            "INSERT INTO operation VALUES (?, 1, ?, 'func.func', 'in.mlir:1:1')",
            [(number + 1, f"@function_{number}") for number in range(NUM_FUNCTIONS)],
        )
        names = [NAMES[number % len(NAMES)] for number in range(NUM_PASSES)]
        connection.executemany(
            "INSERT INTO pass VALUES (?, 1, ?, ?, ?, ?)",
            [
                (
                    number + 1,
                    f"builtin.module/func.func[0]/{name}[{number}]",
                    name,
                    name,
                    f"{name}{{{options}}}",
                )
                for number, name in enumerate(names)
            ],
        )
        connection.executemany(
            "INSERT INTO execution (id, run_id, pass_id, operation_id, position,"
            " status, thread, begin_s, end_s, before_id, after_id)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            executions(),
        )


def bare_events_s() -> float:
    """Return the time of as many events in JSON, compressed at once."""
    begin_s = time.process_time()
    event = {"name": "cse", "ph": "X", "pid": 1, "tid": 1, "ts": 0.5, "dur": 50.25}
    num_events = NUM_FUNCTIONS * NUM_PASSES
    zlib.compress(
        ",".join(json.dumps({**event, "ts": n}) for n in range(num_events)).encode()
    )
    return time.process_time() - begin_s


def main() -> int:
    """Print all figures; return 1 if one misses its target."""
    with tempfile.TemporaryDirectory() as folder:
        record, trace = Path(folder, "run.db"), Path(folder, "run.json.gz")
        make_record(record)
        begin_s, begin_cpu_s = time.perf_counter(), time.process_time()
        write_trace(record, trace)
        wall_time_s = time.perf_counter() - begin_s
        cpu_time_s = time.process_time() - begin_cpu_s
        what = "a trace of 1,000,000 passes"
        misses = report(f"MB of {what}", trace.stat().st_size / 1e6, SIZE_TARGET_MB)
        misses |= report(
            f"{what}, to bare events", cpu_time_s / bare_events_s(), TIME_TARGET
        )
        report(f"s until {what} is written", wall_time_s, None)
    return int(misses)


if __name__ == "__main__":
    sys.exit(main())
