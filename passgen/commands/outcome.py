"""The outcome of a command: text, messages and an exit code, for `cli` to print."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn

from passgen.diagnostics import Diagnostic, UserError, for_terminal

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
    """As `text`, in color on a terminal: findings, which are the output asked for."""

    lines: tuple[str, ...] = ()
    """For standard output, in the encoding of the locale: names of files."""

    messages: tuple[Diagnostic | UserError | str, ...] = ()
    """For standard error."""

    code: int = EXIT_FINE

    inputs: tuple[str, ...] = ()
    """The specs that were read, and the files that they include; not printed."""

    following: Iterable[Outcome] = ()
    """Later outcomes, each printed when it is there; their codes do not count."""


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

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Exit with `message`, which may show an argument, on standard error."""
        super().exit(status, for_terminal(message) if message else None)

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help; unlike argparse, raise the error if this fails."""
        print(self.format_help(), end="", file=file)
