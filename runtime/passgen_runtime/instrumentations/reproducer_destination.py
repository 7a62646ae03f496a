"""Destinations of reproducers: a file, or a stream."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeAlias

from passgen_runtime.errors import PassError
from passgen_runtime.output_files import replace_file, shown_path, write_stdout


class ReproducerError(PassError):
    """A reproducer cannot be written."""


class ReproducerStream(Protocol):
    """A stream that receives one reproducer."""

    @property
    def description(self) -> str:
        """The stream's name in the message about the failure, e.g. a file name."""

    def write(self, text: str, /) -> object:
        """Write the whole reproducer."""


ReproducerStreamFactory: TypeAlias = Callable[[], ReproducerStream]
"""Returns the stream for the reproducer of a failed pipeline."""


class Destination(Protocol):
    """Keeps the reproducer while passes run."""

    def prepare(self, text: str) -> None:
        """Keep `text` as the reproducer in case the process dies."""

    def finish(self, text: str) -> str:
        """Write `text`, the reproducer of a failure; return the name of the place."""

    def discard(self) -> None:
        """Remove the reproducer: nothing has failed."""


class ReproducerFileDestination:
    """A reproducer in a file, which is restored if nothing fails."""

    def __init__(self, path: Path) -> None:
        """Write reproducers to `path`."""
        self._path = path
        self._is_special = path.exists() and not path.is_file()
        """Whether `path` is a device or a pipe, where writing cannot be undone."""

        self._previous: str | None = None
        self._has_written = False

    def prepare(self, text: str) -> None:
        """Write `text`; store the previous content of the file."""
        if self._is_special:
            return
        if not self._has_written and self._path.is_file():
            self._previous = self._path.read_text(encoding="utf-8", errors="replace")
        self._write(text)
        self._has_written = True

    def finish(self, text: str) -> str:
        """Keep the reproducer of a failure; return the path."""
        if self._is_special or not self._has_written:
            self._write(text)
        self._previous, self._has_written = None, False
        return shown_path(self._path)

    def discard(self) -> None:
        """Restore the previous content of the file, or remove it."""
        if not self._has_written:
            return
        with contextlib.suppress(OSError):
            if self._previous is not None:
                replace_file(self._path, self._previous)
            else:
                self._path.unlink(missing_ok=True)
        self._previous, self._has_written = None, False

    def _write(self, text: str) -> None:
        try:
            replace_file(self._path, text)
        except OSError as error:
            raise ReproducerError(
                "Failed to create reproducer stream: cannot open output file "
                f"'{shown_path(self._path)}': {error.strerror}"
            ) from error


class ReproducerStreamDestination:
    """A reproducer that is written to a stream after a pass has failed."""

    def __init__(self, factory: ReproducerStreamFactory) -> None:
        """Write to the stream that `factory` returns."""
        self._factory = factory

    def prepare(self, text: str) -> None:
        """Do nothing: only a file outlives the process."""

    def finish(self, text: str) -> str:
        """Write `text`, and close the stream."""
        try:
            stream = self._factory()
            stream.write(text)
            close = getattr(stream, "close", None)
            if close is not None:
                close()
        except Exception as error:
            raise ReproducerError(f"{type(error).__name__}: {error}") from error
        return stream.description

    def discard(self) -> None:
        """Do nothing: nothing was written."""


class StandardOutput:
    """Standard output, the stream of the file name `-`."""

    description = "-"

    @staticmethod
    def write(text: str) -> None:
        """Write the reproducer.

        Raises:
            OSError: the process has no standard output.
        """
        write_stdout(text)
