"""The parser of the command lines that `argparse` reads."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import metadata
from typing import Any


def tools_version() -> str:
    """Return the version of the tools, which only an installation knows."""
    try:
        return metadata.version("mlir-passgen-tools")
    except metadata.PackageNotFoundError:
        return "of a source tree that is not installed"


class ToolParser(argparse.ArgumentParser):
    """An `ArgumentParser` that refuses empty values, as of unset variables."""

    def add_version(self) -> None:
        """Add `--version`."""
        version = f"{self.prog} {tools_version()}"
        self.add_argument("--version", action="version", version=version)

    def parse_known_args(  # type: ignore[override] # the tools give no namespace type
        self,
        args: Sequence[str] | None = None,
        namespace: Any = None,  # noqa: ANN401 - as in argparse
    ) -> tuple[Any, list[str]]:
        """Parse `args`; see argparse."""
        given = sys.argv[1:] if args is None else args
        for before, argument in zip(("", *given), given, strict=False):
            option, equals, value = argument.partition("=")
            if not argument and before.startswith("-"):
                self.error(f"found an empty argument after '{before}'")
            if option.startswith("-") and equals and not value:
                self.error(f"'{argument}' has no value")
        return super().parse_known_args(args, namespace)
