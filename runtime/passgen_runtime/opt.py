"""`passgen-opt`: runs a pass pipeline on an .mlir file, as `mlir-opt` does.

`main` is also the driver of a dialect author's own tool: register dialects and passes,
then call it with them.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn, Protocol

from passgen_runtime.context import Context
from passgen_runtime.errors import IRError, PassError
from passgen_runtime.pass_manager import PassManager
from passgen_runtime.pass_registry import (
    PassRegistry,
    default_registry,
    parse_pass_manager,
)
from passgen_runtime.pass_statistics import StatisticsDisplay

EXIT_FAILURE = 1
EXIT_USAGE = 2

_EXIT_INTERRUPTED = 130
_STACK_SIZE_BYTES = 512 * 1024 * 1024
_RECURSION_LIMIT = 100_000

_EXAMPLES = """\
examples:
  passgen-opt input.mlir --pass-pipeline='builtin.module(func.func(cse,canonicalize))'
  passgen-opt input.mlir --mlir-pass-statistics \\
      --pass-pipeline='builtin.module(func.func(affine-loop-unroll{unroll-factor=4}))'
  passgen-opt --list-passes
"""


class ContextFactory(Protocol):
    """Makes the context of a run."""

    def __call__(self, *, allow_unregistered: bool) -> Context:
        """Return a context, which may accept unregistered dialects."""


class OptError(Exception):
    """The driver cannot do what it was asked to; the text says why."""


@dataclass(frozen=True, slots=True)
class _Request:
    """What one call of the driver asks for."""

    input: str
    output: str
    pipeline: str
    verify_each: bool
    print_generic: bool
    allow_unregistered: bool
    dump_pipeline: bool
    statistics: bool
    statistics_display: StatisticsDisplay


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
    try:
        request = _parse_arguments(argv, registry)
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else EXIT_USAGE
    except OptError as error:
        return _fail(str(error))
    make = make_context or _xdsl_context
    try:
        return _with_deep_stack(lambda: _guarded(request, registry, make))
    except KeyboardInterrupt:
        return _EXIT_INTERRUPTED


def console_main() -> NoReturn:
    """Run the driver as a program."""
    code = main()
    # Streams that cannot be written have been reported; the interpreter need not.
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    os._exit(code)


def _guarded(
    request: _Request,
    registry: PassRegistry | None,
    make_context: ContextFactory,
) -> int:
    try:
        _run(request, registry or shipped_registry(), make_context)
    except IRError as error:
        sys.stderr.write(f"{error}\n")
        return EXIT_FAILURE
    except PassError as error:
        return _fail(str(error))
    except OptError as error:
        return _fail(str(error))
    except RecursionError:
        return _fail("error: the IR is nested too deeply")
    return 0


def _run(
    request: _Request,
    registry: PassRegistry,
    make_context: ContextFactory,
) -> None:
    context = make_context(allow_unregistered=request.allow_unregistered)
    manager = parse_pass_manager(request.pipeline, context, registry)
    manager.verify_each = request.verify_each
    if request.dump_pipeline:
        sys.stderr.write(f"{manager}\n")
    text, name = _read(request.input)
    operation = context.parse(text, name)
    context.verify(operation)
    try:
        manager.run(operation)
    finally:
        _report_statistics(request, manager)
    _write(request.output, context.print(operation, generic=request.print_generic))


def _report_statistics(request: _Request, manager: PassManager) -> None:
    if request.statistics:
        sys.stderr.write(manager.statistics_report(request.statistics_display))


def shipped_registry() -> PassRegistry:
    """Return the default registry with the passes shipped here and xDSL's in it."""
    # Imported by name: a driver with passes of its own need not pay for these.
    xdsl_passes = import_module("passgen_runtime.ir.xdsl_module_passes")
    import_module("passgen_runtime.passes").register_all_passes(default_registry)
    xdsl_passes.register_xdsl_passes(default_registry)
    return default_registry


def _xdsl_context(*, allow_unregistered: bool) -> Context:
    context: Context = import_module("passgen_runtime.ir.xdsl").XDSLContext(
        allow_unregistered=allow_unregistered
    )
    return context


def _parse_arguments(
    argv: Sequence[str] | None, registry: PassRegistry | None
) -> _Request:
    parser = _argument_parser()
    given = parser.parse_args(
        [_two_dashes(each) for each in (sys.argv[1:] if argv is None else argv)]
    )
    if given.list_passes:
        _print_passes(registry or shipped_registry())
        raise SystemExit(0)
    return _Request(
        input=given.input,
        output=given.output,
        pipeline=given.pass_pipeline or "builtin.module()",
        verify_each=given.verify_each,
        print_generic=given.mlir_print_op_generic,
        allow_unregistered=given.allow_unregistered_dialect,
        dump_pipeline=given.dump_pass_pipeline,
        statistics=given.mlir_pass_statistics,
        statistics_display=given.mlir_pass_statistics_display,
    )


def _argument_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="passgen-opt",
        description="Run a pass pipeline on an .mlir file.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("input", nargs="?", default="-", help="the file to read; standard input if -")
    add("-o", dest="output", default="-", metavar="FILE", help="the file to write")
    add("--pass-pipeline", metavar="PIPELINE", help="the passes to run, with anchors")
    add("--list-passes", action="store_true", help="list all passes and stop")
    add(
        "--dump-pass-pipeline",
        action="store_true",
        help="print the pipeline to standard error before it runs",
    )
    add(
        "--verify-each",
        type=_boolean,
        nargs="?",
        const=True,
        default=True,
        metavar="BOOL",
        help="verify the IR after each pass (default: true)",
    )
    add(
        "--allow-unregistered-dialect",
        action="store_true",
        help="accept operations of dialects that are not registered",
    )
    add(
        "--mlir-print-op-generic",
        "--print-op-generic",
        action="store_true",
        help="print operations in the generic form",
    )
    add(
        "--mlir-pass-statistics",
        "--pass-statistics",
        action="store_true",
        help="print the statistics of all passes to standard error",
    )
    add(
        "--mlir-pass-statistics-display",
        "--pass-statistics-display",
        choices=("pipeline", "list"),
        default="pipeline",
        help="how statistics are shown (default: pipeline)",
    )
    add(
        "--version",
        action="version",
        version=f"passgen-opt {version('mlir-passgen-runtime')}",
    )
    return parser


def _two_dashes(argument: str) -> str:
    """Return `argument` with LLVM's single dash before a long flag doubled."""
    is_long = len(argument) > len("-o") and argument[0] == "-" and argument[1] != "-"
    return f"-{argument}" if is_long and argument[1].isalpha() else argument


def _boolean(text: str) -> bool:
    lowered = text.lower()
    if lowered in ("true", "1"):
        return True
    if lowered in ("false", "0"):
        return False
    message = f"'{text}' is invalid value for boolean argument! Try 0 or 1"
    raise argparse.ArgumentTypeError(message)


def _print_passes(registry: PassRegistry) -> None:
    entries = registry.passes()
    width = max((len(entry.argument) for entry in entries), default=0)
    for entry in entries:
        line = f"{entry.argument:<{width}}  {entry.summary}"
        sys.stdout.write(f"{line.rstrip()}\n")


def _read(path: str) -> tuple[str, str]:
    """Return the text of the input, and the name that diagnostics give it."""
    name = "<stdin>" if path == "-" else path
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        message = f"error: cannot open input file '{name}': {error.strerror}"
        raise OptError(message) from error
    try:
        return data.decode(), name
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{name}:{line}: error: the input is not UTF-8: {error.reason}"
        raise OptError(message) from error


def _write(path: str, text: str) -> None:
    """Write `text` and a newline; a file appears complete or not at all."""
    try:
        if path == "-":
            sys.stdout.write(f"{text}\n")
            sys.stdout.flush()
        else:
            _replace_file(Path(path), f"{text}\n")
    except OSError as error:
        name = "standard output" if path == "-" else f"'{path}'"
        message = f"error: cannot write {name}: {error.strerror}"
        if path == "-":
            _abandon_stdout()
        raise OptError(message) from error


def _replace_file(path: Path, text: str) -> None:
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")  # a device or a pipe; or it is refused
        return
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(descriptor)
    temporary = Path(name)
    try:
        temporary.write_text(text, encoding="utf-8")
        mode = path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask()
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _abandon_stdout() -> None:
    """Let what is still buffered for a closed standard output go nowhere."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> int:
    text = message if "error:" in message.partition("\n")[0] else f"error: {message}"
    sys.stderr.write(f"{text}\n")
    return EXIT_FAILURE


def _with_deep_stack(function: Callable[[], int]) -> int:
    """Return what `function` returns, run where deeply nested IR does not overflow."""
    result: Future[int] = Future()

    def run() -> None:
        try:
            result.set_result(function())
        except BaseException as error:
            result.set_exception(error)
            raise

    limit = sys.getrecursionlimit()
    previous = threading.stack_size(_STACK_SIZE_BYTES)
    try:
        sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
        thread = threading.Thread(target=run, name="passgen-opt", daemon=True)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(previous)
    return result.result()
