"""Functions as programs, `module:function`, each in a process of its own.

Such a function takes the arguments and returns the exit code, as `main` of a driver
does. A process that does nothing else may be forked; another one, such as that of a
test runner, can start one that may.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from pkgutil import resolve_name
from typing import Final

EXCEPTION: Final = 126
"""The exit code of a program whose function has raised an exception."""

IS_ALONE: Final = ContextVar("IS_ALONE", default=False)
"""Whether the process does nothing but call one function."""

START_ALONE: Final[ContextVar[Callable[[], int] | None]] = ContextVar(
    "START_ALONE", default=None
)
"""Repeats the present call of a function in a process of its own, if that is possible.

It returns the exit code. The function must not have read or written anything yet.
"""

PASS_COVERAGE_FOLDER: Final = "PASSGEN_PASS_COVERAGE"  # noqa: S105 - no password
"""The variable that names a folder for counts of passes, if tests start a program."""

PASS_MUTANT: Final = "PASSGEN_PASS_MUTANT"  # noqa: S105 - no password
"""The variable that names the mutant of a pass that a program runs in its place."""

PASS_MUTANTS_FOLDER: Final = "PASSGEN_PASS_MUTANTS"  # noqa: S105 - no password
"""The variable that names a folder with the mutants that a session of tests runs."""

_START: Final = "from passgen_tools.python_programs import main; main()"


def words_of_program(place: str, failures: str = os.devnull) -> list[str]:
    """Return the first words of a command that calls a function; arguments follow.

    Args:
        place: of the function.
        failures: the path of a file to which the process appends a line if the function
            raises an exception.
    """
    return [sys.executable, "-c", _START, failures, place]


def python_path() -> str:
    """Return a value of `PYTHONPATH` by which programs find modules as here."""
    return os.pathsep.join(filter(None, sys.path))


def main() -> None:
    """Call the function that the arguments of the process name."""
    _, failures, place, *arguments = sys.argv
    sys.argv[1:] = arguments
    IS_ALONE.set(True)
    try:
        code = resolve_name(place)(arguments)
    except Exception:  # noqa: BLE001 - of the function: it is shown
        traceback.print_exc()
        with Path(failures).open("a", encoding="utf-8") as file:
            file.write(f"{place} raised an exception\n")
        code = EXCEPTION
    sys.exit(code)
