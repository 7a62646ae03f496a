"""The messages of `passgen-opt` about a run: failures and diagnostics."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import filterfalse
from pathlib import Path
from typing import TYPE_CHECKING, Final

import passgen_rules
import passgen_runtime
from passgen_runtime.diagnostics import (
    UNKNOWN_LOCATION,
    Diagnostic,
    print_text,
    standard_stream,
    visible,
)
from passgen_runtime.errors import IRError, PassError, PassFailure, clip, text_of
from passgen_runtime.output_files import shown_path
from passgen_tools.opt.options import Color, DriverOptions

if TYPE_CHECKING:
    from traceback import FrameSummary

_TOOLS: Final = Path(__file__).parents[1]
_RULES: Final = Path(passgen_rules.__file__).parent
_RUNTIME: Final = Path(passgen_runtime.__file__).parent
_IMPORTING: Final = (Path(importlib.__file__), Path(pkgutil.__file__))
_MAX_CALLS: Final = 4
"""The calls shown at either end of a chain, which may be hundreds of calls deep."""


class ProcessEndError(PassError):
    """A contained process has ended while passes ran."""


_COLORS: Final = {"error": 31, "warning": 35, "remark": 34, "note": 36}
"""The colors of clang."""

_HEADLINE: Final = re.compile(
    r"^(?P<place>\S.*?:\d+:\d+: )?(?P<kind>error|warning|remark|note): (?P<text>.*)",
    re.MULTILINE,
)
_CARET: Final = re.compile(r"^ *\^~*$", re.MULTILINE)


def shows_color(color: Color) -> bool:
    """Return whether messages on standard error are colored."""
    stream = standard_stream("stderr")
    if color != "auto" or stream is None:
        return color == "always"
    is_dumb = os.environ.get("TERM") == "dumb"
    return stream.isatty() and not is_dumb and not os.environ.get("NO_COLOR")


@dataclass(frozen=True, slots=True)
class MessageStyle:
    """How messages are printed."""

    color: Color = "auto"
    is_json: bool = False

    @classmethod
    def of(cls, options: DriverOptions) -> MessageStyle:
        """Return the style that the command line asks for."""
        return cls(options.color, options.diagnostics_format == "json")


def write_messages(text: str, style: MessageStyle) -> None:
    """Write messages to standard error; severities, places and carets in color."""
    if style.is_json:
        from passgen_rules.json_messages import json_lines, messages_in

        print_text(json_lines(messages_in(text)))
        return
    text = visible(text)
    if shows_color(style.color):
        text = _CARET.sub("\x1b[1;32m\\g<0>\x1b[0m", _HEADLINE.sub(_color, text))
    print_text(text)


def _color(headline: re.Match[str]) -> str:
    place = headline["place"] or ""
    kind, text = headline["kind"], headline["text"]
    return f"\x1b[1m{place}\x1b[{_COLORS[kind]}m{kind}: \x1b[0;1m{text}\x1b[0m"


def report_failure(options: DriverOptions, error: PassError) -> None:
    """Print the error, the calls that raised it, and the notes that were added."""
    from passgen_tools.forms import FormCheckError

    # Diagnostics have been printed.
    lines = [as_error(error.summary if isinstance(error, PassFailure) else str(error))]
    cause = error.__cause__ if isinstance(error, PassFailure) else error
    if isinstance(cause, FormCheckError):
        cause = cause.__cause__
    if cause is not error:
        lines += _calls(cause)
    lines += [f"note: {note}" for note in getattr(error, "__notes__", ())]
    text = "".join(f"{line}\n" for line in lines)
    write_messages(text, MessageStyle.of(options))


def as_error(message: str) -> str:
    """Return `message`, behind `error: ` unless its first line has a severity."""
    return message if "error:" in message.partition("\n")[0] else f"error: {message}"


def unexpected_error(error: BaseException) -> str:
    """Return the message about an error that is a bug, with where it was raised."""
    from traceback import extract_tb

    last = extract_tb(error.__traceback__)[-_MAX_CALLS:]
    places = (f"{shown_path(frame.filename)}:{frame.lineno}" for frame in last)
    return (
        f"error: {type(error).__name__}: {clip(text_of(error))}\n"
        "note: this is a bug in the driver, in a dialect or in a plugin\n"
        f"note: at {' > '.join(places)}\n"
    )


def _calls(cause: BaseException | None) -> Iterator[str]:
    """Yield the calls of a pass, or of the check of a form, to its exception."""
    # Invalid IR has a place of its own, and so has a failure in a dynamic pipeline.
    if cause is None or isinstance(cause, IRError | PassFailure):
        return
    from traceback import extract_tb

    in_worker: list[FrameSummary] = vars(cause).get("frames_in_worker", [])
    yield from shown_calls(in_worker or extract_tb(cause.__traceback__))


def shown_calls(frames: Sequence[FrameSummary]) -> Iterator[str]:
    """Yield a note for each of `frames` outside of the pass infrastructure.

    Args:
        frames: outermost first; callers of the infrastructure are not shown.
    """
    own = map(_is_of_the_infrastructure, frames)
    first = next((number for number, is_own in enumerate(own) if is_own), 0)
    lines = [
        f"note: at {shown_path(frame.filename)}:{frame.lineno}, in {frame.name}: "
        f"{clip(frame.line or '')}".removesuffix(": ")
        for frame in filterfalse(_is_of_the_infrastructure, frames[first:])
    ]
    more = len(lines) - 2 * _MAX_CALLS
    if more > 0:
        lines[_MAX_CALLS:-_MAX_CALLS] = [f"note: {more} more in between"]
    yield from lines


def _is_of_the_infrastructure(frame: FrameSummary) -> bool:
    path = Path(frame.filename)
    if path in _IMPORTING or frame.filename.startswith("<frozen importlib"):
        return True
    is_pass = path.is_relative_to(_RUNTIME / "passes")
    return not is_pass and any(map(path.is_relative_to, (_RULES, _RUNTIME, _TOOLS)))


_TAB_SIZE = 8
_SHOWN: Final = {
    "errors": {"error"},
    "warnings": {"error", "warning"},
    "remarks": {"error", "warning", "remark", "note"},
}


class SourceLines:
    """The lines of one input, which diagnostics about them show."""

    def __init__(self, text: str, name: str) -> None:
        """Show lines of `text`, the input called `name`."""
        self._text = text
        self._name = name

    @cached_property
    def _lines(self) -> list[str]:
        # Split for the first excerpt: the parts of a split input are many.
        return self._text.split("\n")

    def position(self, location: str) -> tuple[int, int]:
        """Return line and column of `location`; 0 and 0 if it is not in the input."""
        place, _, column = location.rpartition(":")
        name, _, line = place.rpartition(":")
        is_here = name == self._name and line.isdigit() and column.isdigit()
        return (int(line), int(column)) if is_here else (0, 0)

    def excerpt(self, location: str, length: int = 1) -> tuple[str, ...]:
        """Return the line at `location` and one that marks it, if it is in the input.

        Args:
            location: `file:line:col`, or the text for an unknown one.
            length: how many characters to mark.
        """
        number, column = self.position(location)
        if not 0 < number <= len(self._lines) or column == 0:
            return ()
        line = self._lines[number - 1].removesuffix("\r")
        margin = len(visible(line[: column - 1].expandtabs(_TAB_SIZE)))
        shown = visible(line.expandtabs(_TAB_SIZE))
        return (shown, f"{' ' * margin}^{'~' * (length - 1)}")


def print_with_source(
    source: SourceLines, options: DriverOptions, diagnostic: Diagnostic
) -> None:
    """Print a diagnostic with lines of `source`, as far as `options` ask for it."""
    if diagnostic.severity not in _SHOWN[options.verbosity]:
        return
    if options.diagnostics_format == "json":
        if options.hides_notes:
            diagnostic = replace(diagnostic, notes=())
        print_text(_as_json(diagnostic))
        return
    previous = ""
    shown: list[str] = []
    for location, text in diagnostic.entries(with_notes=not options.hides_notes):
        shown.append(text)
        if location != previous:
            shown += source.excerpt(location)
        previous = location
    text = "".join(f"{line}\n" for line in shown)
    write_messages(text, MessageStyle.of(options))


def _as_json(diagnostic: Diagnostic) -> str:
    """Return `diagnostic` as an object; its notes are those that MLIR prints."""
    from passgen_rules.json_messages import json_lines, message_at

    place, message = diagnostic.location, diagnostic.message
    if place.startswith("loc(") and place != UNKNOWN_LOCATION:
        message = f"{place}: {message}"
    found = message_at(place, diagnostic.severity, message)
    found.notes += (
        message_at(caller, "note", "called from") for caller in diagnostic.callers
    )
    for note in diagnostic.notes:
        found.notes.append(message_at(note.location, "note", note.message))
    return json_lines([found])
