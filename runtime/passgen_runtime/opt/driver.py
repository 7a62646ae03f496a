"""`passgen-opt`: runs a pass pipeline on an .mlir file, as `mlir-opt` does.

`main` is also the driver of a dialect author's own tool:

    from passgen_runtime.opt.driver import console_main
    from my_dialect.passes import registry
    console_main(registry=registry)

What runs is imported when `main` is called: starting is measured.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TextIO

if TYPE_CHECKING:
    from passgen_runtime.opt.run import ContextFactory
    from passgen_runtime.pass_registry.pass_registry import PassRegistry

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
    return _drive(argv, registry, make_context, is_program=False)


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
        code = _drive(argv, registry, make_context, is_program=True)
    except BrokenPipeError:  # of standard error: nobody can be told
        code = EXIT_FAILURE
    # Streams that cannot be written have been reported; the interpreter need not.
    with contextlib.suppress(OSError):
        if sys.stdout is not None:
            sys.stdout.flush()
    with contextlib.suppress(OSError):
        sys.stderr.flush()
    os._exit(code)


def _drive(
    argv: Sequence[str] | None,
    registry: PassRegistry | None,
    make_context: ContextFactory | None,
    *,
    is_program: bool,
) -> int:
    driver = import_module("passgen_runtime.opt.opt_driver")
    arguments = sys.argv[1:] if argv is None else argv
    code: int = driver.drive(arguments, registry, make_context, is_program=is_program)
    return code


def shipped_registry() -> PassRegistry:
    """Return the default registry, which finds the passes shipped here and xDSL's."""
    registry: PassRegistry = import_module(
        "passgen_runtime.opt.shipped_passes"
    ).shipped_registry()
    return registry


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


if __name__ == "__main__":
    console_main()
