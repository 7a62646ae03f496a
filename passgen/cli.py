"""The program `passgen`: runs a command, and prints its outcome.

Exit codes: 0 success; 1 a spec is wrong, an output is stale, or a file or standard
output (such as a closed pipe) cannot be used; 2 wrong usage; 70 a bug in passgen; 130
interrupted.
"""

from __future__ import annotations

import contextlib
import gc
import os
import re
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Final

from passgen.commands import (
    COMMANDS,
    EXIT_USAGE,
    EXIT_WRONG,
    Outcome,
    given_value,
    run_command,
)
from passgen.diagnostics import (
    Diagnostic,
    InternalError,
    SpecError,
    UserError,
    as_json,
    colored_diff,
    colorize,
    for_terminal,
)

_GC_THRESHOLD: Final = 200_000
"""The number of new objects after which Python collects garbage."""

_IS_SHARED: Final = re.compile("--(color|diagnostics-format)=")
"""The arguments of all commands, which may stand before the command."""

EXIT_BUG: Final = 70
EXIT_INTERRUPTED: Final = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run `passgen` with `argv`, by default the process's own; return the exit code."""
    # The trees of a large spec live long: at the default threshold, the garbage
    # collector takes a third of the time to search them.
    thresholds = gc.get_threshold()
    gc.set_threshold(_GC_THRESHOLD)
    try:
        if sys.stderr is not None:
            return _guard(argv)
        # Otherwise `print` would use standard output, and a file get descriptor 2.
        with Path(os.devnull).open("w") as null, contextlib.redirect_stderr(null):
            return _guard(argv)
    finally:
        gc.set_threshold(*thresholds)


@dataclass(frozen=True)
class _MessageStyle:
    """How messages are printed."""

    color: str
    is_json: bool


def _guard(argv: Sequence[str] | None) -> int:
    """Run `passgen`; turn each error that ends it early into a message and a code."""
    words = sys.argv[1:] if argv is None else list(argv)
    # Commands refuse wrong values.
    is_json = given_value(words, "--diagnostics-format") == "json"
    style = _MessageStyle(given_value(words, "--color") or "auto", is_json)
    try:
        try:
            code = _run(words, style)
        except SystemExit as stop:  # argparse has printed help, version or a mistake
            code = stop.code if isinstance(stop.code, int) else EXIT_USAGE
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _abandon_stdout()
        with contextlib.suppress(BrokenPipeError):  # messages may go there as well
            _complain(
                "passgen: error: standard output was closed before everything was "
                "written",
                style,
            )
        return EXIT_WRONG
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except OSError as error:  # standard output is the only file not handled below
        _abandon_stdout()
        reason = error.strerror or "it cannot be written"
        message = f"standard output: error: {reason[:1].lower()}{reason[1:]}"
        _complain(message, style)
        return EXIT_WRONG
    except Exception as error:  # noqa: BLE001 - the user never sees a traceback
        _report_bug(error, style)
        return EXIT_BUG
    return code


def _run(words: list[str], style: _MessageStyle) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # for file names that it cannot encode
            stream.reconfigure(errors="backslashreplace")
    shared = list(takewhile(_IS_SHARED.match, words))
    command, *rest = words[len(shared) :] or [""]
    if command in COMMANDS:  # it comes first
        words = [command, *shared, *rest]
    folder = _current_folder()
    try:
        outcome = run_command(words, folder)
    except SpecError as error:
        outcome = Outcome(messages=error.messages, code=EXIT_WRONG)
    except UserError as error:
        outcome = Outcome(messages=(str(error),), code=error.code)
    _print(outcome, style)
    return outcome.code


def _current_folder() -> Path | None:
    try:
        return Path.cwd()
    except OSError:  # it was removed
        return None


def _print(outcome: Outcome, style: _MessageStyle) -> None:
    color = style.color
    if outcome.text:
        _print_text(_for_stdout(outcome.text))
    if outcome.diff:
        _print_text(colored_diff(_for_stdout(outcome.diff), sys.stdout, color))
    if outcome.report:
        _print_text(colorize(for_terminal(outcome.report), sys.stdout, color))
    for line in outcome.lines:
        print(_for_stdout(line))  # noqa: T201 - this is the module that prints
    if sys.stdout is not None:
        sys.stdout.flush()  # a diff comes before the messages that explain it
    for message in outcome.messages:
        _complain(message, style)
    for following in outcome.following:
        _print(following, style)


def _for_stdout(text: str) -> str:
    """Return `text`, with control characters escaped if a terminal shows it."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return for_terminal(text) if is_terminal else text


def _print_text(text: str) -> None:
    """Print `text` in UTF-8, whatever the locale, as a file would hold it."""
    if sys.stdout is None:
        raise OSError(0, "it is closed")
    sys.stdout.flush()
    rest = memoryview(text.encode(errors="surrogateescape"))  # a path: any bytes
    while rest:  # an unbuffered stream, as of python -u, may write a part
        rest = rest[sys.stdout.buffer.write(rest) :]


def _complain(message: Diagnostic | UserError | str, style: _MessageStyle) -> None:
    if style.is_json:
        print(as_json(message), end="", file=sys.stderr)  # noqa: T201 - as above
        return
    shown = colorize(for_terminal(str(message)), sys.stderr, style.color)
    print(shown, file=sys.stderr)  # noqa: T201 - as above


def _abandon_stdout() -> None:
    """Keep the interpreter from flushing standard output when it exits."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (AttributeError, OSError, ValueError):
        return


def _report_bug(error: Exception, style: _MessageStyle) -> None:
    what = (
        str(error)
        if isinstance(error, InternalError)
        else f"{type(error).__name__}: {error}"
    )
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames]
    _complain(
        f"passgen: error: {what}\n"
        "passgen: note: this is a bug in passgen, whatever the spec says; "
        "please report it with the spec and these lines\n"
        f"passgen: note: at {' > '.join(places)}",
        style,
    )


if __name__ == "__main__":
    sys.exit(main())
