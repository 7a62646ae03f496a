"""What `passgen-opt` says about a run: reports, failures, the audit, progress."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import filterfalse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import IRError, PassError, PassFailure
from passgen_runtime.opt.files import OptError
from passgen_runtime.opt.flags import DiagnosticsRequest, Request
from passgen_runtime.pass_manager import PassManager

if TYPE_CHECKING:
    from traceback import FrameSummary


_PACKAGE: Final = Path(__file__).parent.parent
_MAX_CALLS: Final = 4
"""At either end of a chain of calls: a rewriter may be hundreds of calls deep."""


class ProcessEndError(PassError):
    """A contained process has ended while passes ran; the text says all."""


def write_report(request: Request, text: str) -> None:
    """Write a report to standard error, or to the end of the file for reports.

    Raises:
        OptError: the file cannot be written.
    """
    path = request.observation.report_file
    if path is None or path == "-":
        sys.stderr.write(text)
        return
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        message = f"error: cannot write '{path}': {error.strerror}"
        raise OptError(message) from error


def statistics_text(request: Request, manager: PassManager) -> str:
    """Return the statistics of `manager` in the form asked for."""
    display = request.statistics_display
    if request.observation.report_format == "text":
        return manager.statistics_report(display)
    module = import_module("passgen_runtime.pass_statistics")
    return str(module.json_report(manager.statistics_nodes(), display))


def report_failure(request: Request, error: PassError) -> None:
    """Say what went wrong, where a pass raised, and how to get a reproducer."""
    message = str(error)
    prefix = "" if "error:" in message.partition("\n")[0] else "error: "
    lines = [f"{prefix}{message}"]
    if isinstance(error, PassFailure):
        lines += _calls(error.__cause__)
    if isinstance(error, PassFailure | ProcessEndError):
        observation = request.observation
        if not (observation.crash_reproducer or observation.generate_reproducer):
            flag = "--mlir-pass-pipeline-crash-reproducer=reproducer.mlir"
            lines.append(f"note: for a reproducer, add {flag}")
    sys.stderr.write("".join(f"{line}\n" for line in lines))


def _calls(cause: BaseException | None) -> Iterator[str]:
    """Yield the calls that led to what a pass raised, but for the infrastructure's."""
    # Invalid IR has a place of its own, and so has what failed in a pipeline inside.
    if cause is None or isinstance(cause, IRError | PassFailure):
        return
    yield from shown_calls(import_module("traceback").extract_tb(cause.__traceback__))


def shown_calls(frames: Sequence[FrameSummary]) -> Iterator[str]:
    """Yield a note for each of `frames` that is not the infrastructure's.

    Args:
        frames: outermost first; what has called the infrastructure is not shown.
    """
    own = map(_is_of_the_infrastructure, frames)
    first = next((number for number, is_own in enumerate(own) if is_own), 0)
    lines = [
        f"note: at {_as_seen_from_here(frame.filename)}:{frame.lineno}, in {frame.name}"
        for frame in filterfalse(_is_of_the_infrastructure, frames[first:])
    ]
    more = len(lines) - 2 * _MAX_CALLS
    if more > 0:
        lines[_MAX_CALLS:-_MAX_CALLS] = [f"note: {more} more in between"]
    yield from lines


def _is_of_the_infrastructure(frame: FrameSummary) -> bool:
    path = Path(frame.filename)
    return path.is_relative_to(_PACKAGE) and not path.is_relative_to(
        _PACKAGE / "passes"
    )


def _as_seen_from_here(path: str) -> str:
    with contextlib.suppress(OSError, ValueError):  # it is not below; there is no here
        return str(Path(path).relative_to(Path.cwd()))
    return path


@contextlib.contextmanager
def audited(request: Request, manager: PassManager) -> Iterator[None]:
    """Let a run be audited if asked to; what it finds is said as it is found.

    Raises:
        PassError: the audit has found anything.
    """
    if not request.audit:
        yield
        return
    module = import_module("passgen_runtime.instrumentations.audit")
    audit = module.enable_audit(manager)
    yield
    if audit.violations:
        count = len(audit.violations)
        raise PassError(
            f"the audit found {count} {'violation' if count == 1 else 'violations'}"
        )


@contextlib.contextmanager
def shown_progress(manager: PassManager) -> Iterator[None]:
    """Show how a long run goes on, where somebody looks at standard error."""
    stderr = sys.stderr
    if not stderr.isatty():
        yield
        return
    module = import_module("passgen_runtime.instrumentations.progress")
    line = module.ProgressLine(stderr, manager.context)
    manager.add_instrumentation(line)
    try:
        with line as around:
            sys.stderr = around
            yield
    finally:
        sys.stderr = stderr


_TAB_SIZE = 8
_SHOWN: Final = {
    "errors": {"error"},
    "warnings": {"error", "warning"},
    "remarks": {"error", "warning", "remark", "note"},
}


class SourceLines:
    """The lines of one input, to be shown below diagnostics about them."""

    def __init__(self, text: str, name: str) -> None:
        """Show lines of `text`, the input called `name`."""
        self._lines = text.split("\n")
        self._name = name

    def excerpt(self, location: str, length: int = 1) -> tuple[str, ...]:
        """Return the line at `location` and one that marks it, if it is in the input.

        Args:
            location: `file:line:col`, or what stands for an unknown one.
            length: how many characters to mark.
        """
        place, _, column_text = location.rpartition(":")
        name, _, line_text = place.rpartition(":")
        if name != self._name or not (line_text.isdigit() and column_text.isdigit()):
            return ()
        number, column = int(line_text), int(column_text)
        if not 0 < number <= len(self._lines) or column == 0:
            return ()
        line = self._lines[number - 1].removesuffix("\r")
        margin = len(line[: column - 1].expandtabs(_TAB_SIZE))
        return (line.expandtabs(_TAB_SIZE), f"{' ' * margin}^{'~' * (length - 1)}")


class DiagnosticPrinter:
    """Prints what is to be seen of the diagnostics about one input."""

    def __init__(self, source: SourceLines, request: DiagnosticsRequest) -> None:
        """Show lines of `source`."""
        self._source = source
        self._request = request

    def handle(self, diagnostic: Diagnostic) -> None:
        """Print a diagnostic: the handler for a context."""
        if diagnostic.severity not in _SHOWN[self._request.verbosity]:
            return
        previous = ""
        shown: list[str] = []
        for location, text in diagnostic.entries(with_notes=self._request.with_notes):
            shown.append(text)
            if location != previous:
                shown += self._source.excerpt(location)
            previous = location
        sys.stderr.write("".join(f"{line}\n" for line in shown))
