"""Runs the examples of specs outside of pytest, as the build of a site does.

python -m passgen_tools.testing.check_examples --driver my_dialect.driver:main a.yaml

The exit code is 1 if an example is stale.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Final

from passgen_tools.testing.example_run import ExampleDriver, run_example
from passgen_tools.testing.spec_examples import SpecError, read_examples

_OWN_DRIVER: Final = "passgen_tools.opt:main"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the examples of the specs in `argv`; print what is wrong with them."""
    parser = argparse.ArgumentParser(prog="check_examples")
    parser.add_argument("specs", nargs="+", type=Path)
    parser.add_argument("--driver", default=_OWN_DRIVER, help="function, then flags")
    arguments = parser.parse_args(argv)
    try:
        failures = list(_failures(arguments.specs, shlex.split(arguments.driver)))
    except SpecError as error:
        failures = [str(error)]
    sys.stderr.write("".join(f"{failure.rstrip()}\n" for failure in failures))
    return 1 if failures else 0


def _failures(specs: Sequence[Path], words: Sequence[str]) -> list[str]:
    place, *flags = words
    try:
        resolve_name(place)
    except (ImportError, AttributeError, ValueError) as error:
        expected = "expected a function, module:function"
        return [f"--driver: found '{place}', {expected}: {error}"]
    is_own = place == _OWN_DRIVER
    driver = ExampleDriver(place, ["passgen-opt", *flags], chooses_library=is_own)
    # Two specs may include an example.
    examples = {
        (example.file, example.line): example
        for spec in specs
        for example in read_examples(spec)
    }
    runs = [run_example(example, driver) for example in examples.values()]
    return [run.failure for run in runs if run.failure]


if __name__ == "__main__":
    sys.exit(main())
