"""What messages look like on a terminal: color, and progress of long work.

Returns texts and writes to the stream it is given; what to say is for `cli` to decide.
"""

from __future__ import annotations

import os
import re
import time
from typing import Final, TextIO

_COLORS: Final = {"error": "31", "warning": "35", "note": "36"}
_HEADLINE: Final = re.compile(
    r"(?P<place>\A.*?: |^.+:\d+:\d+: |^)(?P<kind>error|warning|note): ", re.MULTILINE
)
_PATIENCE_S: Final = 1.0
"""Work shorter than this needs no progress."""


def colored(text: str, stream: TextIO | None) -> str:
    """Return the message `text` with its kind in color if `stream` shows color."""
    if not _shows_color(stream):
        return text
    return _HEADLINE.sub(_color, text)


def _shows_color(stream: TextIO | None) -> bool:
    if stream is None or not stream.isatty():
        return False
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _color(match: re.Match[str]) -> str:
    kind = match["kind"]
    return f"{match['place']}\x1b[1;{_COLORS[kind]}m{kind}:\x1b[0m "


class Progress:
    """One line on a terminal that says which of many inputs is worked on."""

    def __init__(self, stream: TextIO | None, total: int) -> None:
        """Show on `stream`, if it is a terminal, how many of `total` are done."""
        self.stream = stream
        self.total = total
        self.done = 0
        self.start_s = time.monotonic()
        self.is_shown = False

    def step(self, name: str) -> None:
        """Begin the next input, `name`."""
        self.done += 1
        is_long = time.monotonic() - self.start_s >= _PATIENCE_S
        if self.stream is not None and is_long and self.stream.isatty():
            self.stream.write(f"\r\x1b[K[{self.done}/{self.total}] {name}")
            self.stream.flush()
            self.is_shown = True

    def clear(self) -> None:
        """Make room for a message."""
        if self.stream is not None and self.is_shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
            self.is_shown = False
