"""Run fuzzers for a time: `python -m tests.fuzz [NAME ...] --time SECONDS`.

Findings are written below `build/fuzz`; the exit code is 1 if there are any.
"""

from __future__ import annotations

import argparse
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Final

from tests.fuzz.harness import Fuzzer, explore

FUZZERS: Final = (
    "specs",
    "dumps",
    "manifests",
    "pipelines",
    "ir",
    "encoded",
    "reproducers",
)
"""The modules of this folder that have a `FUZZER`."""


def main() -> int:
    """Run the fuzzers that the command line names; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(FUZZERS))
    parser.add_argument("--time", type=float, default=60, help="seconds of each")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--findings", type=Path, default=Path("build/fuzz"))
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(FUZZERS):
        parser.error(f"unknown fuzzers {sorted(unknown)}, expected of {FUZZERS}")
    has_findings = False
    for name in arguments.names or FUZZERS:
        fuzzer: Fuzzer = import_module(f"tests.fuzz.{name}").FUZZER
        figures = explore(fuzzer, arguments.time, arguments.seed, arguments.findings)
        print(f"{name}: seed {arguments.seed}, {figures}", flush=True)  # noqa: T201
        has_findings |= bool(figures.findings)
    return int(has_findings)


if __name__ == "__main__":
    sys.exit(main())
