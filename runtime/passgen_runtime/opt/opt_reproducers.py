"""The reproducer that `passgen-opt` writes of a run."""

from __future__ import annotations

from importlib import import_module

from passgen_runtime.context import Operation
from passgen_runtime.opt.files import write_output
from passgen_runtime.pass_manager import PassManager


def write_reproducer(path: str, manager: PassManager, operation: Operation) -> None:
    """Write a reproducer of a run that is about to begin.

    Raises:
        OptError: it cannot be written.
    """
    context = manager.context
    printed = context.print_in_any_state(
        operation, flags=context.printing_flags.lossless()
    )
    text = (
        import_module("passgen_runtime.instrumentations.reproducer")
        .Reproducer(
            str(manager),
            disable_threading=not manager.is_multithreaded,
            verify_each=manager.verify_each,
        )
        .append_to(printed)
    )
    write_output(path, text)
