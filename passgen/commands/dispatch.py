"""The command that a command line names, imported when it is given.

All commands would take 30 ms to import, a seventh of the start of `passgen`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final, TypeAlias

from passgen.commands.outcome import Outcome
from passgen.commands.table import COMMANDS

Run: TypeAlias = Callable[[Sequence[str], Path | None], Outcome]
"""Takes the arguments after the name of the command, and the current folder."""

_COMPLETE: Final = "--complete="
"""What the completion scripts of shells call, with the command line so far."""


def run_command(words: Sequence[str], folder: Path | None) -> Outcome:
    """Run the command that `words` begin with, by default `generate`."""
    if words and words[0].startswith(_COMPLETE):
        from passgen.commands.completion import complete

        return complete(words[0].removeprefix(_COMPLETE), _function)
    if words and words[0] in COMMANDS:
        return _function(words[0])(words[1:], folder)
    return _function("generate")(words, folder)


def _function(name: str) -> Run:
    """Return the function of the command called `name`."""
    module = "import_tablegen" if name == "import" else name
    run: Run = import_module(f"passgen.commands.{module}").run
    return run
