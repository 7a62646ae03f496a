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
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO

from passgen_runtime.context import Context
from passgen_runtime.errors import IRError, PassError, clipped
from passgen_runtime.opt.command_line import UsageError, given_values
from passgen_runtime.opt.files import OptError, write_output
from passgen_runtime.opt.flags import LOAD_PLUGIN, containment_of, parse_request
from passgen_runtime.opt.ir_library import IRLibrary, chosen_ir_library
from passgen_runtime.opt.run import ContextFactory, FailedRunError, run
from passgen_runtime.pass_registry import PassRegistry

if TYPE_CHECKING:
    from passgen_runtime.opt.containment import ContainedRun

EXIT_FAILURE = 1
EXIT_USAGE = 2

_GC_THRESHOLD = 50_000


def main(
    argv: Sequence[str] | None = None,
    *,
    registry: PassRegistry | None = None,
    make_context: ContextFactory | None = None,
) -> int:
    """Run the driver; return its exit code: 0, 1 for a failure, 2 for wrong usage.

    Args:
        argv: the arguments without the program's name; the process's own if not given.
        registry: the passes to offer; if not given, the passes shipped here and xDSL's.
        make_context: makes the context, if not given, one over xDSL with all its
            dialects.
    """
    return _contained_or_not(argv, registry, make_context, is_program=False)


def console_main(
    argv: Sequence[str] | None = None,
    *,
    registry: PassRegistry | None = None,
    make_context: ContextFactory | None = None,
) -> NoReturn:
    """Run the driver as a program; see `main`."""
    # What is imported stays: looking for garbage in it takes time and finds nothing.
    gc.set_threshold(_GC_THRESHOLD)
    if sys.stderr is None:  # closed by whoever started the program
        sys.stderr = _nowhere()
    try:
        code = _contained_or_not(argv, registry, make_context, is_program=True)
    except BrokenPipeError:  # of standard error: nobody can be told
        code = EXIT_FAILURE
    # Streams that cannot be written have been reported; the interpreter need not.
    with contextlib.suppress(OSError):
        if sys.stdout is not None:
            sys.stdout.flush()
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    os._exit(code)


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


_EXIT_INTERRUPTED = 130
_STACK_SIZE_BYTES = 512 * 1024 * 1024
_RECURSION_LIMIT = 100_000


def _contained_or_not(
    argv: Sequence[str] | None,
    registry: PassRegistry | None,
    make_context: ContextFactory | None,
    *,
    is_program: bool,
) -> int:
    """Run the driver, in a process of its own if the arguments ask for that.

    Args:
        argv: as given to `main`, and so are `registry` and `make_context`.
        registry: the passes to offer.
        make_context: makes contexts.
        is_program: whether this is all that the process is for: then it may be forked.
    """
    arguments = sys.argv[1:] if argv is None else argv

    def work(contained: ContainedRun | None) -> int:
        with ExitStack() as stack:
            return _drive(arguments, registry, make_context, stack, contained)

    try:
        if not _is_contained(arguments, is_program=is_program):
            return work(None)
        # Imported where it is asked for only: starting is measured.
        code: int = import_module("passgen_runtime.opt.containment").contain(work)
    except UsageError as error:
        return _refuse(error)
    except (OptError, PassError) as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        return _EXIT_INTERRUPTED
    return code


def _is_contained(arguments: Sequence[str], *, is_program: bool) -> bool:
    """Return whether passes run in a process of their own.

    Raises:
        UsageError: they cannot, and are to.
    """
    wanted = containment_of(arguments)
    if wanted is None:  # a crash reproducer on disk says what it can without
        return is_program and hasattr(os, "fork")
    if wanted and not is_program:
        raise UsageError(
            "for the --contain option: only a program can be contained\n"
            "call console_main() instead of main()"
        )
    return wanted


def _drive(
    arguments: Sequence[str],
    registry: PassRegistry | None,
    make_context: ContextFactory | None,
    stack: ExitStack,
    contained: ContainedRun | None,
) -> int:
    """Run the driver; what is to end with it goes onto `stack`."""
    try:
        library = _ir_library(arguments, make_context)

        @cache
        def passes() -> PassRegistry:
            """Return them, where needed only: importing them takes most of the time."""
            stack.enter_context(library.by_default())
            offered = library.registry(registry)
            stack.enter_context(library.explaining(offered))
            return _with_plugins(offered, arguments)

        request = parse_request(arguments, passes)
        if request.is_question:
            # Imported for questions only: starting is measured.
            answers = import_module("passgen_runtime.opt.help")
            answer = answers.answer(request, registry, passes, library)
            write_output("-", answer.text)
            return 0 if answer.is_fine else EXIT_FAILURE
        passes()
    except UsageError as error:
        return _refuse(error)
    except (OptError, PassError) as error:
        return _fail(str(error))
    make_bare = make_context or library.context

    def make(*, allow_unregistered: bool) -> Context:
        context = make_bare(allow_unregistered=allow_unregistered)
        passes().extensions.register_dialects(context)
        return context

    def work() -> None:
        if contained is not None:
            contained.watch_this_thread()
        run(request, passes(), make, contained)

    return _with_deep_stack(lambda: _guarded(work))


def _ir_library(
    arguments: Sequence[str], make_context: ContextFactory | None
) -> IRLibrary:
    """Return the library that `arguments` choose.

    Raises:
        UsageError: there is none, or the driver has contexts of another one.
    """
    library = chosen_ir_library(arguments)
    if make_context is not None and not library.is_default:
        raise UsageError(
            "for the --ir option: this driver makes the contexts itself, and reads IR "
            "with the library that it is written for\n"
            "leave the option out, or use passgen-opt"
        )
    return library


def _with_plugins(registry: PassRegistry, arguments: Sequence[str]) -> PassRegistry:
    """Return `registry` with what the plugins bring that `arguments` name.

    They are looked for before the arguments are understood: passes are flags.

    Raises:
        PluginError: one is not found or fails.
    """
    names = given_values(arguments, LOAD_PLUGIN)
    if names:
        plugins = import_module("passgen_runtime.plugins")
        builder = import_module(
            "passgen_runtime.pass_manager_builder.pass_manager_builder"
        )
        plugins.load_plugins(builder.PassManagerBuilder(registry=registry), names)
    return registry


def _guarded(work: Callable[[], None]) -> int:
    """Do `work`; return the exit code, and say what went wrong."""
    try:
        work()
    except FailedRunError:
        return EXIT_FAILURE
    except IRError as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_FAILURE
    except (PassError, OptError) as error:
        return _fail(str(error))
    except RecursionError:
        return _fail("error: the IR is nested too deeply")
    return 0


def _refuse(error: UsageError) -> int:
    lines = map(clipped, str(error).splitlines())
    sys.stderr.write("".join(f"passgen-opt: {line}\n" for line in lines))
    return EXIT_USAGE


def _fail(message: str) -> int:
    text = message if "error:" in message.partition("\n")[0] else f"error: {message}"
    sys.stderr.write(f"{text}\n")
    return EXIT_FAILURE


def _with_deep_stack(function: Callable[[], int]) -> int:
    """Return what `function` returns, run where deeply nested IR does not overflow."""
    limit = sys.getrecursionlimit()
    previous = threading.stack_size(_STACK_SIZE_BYTES)
    code = EXIT_FAILURE
    errors: list[BaseException] = []

    def work() -> None:
        nonlocal code
        try:
            code = function()
        except BaseException as error:  # noqa: BLE001 - raised again below
            errors.append(error)

    try:
        sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
        # A daemon does not keep a program alive that the user has interrupted.
        thread = threading.Thread(target=work, name="passgen-opt", daemon=True)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(previous)
    if errors:
        raise errors[0]
    return code
