"""The outcome of a command: text, messages and an exit code, for `cli` to print."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

from passgen.diagnostics import (
    COLORS,
    DIAGNOSTICS_FORMATS,
    Diagnostic,
    UserError,
    as_json,
    for_terminal,
)
from passgen.resources import PACKAGE

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


NamespaceT = TypeVar("NamespaceT", bound=argparse.Namespace)

EXIT_FINE: Final = 0
EXIT_WRONG: Final = 1
EXIT_USAGE: Final = 2


@dataclass(frozen=True)
class Outcome:
    """The output of a command, in the order of the fields."""

    text: str = ""
    """For standard output, in UTF-8 whatever the locale."""

    diff: str = ""
    """A unified diff; `text` is the same in color, on a terminal."""

    report: str = ""
    """The findings, which are the output asked for; in color on a terminal."""

    lines: tuple[str, ...] = ()
    """For standard output, in the encoding of the locale: names of files."""

    messages: tuple[Diagnostic | UserError | str, ...] = ()
    """For standard error."""

    code: int = EXIT_FINE

    inputs: tuple[str, ...] = ()
    """The specs that were read, and the files that they include; not printed."""

    following: Iterable[Outcome] = ()
    """Later outcomes, each printed as soon as it exists; their codes are ignored."""


OPTIONS_WANTED: Final = ("options of the command",)
"""Given to a command, this object asks for its options."""


class OptionsWantedError(Exception):
    """The options of a command, which completion asks for."""

    def __init__(self, options: Sequence[argparse.Action]) -> None:
        """Carry `options`."""
        super().__init__()
        self.options = options


def given_value(words: Sequence[str], flag: str) -> str:
    """Return the value of `flag` in a command line; empty if it is not given."""
    for number, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name == flag:
            return value if equals else "".join(words[number + 1 : number + 2])
    return ""


class CommandParser(argparse.ArgumentParser):
    """An `ArgumentParser` that keeps the layout of texts and takes no abbreviations."""

    def __init__(self, prog: str, end: str = "") -> None:
        """Begin with `--help`, and with the arguments that `cli` reads.

        The texts around the list of arguments are in a file; `end` follows them.
        """
        folder = PACKAGE / "commands" / "help"
        text, exit_codes = (
            (folder / f"{name}.txt").read_text(encoding="utf-8")
            for name in (prog.replace(" ", "-"), "exit-codes")
        )
        description, _, epilog = text.partition("\n\n")
        epilog = epilog.replace("{exit codes}\n", exit_codes) + end
        self._options: list[argparse.Action] = []
        self._prints_json = False
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self.add_argument(
            "--color",
            choices=COLORS,
            help="color diagnostics and diffs, auto by default",
        )
        self.add_argument(
            "--diagnostics-format",
            choices=DIAGNOSTICS_FORMATS,
            help="print diagnostics for people, or as one JSON object a line",
        )

    def add_argument(self, *names: str, **more: Any) -> argparse.Action:  # noqa: ANN401
        """Add an argument; see argparse."""
        action = super().add_argument(*names, **more)
        self._options.append(action)
        return action

    def parse_args(  # type: ignore[override] # of all its forms, commands use this one
        self, args: Sequence[str], namespace: NamespaceT
    ) -> NamespaceT:
        """Parse `args` into `namespace`.

        Raises:
            OptionsWantedError: they are `OPTIONS_WANTED`.
        """
        if args is OPTIONS_WANTED:
            raise OptionsWantedError(self._options)
        self._prints_json = given_value(args, "--diagnostics-format") == "json"
        for before, argument in zip(("", *args), args, strict=False):
            option, equals, value = argument.partition("=")
            if not argument and before.startswith("-") and before != "--name":
                self.error(f"found an empty argument after '{before}'")
            if option.startswith("-") and equals and not value and option != "--name":
                self.error(f"'{argument}' has no value")
        return super().parse_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Exit with `message` about the arguments, after their usage."""
        if self._prints_json:
            self.exit(EXIT_USAGE, as_json(f"{self.prog}: error: {message}"))
        super().error(message)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Exit with `message`, which may show an argument, on standard error."""
        super().exit(status, for_terminal(message) if message else None)

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help; unlike argparse, raise the error if this fails."""
        print(self.format_help(), end="", file=file)
