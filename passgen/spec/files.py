"""Spec files as users name them: a path, or `-` for standard input."""

from __future__ import annotations

import sys
from typing import Final

from passgen.diagnostics import UserError
from passgen.source import SourceFile, read_file, read_stream
from passgen.spec import loader

STDIN: Final = "-"
"""What stands for standard input."""


class UnreadableError(UserError):
    """A file cannot be read; the text says which and why."""

    def __init__(self, name: str, error: Exception | str) -> None:
        """Say that `name` cannot be read, for the reason in `error`."""
        self.name = name
        if isinstance(error, OSError):
            error = error.strerror or "it cannot be read"
        reason = str(error)
        super().__init__(f"{name}: error: {reason[:1].lower()}{reason[1:]}")


def read(spec: str) -> SourceFile:
    """Return the text of the file at `spec`, or of standard input.

    Raises:
        UnreadableError: it cannot be read, or is too large.
        SpecError: it is not UTF-8.
    """
    if not spec:  # Path takes it for the current folder
        raise UnreadableError("''", "found an empty name, expected a file")
    name = "<stdin>" if spec == STDIN else spec
    try:
        data = read_stream(sys.stdin.buffer, name) if spec == STDIN else read_file(spec)
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        raise UnreadableError(name, error) from error
    except AttributeError as error:  # there is no standard input
        raise UnreadableError(name, "it is closed") from error
    return loader.decode(name, data)
