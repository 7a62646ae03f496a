"""Tries packages with IR libraries, and writes the page about what runs on them.

    python -m tests.versions                    # all, a few minutes
    python -m tests.versions flydsl torch-mlir  # some: prints their rows

Each environment takes up to 650 MB, and is removed when it was tried.
"""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime

from tests.versions.environments import TRIALS, result_of
from tests.versions.page import PAGE, page


def main() -> None:
    """Try the packages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("distribution", nargs="*")
    parser.add_argument("--keep", action="store_true", help="keep the environments")
    arguments = parser.parse_args()
    chosen = [
        trial
        for trial in TRIALS
        if not arguments.distribution or trial.distribution in arguments.distribution
    ]
    results = []
    for trial in chosen:
        result = result_of(trial, keep=arguments.keep)
        results.append((trial, result))
        sys.stderr.write(f"{trial.name}: {json.dumps(result)}\n")
    if not arguments.distribution:
        today = datetime.now(tz=UTC).date().isoformat()
        PAGE.write_text(page(results, today), encoding="utf-8")


if __name__ == "__main__":
    main()
