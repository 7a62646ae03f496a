"""`passgen-opt`: runs a pass pipeline on an .mlir file, as `mlir-opt` does.

`main` is also the driver of a dialect author's own tool: register dialects and passes,
then call it with them.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NoReturn, TextIO

from passgen_runtime.command_line import UsageError
from passgen_runtime.context import Context
from passgen_runtime.errors import IRError, PassError
from passgen_runtime.opt_completion import complete, completion_script
from passgen_runtime.opt_files import OptError, write_output
from passgen_runtime.opt_flags import FLAGS, Request, parse_request
from passgen_runtime.opt_help import help_text, pass_text, passes_text
from passgen_runtime.opt_run import ContextFactory, FailedRunError, run
from passgen_runtime.pass_registry import PassRegistry, default_registry

EXIT_FAILURE = 1
EXIT_USAGE = 2

_EXIT_INTERRUPTED = 130
_STACK_SIZE_BYTES = 512 * 1024 * 1024
_RECURSION_LIMIT = 100_000


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
    # Called only where passes are needed: importing xDSL's takes most of the time.
    passes = cache(lambda: registry or shipped_registry())
    arguments = sys.argv[1:] if argv is None else argv
    try:
        request = parse_request(arguments, passes)
        answer = _answer(request, registry, passes)
        if answer is not None:
            write_output("-", answer)
            return 0
    except UsageError as error:
        lines = str(error).splitlines()
        sys.stderr.write("".join(f"passgen-opt: {line}\n" for line in lines))
        return EXIT_USAGE
    except OptError as error:
        return _fail(str(error))
    make = make_context or _xdsl_context
    try:
        return _with_deep_stack(
            lambda: _guarded(lambda: run(request, passes(), make, arguments))
        )
    except KeyboardInterrupt:
        return _EXIT_INTERRUPTED


def console_main(
    argv: Sequence[str] | None = None,
    *,
    registry: PassRegistry | None = None,
    make_context: ContextFactory | None = None,
) -> NoReturn:
    """Run the driver as a program; see `main`."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started the program
            setattr(sys, name, _nowhere())
    try:
        code = main(argv, registry=registry, make_context=make_context)
    except BrokenPipeError:  # of standard error: nobody can be told
        code = EXIT_FAILURE
    # Streams that cannot be written have been reported; the interpreter need not.
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    os._exit(code)


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def shipped_registry() -> PassRegistry:
    """Return the default registry with the passes shipped here and xDSL's in it."""
    registry = _own_registry()
    # Imported by name: a driver with passes of its own need not pay for these.
    xdsl_passes = import_module("passgen_runtime.ir.xdsl_module_passes")
    xdsl_passes.register_xdsl_passes(registry)
    return registry


def _own_registry() -> PassRegistry:
    import_module("passgen_runtime.passes").register_all_passes(default_registry)
    return default_registry


def _xdsl_context(*, allow_unregistered: bool) -> Context:
    context: Context = import_module("passgen_runtime.ir.xdsl").XDSLContext(
        allow_unregistered=allow_unregistered
    )
    return context


def _answer(  # noqa: PLR0911 - one for each question
    request: Request,
    registry: PassRegistry | None,
    passes: Callable[[], PassRegistry],
) -> str | None:
    """Return what a request for information is answered with; `None` for a run."""
    if request.help:
        offered = _own_registry() if registry is None else registry
        return help_text(FLAGS, offered, has_more=registry is None)
    if request.version:
        version = import_module("importlib.metadata").version("mlir-passgen-runtime")
        return f"passgen-opt {version}\n"
    if request.list_passes:
        return passes_text(passes())
    if request.help_pass is not None:
        return pass_text(request.help_pass, passes())
    if request.completion is not None:
        return completion_script(request.completion)
    if request.complete is not None:
        return str(complete(request.complete, FLAGS, passes()))
    return None


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


def _fail(message: str) -> int:
    text = message if "error:" in message.partition("\n")[0] else f"error: {message}"
    sys.stderr.write(f"{text}\n")
    return EXIT_FAILURE


def _with_deep_stack(function: Callable[[], int]) -> int:
    """Return what `function` returns, run where deeply nested IR does not overflow."""
    limit = sys.getrecursionlimit()
    previous = threading.stack_size(_STACK_SIZE_BYTES)
    pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="passgen-opt")
    try:
        sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
        return pool.submit(function).result()
    finally:
        pool.shutdown(wait=False)
        sys.setrecursionlimit(limit)
        threading.stack_size(previous)
