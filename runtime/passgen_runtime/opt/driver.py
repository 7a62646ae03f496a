"""`passgen-opt`: runs a pass pipeline on an .mlir file, as `mlir-opt` does.

`main` is also the driver of a dialect author's own tool:

    from passgen_runtime.opt import console_main
    from my_dialect.passes import registry
    console_main(registry=registry)
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, NoReturn, Protocol

from passgen_runtime.context import Context
from passgen_runtime.diagnostics import print_message, standard_stream, visible
from passgen_runtime.errors import IRError, PassError, clipped
from passgen_runtime.extensions.builder import additions_to
from passgen_runtime.opt.command_line import (
    CommandLine,
    UsageError,
    parse_command_line,
)
from passgen_runtime.opt.files import OptError, write_output
from passgen_runtime.opt.ir_library import IRLibrary, chosen_ir_library
from passgen_runtime.opt.observation import report_written
from passgen_runtime.opt.option_checks import check_options
from passgen_runtime.opt.options import FLAGS, Color, DriverOptions
from passgen_runtime.opt.reports import as_error, unexpected_error, write_messages
from passgen_runtime.opt.run import FailedRunError, run
from passgen_runtime.opt.standard_streams import open_closed_streams
from passgen_runtime.pass_registry import PassRegistry

if TYPE_CHECKING:
    # Imported where a run is contained: starting is measured.
    from passgen_runtime.opt.contained_run import ContainedRun

EXIT_FAILURE = 1
EXIT_USAGE = 2
_EXIT_INTERRUPTED = 130

_NAME = "passgen-opt"

_GC_THRESHOLD = 50_000
_STACK_SIZE_BYTES = 512 * 1024 * 1024
_RECURSION_LIMIT = 100_000


class ContextFactory(Protocol):
    """Makes the contexts of a run."""

    def __call__(self, *, allow_unregistered: bool) -> Context:
        """Return a context, which may accept unregistered dialects."""


def main(
    argv: Sequence[str] | None = None,
    *,
    registry: PassRegistry | None = None,
    make_context: ContextFactory | None = None,
    name: str | None = None,
) -> int:
    """Run the driver; return its exit code: 0, 1 for a failure, 2 for wrong usage.

    Args:
        argv: the arguments without the program's name; the process's own if not given.
        registry: the passes to offer; if not given, the passes shipped here and xDSL's.
        make_context: makes the context, if not given, one over xDSL with all its
            dialects.
        name: of the driver, in its messages and help; if not given, that of the running
            program, or `passgen-opt` where `argv` is not the program's own.
    """
    return _exit_code(argv, registry, make_context, name, is_program=False)


def console_main(
    argv: Sequence[str] | None = None,
    *,
    registry: PassRegistry | None = None,
    make_context: ContextFactory | None = None,
    name: str | None = None,
) -> NoReturn:
    """Run the driver as a program; see `main`."""
    # Imported modules stay: looking for garbage in them takes time and finds nothing.
    gc.set_threshold(_GC_THRESHOLD)
    open_closed_streams()
    code = EXIT_FAILURE
    # Standard error may be a pipe that its reader has closed: then there is no message.
    with contextlib.suppress(BrokenPipeError):
        try:
            code = _exit_code(argv, registry, make_context, name, is_program=True)
        except BrokenPipeError:
            raise
        except BaseException as error:  # noqa: BLE001 - a user sees no traceback
            print_message(unexpected_error(error))
    # The driver has reported streams that cannot be written.
    for stream in (standard_stream("stdout"), standard_stream("stderr")):
        with contextlib.suppress(OSError):
            if stream is not None:
                stream.flush()
    os._exit(code)


def _exit_code(
    argv: Sequence[str] | None,
    registry: PassRegistry | None,
    make_context: ContextFactory | None,
    name: str | None,
    *,
    is_program: bool,
) -> int:
    """Run the driver, in a process of its own if the arguments ask for that.

    Args:
        argv: as given to `main`, and so are the next three.
        registry: the passes to offer.
        make_context: makes contexts.
        name: of the driver.
        is_program: whether the process does nothing else: then it may be forked.
    """
    program = name or (_program_name() if argv is None else _NAME)

    def work() -> int:
        arguments = sys.argv[1:] if argv is None else argv
        line = parse_command_line(program, arguments, FLAGS)
        options = DriverOptions(line)
        brings_contexts = make_context is not None
        library = chosen_ir_library(line, brings_contexts=brings_contexts)

        def drive(contained: ContainedRun | None) -> int:
            with ExitStack() as stack:
                call = _Call(line, library, registry, make_context, stack)
                return _reported(
                    line.program, lambda: call.run(contained), options.color
                )

        with report_written(line):
            if not _is_contained(options, is_program=is_program):
                return drive(None)
            from passgen_runtime.opt.containment import contain

            return contain(drive)

    return _reported(program, work)


def _program_name() -> str:
    """Return the name by which users call the process, as far as it has one."""
    path = PurePath(sys.argv[0])
    if path.name == "__main__.py":  # of `python -m package`
        return path.parent.name
    return _NAME if path.name in {"", "-c"} else path.name.removesuffix(".exe")


def _is_contained(options: DriverOptions, *, is_program: bool) -> bool:
    """Return whether passes run in a process of their own.

    A crash reproducer implies it if it is possible; if not, a crash leaves only the
    reproducer. A time limit needs it.

    Raises:
        UsageError: `--contain` or `--timeout` was given, and containment is not
            possible.
    """
    wanted = options.contain
    has_limit = options.timeout_s > 0
    if options.has_workers:
        if wanted or has_limit:
            flag = "--contain" if wanted else "--timeout"
            raise UsageError(
                f"for the {flag} option: workers contain the passes that run in them, "
                "and --job-timeout limits their time"
            )
        return False
    has_reproducer = options.crash_reproducer is not None
    if wanted is False and has_limit:
        raise UsageError("for the --timeout option: it needs --contain")
    if not (wanted or has_limit or (has_reproducer and wanted is None)):
        return False
    from passgen_runtime.opt.containment import obstacle

    reason = obstacle(is_program=is_program)
    if reason is not None and (wanted or has_limit):
        flag = "--contain" if wanted else "--timeout"
        raise UsageError(f"for the {flag} option: {reason}")
    return reason is None


@dataclass
class _Call:
    """One call of the driver."""

    line: CommandLine
    library: IRLibrary
    registry: PassRegistry | None
    """The driver's own passes."""

    make_context: ContextFactory | None
    stack: ExitStack
    """Ends with the call."""

    @cached_property
    def passes(self) -> PassRegistry:
        """The passes to offer, with those of plugins: importing them takes time."""
        registry = self.library.registry(self.registry)
        plugins = DriverOptions(self.line).plugins
        if plugins:
            from passgen_runtime.extensions.builder import PassManagerBuilder
            from passgen_runtime.extensions.plugins import load_plugins

            load_plugins(PassManagerBuilder(registry=registry), plugins)
        return registry

    def run(self, contained: ContainedRun | None) -> int:
        """Answer a question or run passes; return the exit code.

        Raises:
            UsageError: the options are wrong.
            OptError: a file cannot be read or written.
            PassError: the pipeline is wrong.
            FailedRunError: a part of the input has failed.
        """
        options = DriverOptions(self.line)
        check_options(options, lambda: self.passes)
        if options.is_question:
            from passgen_runtime.opt.help import answer

            found = answer(options, self.registry, lambda: self.passes, self.library)
            write_output("-", visible(found.text))
            return 0 if found.is_fine else EXIT_FAILURE
        registry = self.passes

        def work() -> None:
            if contained is not None:
                contained.watch_this_thread()
            run(options, registry, lambda: self._context(options), contained)

        _with_deep_stack(work)
        return 0

    def _context(self, options: DriverOptions) -> Context:
        make = self.make_context or self.library.context
        context = make(allow_unregistered=options.allow_unregistered)
        additions_to(self.passes).register_dialects(context)
        context.printing_flags = options.printing
        return context


def _reported(program: str, work: Callable[[], int], color: Color = "auto") -> int:
    """Return the exit code of `work` of `program`, after a message about an error."""
    try:
        return work()
    except UsageError as error:
        lines = map(clipped, str(error).splitlines())
        print_message("".join(f"{program}: {line}\n" for line in lines))
        return EXIT_USAGE
    except FailedRunError:
        return EXIT_FAILURE
    except (IRError, PassError, OptError) as error:
        message = as_error(str(error))
    except RecursionError:
        message = "error: the IR is nested too deeply"
    except KeyboardInterrupt:
        return _EXIT_INTERRUPTED
    write_messages(f"{message}\n", color)
    return EXIT_FAILURE


def _with_deep_stack(function: Callable[[], None]) -> None:
    """Call `function` in a thread whose stack has room for deeply nested IR."""
    limit = sys.getrecursionlimit()
    previous = threading.stack_size(_STACK_SIZE_BYTES)
    errors: list[BaseException] = []

    def work() -> None:
        try:
            function()
        except BaseException as error:  # noqa: BLE001 - raised again below
            errors.append(error)

    try:
        sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
        # A daemon thread does not keep a program alive that the user has interrupted.
        thread = threading.Thread(target=work, name="passgen-opt", daemon=True)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(previous)
    if errors:
        raise errors[0]
