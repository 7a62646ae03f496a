"""The commands: one module each, imported when its command is given.

A command takes the arguments after its name and returns an `Outcome`; it prints
nothing. `dispatch` finds it by the name that the user typed.
"""

from passgen.commands.dispatch import run_command
from passgen.commands.outcome import EXIT_USAGE, EXIT_WRONG, Outcome, given_value
from passgen.commands.table import COMMANDS

__all__ = [
    "COMMANDS",
    "EXIT_USAGE",
    "EXIT_WRONG",
    "Outcome",
    "given_value",
    "run_command",
]
