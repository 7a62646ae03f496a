"""What a command has to say: text, messages and an exit code, for `cli` to print."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from passgen.diagnostics import Diagnostic, UserError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


EXIT_FINE: Final = 0
EXIT_WRONG: Final = 1
EXIT_USAGE: Final = 2


@dataclass(frozen=True)
class Outcome:
    """What is printed when a command is done, in the order of the fields."""

    text: str = ""
    """For standard output, in UTF-8 whatever the locale."""

    report: str = ""
    """As `text`, in color on a terminal: messages that are what was asked for."""

    lines: tuple[str, ...] = ()
    """For standard output, in the encoding of the locale: names of files."""

    messages: tuple[Diagnostic | UserError | str, ...] = ()
    """For standard error."""

    code: int = EXIT_FINE

    inputs: tuple[str, ...] = ()
    """The specs that were read, and what they include; nothing of it is printed."""

    following: Iterable[Outcome] = ()
    """What comes later, each printed when it is there; their codes do not count."""


class CommandParser(argparse.ArgumentParser):
    """An `ArgumentParser` that keeps the layout of its texts and takes no prefixes."""

    def __init__(self, prog: str, description: str, epilog: str) -> None:
        """Begin with no arguments but `--help`."""
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help, and unlike argparse do not ignore that this fails."""
        print(self.format_help(), end="", file=file)
