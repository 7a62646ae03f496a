"""What `passgen-opt` says about a run: reports, failures, the audit, progress."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

from passgen_runtime.errors import PassError, PassFailure
from passgen_runtime.opt_files import OptError
from passgen_runtime.opt_flags import Request
from passgen_runtime.pass_manager import PassManager


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
    module = import_module("passgen_runtime.statistics_json")
    return str(module.json_report(manager.statistics_nodes(), display))


def report_failure(
    request: Request, arguments: Sequence[str], error: PassError
) -> None:
    """Say what went wrong, and which command would leave a reproducer.

    Args:
        request: what was asked for.
        arguments: the same, as given.
        error: what went wrong.
    """
    message = str(error)
    prefix = "" if "error:" in message.partition("\n")[0] else "error: "
    lines = [f"{prefix}{message}"]
    observation = request.observation
    is_kept = observation.crash_reproducer or observation.generate_reproducer
    if isinstance(error, PassFailure) and not is_kept:
        flag = "--mlir-pass-pipeline-crash-reproducer=reproducer.mlir"
        command = import_module("shlex").join(("passgen-opt", *arguments, flag))
        source = " < INPUT" if request.input == "-" else ""
        lines.append(f"note: for a reproducer, run: {command}{source}")
    sys.stderr.write("".join(f"{line}\n" for line in lines))


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
