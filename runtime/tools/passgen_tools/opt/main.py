"""`passgen-opt`: runs a pass pipeline on an .mlir file, as `mlir-opt` does.

`main` is also the driver of a dialect author's own tool:

    from passgen_tools.opt import console_main
    from my_dialect.passes import registry
    console_main(registry=registry)
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, NoReturn, Protocol

from passgen_runtime.context import Context
from passgen_runtime.diagnostics import print_message, visible
from passgen_runtime.errors import IRError, PassError, clip
from passgen_runtime.pass_registry import PassRegistry, default_registry
from passgen_tools.deep_stack import call_with_deep_stack
from passgen_tools.ir_libraries import IRLibrary
from passgen_tools.opt.command_line import UsageError, parse_command_line
from passgen_tools.opt.default_parts import DEFAULT_PARTS
from passgen_tools.opt.driver_part import DriverCall, DriverPart, flags_of
from passgen_tools.opt.files import (
    FailedRunError,
    OptError,
    check_destinations,
    write_output,
)
from passgen_tools.opt.ir_library import (
    chosen_ir_library,
    enable_faulthandler,
    offered_passes,
)
from passgen_tools.opt.option_checks import check_line, name_warnings
from passgen_tools.opt.options import DriverOptions
from passgen_tools.opt.platform import why_no_threads
from passgen_tools.opt.process import EXIT_FAILURE, end_process, open_closed_streams
from passgen_tools.opt.reports import MessageStyle, as_error, write_messages
from passgen_tools.python_programs import IS_ALONE

if TYPE_CHECKING:
    from passgen_tools.opt.driver import DriverFactory, DriverRunner

EXIT_USAGE = 2
_EXIT_INTERRUPTED = 130

_NAME = "passgen-opt"

_ASKS_FOR_JSON: Final = {"--diagnostics-format=json", "-diagnostics-format=json"}
"""How the style of messages is known before the command line is read."""

_GC_THRESHOLD = 50_000


class ContextFactory(Protocol):
    """A factory of contexts."""

    def __call__(self, *, allow_unregistered: bool) -> Context:
        """Return a context, which may accept unregistered dialects."""


def main(
    argv: Sequence[str] | None = None,
    *,
    registry: PassRegistry | None = None,
    make_context: ContextFactory | None = None,
    name: str | None = None,
    parts: Sequence[type[DriverPart]] = DEFAULT_PARTS,
) -> int:
    """Run the driver; return its exit code: 0, 1 for a failure, 2 for wrong usage.

    Args:
        argv: the arguments without the program's name; the process's own if not given.
        registry: the passes to offer; if not given, the passes shipped here and xDSL's.
        make_context: makes the context, if not given, one over xDSL with all its
            dialects.
        name: of the driver, in its messages and help; if not given, that of the running
            program, or `passgen-opt` where `argv` is not the program's own.
        parts: of the driver, beside parsing, verifying, running passes and printing.
    """
    return _Start(argv, registry, make_context, name, parts).exit_code()


def console_main(
    argv: Sequence[str] | None = None,
    *,
    registry: PassRegistry | None = None,
    make_context: ContextFactory | None = None,
    name: str | None = None,
    parts: Sequence[type[DriverPart]] = DEFAULT_PARTS,
) -> NoReturn:
    """Run the driver as a program; see `main`."""
    # Imported modules stay: looking for garbage in them takes time and finds nothing.
    gc.set_threshold(_GC_THRESHOLD)
    open_closed_streams()
    start = _Start(argv, registry, make_context, name, parts, is_program=True)
    end_process(start.exit_code)


@dataclass(frozen=True, slots=True)
class _Start:
    """The arguments of `main`."""

    argv: Sequence[str] | None
    registry: PassRegistry | None
    make_context: ContextFactory | None
    name: str | None
    parts: Sequence[type[DriverPart]]
    is_program: bool = False
    """Whether the process does nothing but run the driver: then it may be forked."""

    def exit_code(self) -> int:
        """Run the driver, in a process of its own if the arguments ask for that."""
        program = self.name or (_program_name() if self.argv is None else _NAME)
        arguments = sys.argv[1:] if self.argv is None else self.argv
        style = MessageStyle(is_json=not _ASKS_FOR_JSON.isdisjoint(arguments))
        return _report_errors(program, lambda: self._work(program, arguments), style)

    def _work(self, program: str, arguments: Sequence[str]) -> int:
        flags = flags_of(self.parts)
        line = parse_command_line(program, arguments, flags)
        library = chosen_ir_library(line, brings_contexts=self.make_context is not None)
        parts = tuple(part(line) for part in self.parts)
        make_context = self.make_context or library.context
        call = DriverCall(parts, self.is_program or IS_ALONE.get())
        options = DriverOptions(line)
        work = _Work(options, library, self.registry, make_context, call)

        def run_driver(make_driver: DriverFactory) -> int:
            style = MessageStyle.of(options)
            return _report_errors(program, lambda: work.run(make_driver), style)

        check_destinations(line)
        run: DriverRunner = _run_here
        with ExitStack() as blocks:
            for part in parts:
                run = blocks.enter_context(part.around_call(call)) or run
            return run(run_driver)


def _run_here(run_driver: Callable[[DriverFactory], int]) -> int:
    from passgen_tools.opt.driver import Driver

    return run_driver(Driver)


def _program_name() -> str:
    """Return the name by which users call the process, as far as it has one."""
    path = PurePath(sys.argv[0])
    if path.name == "__main__.py":  # of `python -m package`
        return path.parent.name
    return _NAME if path.name in {"", "-c"} else path.name.removesuffix(".exe")


@dataclass
class _Work:
    """The work of one call of the driver, in whichever process."""

    options: DriverOptions
    library: IRLibrary
    registry: PassRegistry | None
    """The driver's own passes."""

    make_context: ContextFactory
    call: DriverCall

    @cached_property
    def passes(self) -> PassRegistry:
        """The passes to offer, with those of plugins: importing them takes time."""
        registry = offered_passes(self.library, self.registry)
        if plugins := self.options.plugins:
            from passgen_runtime.pass_manager_builder import PassManagerBuilder
            from passgen_runtime.plugins import load_plugins

            load_plugins(PassManagerBuilder(registry=registry), plugins)
        return registry

    def run(self, make_driver: DriverFactory) -> int:
        """Answer a question or run passes; return the exit code.

        Raises:
            UsageError: the options are wrong.
            OptError: a file cannot be read or written.
            PassError: the pipeline is wrong.
            FailedRunError: a part of the input has failed.
        """
        options = self.options
        check_line(options.line, self.call.parts, lambda: self.passes)
        if options.complete is None:
            is_loaded = options.plugins or not options.is_question
            offered = self.passes if is_loaded else self.registry or default_registry
            for warning in name_warnings(options.line, offered):
                write_messages(f"warning: {warning}\n", MessageStyle.of(options))
        if options.version:
            from passgen_tools.tool_parser import tools_version

            number = tools_version()
            note = self.library.note_of_untried_version()
            lines = filter(None, (f"{options.program} {number}", note))
            write_output("-", "".join(f"{line}\n" for line in lines))
            return 0
        if options.is_question:
            from passgen_tools.opt.help import answer

            text, is_fine = answer(
                options,
                self.registry,
                lambda: self.passes,
                self.library,
                self._context,
            )
            write_output("-", visible(text))
            return 0 if is_fine else EXIT_FAILURE
        if options.show_dialects:
            names = sorted(self._context().registered_dialects())
            write_output("-", f"Available Dialects: {','.join(names)}\n")
            return 0
        run = make_driver(options, self.call, self.passes, self._context).run
        if why_no_threads():  # less depth is an error there
            run()
        else:
            call_with_deep_stack(_NAME, run)
        return 0

    def _context(self) -> Context:
        options = self.options
        enable_faulthandler(self.library)
        context = self.make_context(allow_unregistered=options.allow_unregistered)
        from passgen_runtime.pass_manager_builder import additions_to

        additions_to(self.passes).register_dialects(context)
        context.printing_flags = options.printing
        return context


def _report_errors(program: str, work: Callable[[], int], style: MessageStyle) -> int:
    """Return the exit code of `work` of `program`, after a message about an error."""
    try:
        return work()
    except UsageError as error:
        lines = map(clip, str(error).splitlines())
        if style.is_json:
            write_messages(as_error("\n".join(lines)), style)
        else:
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
    write_messages(f"{message}\n", style)
    return EXIT_FAILURE
