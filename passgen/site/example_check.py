"""The check that the examples on a site are true, by the tools in another process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

_CHECK: Final = ("-m", "passgen_tools.testing.check_examples")
DEFAULT_DRIVER: Final = "passgen_tools.opt:main"
"""The function of `passgen-opt`, which runs the passes shipped with the runtime."""

_MISSING: Final = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'\)?$")


class ExampleCheck(NamedTuple):
    """What is wrong with examples, or why they were not run; texts may be empty."""

    errors: str
    warning: str = ""


def check_examples(
    specs: Sequence[str], driver: str, folders: Sequence[Path]
) -> ExampleCheck:
    """Run the examples of `specs`.

    Args:
        specs: their paths.
        driver: the function of the driver that runs them, and its flags.
        folders: where its modules are looked for, before those that are installed.
    """
    paths = (*map(str, folders), os.environ.get("PYTHONPATH"))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    done = subprocess.run(  # noqa: S603 - the user names the driver
        [sys.executable, *_CHECK, "--driver", driver, *specs],
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    said = done.stderr.strip()
    if missing := _MISSING.search(said):
        reason = f"{missing[1]} cannot be imported: install 'mlir-passgen-tools[test]'"
        return ExampleCheck("", f"the examples were not run: {reason}")
    return ExampleCheck(said if done.returncode else "")
