"""The commands: one module each, imported when its command is given.

A command takes the arguments after its name and returns an `Outcome`; it prints
nothing. `cli` looks it up here by what the user typed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from passgen.commands.outcome import EXIT_USAGE, EXIT_WRONG, Outcome

__all__ = ["COMMANDS", "EXIT_USAGE", "EXIT_WRONG", "Command", "Outcome"]


@dataclass(frozen=True)
class Command:
    """One command of `passgen`."""

    name: str
    """What users type after `passgen`."""

    module: str
    """Below this package; its `run` takes the arguments."""

    summary: str
    """Its line in `passgen --help`."""


COMMANDS: Final = {
    command.name: command
    for command in (
        Command("diff", "diff", "report the changes that concern users of passes"),
        Command("drift", "drift", "find where specs and implementations differ"),
        Command("format", "format", "bring specs into the normal layout"),
        Command("import", "import_tablegen", "write the spec of a Passes.td"),
        Command("init", "init", "let editors complete and check specs"),
        Command("lint", "lint", "check the style of specs"),
        Command("list", "list", "list the passes that specs declare"),
        Command("new", "new", "write a new pass that runs, with a test"),
        Command("site", "site", "write a documentation site about passes"),
        Command("watch", "watch", "renew files whenever a spec changes"),
    )
}
"""Every command by its name; without one, `generate` takes the arguments."""
