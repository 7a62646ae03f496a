"""The table of commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Command:
    """One command of `passgen`."""

    name: str
    """What users type after `passgen`."""

    summary: str
    """Its line in `passgen --help`."""


COMMANDS: Final = {
    command.name: command
    for command in (
        Command("diff", "report the changes that concern users of passes"),
        Command("drift", "find where specs and implementations differ"),
        Command("format", "bring specs into the normal layout"),
        Command("import", "write the spec of a Passes.td"),
        Command("init", "let editors complete and check specs"),
        Command("lint", "check the style of specs"),
        Command("list", "list the passes that specs declare"),
        Command("new", "write a new pass that runs, with a test"),
        Command("site", "write a documentation site about passes"),
        Command("watch", "renew files whenever a spec changes"),
    )
}
"""Every command by its name; without one, `generate` takes the arguments."""
