"""The parser of command lines that all commands share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


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
