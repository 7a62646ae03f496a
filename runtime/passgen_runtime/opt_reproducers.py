"""The reproducers that `passgen-opt` leaves: of a run, and of a crash outlived."""

from __future__ import annotations

from importlib import import_module

from passgen_runtime.context import Operation
from passgen_runtime.errors import PassError
from passgen_runtime.opt_files import write_output
from passgen_runtime.opt_observation import Observation
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


def go_on_in_a_copy(
    observation: Observation, manager: PassManager, operation: Operation
) -> None:
    """Return in a copy of the process, which a pass may take down.

    Raises:
        PassError: in the original, once the copy has been taken down.
        CopyEndedError: in the original, once the copy has done everything.
    """
    recovery = import_module("passgen_runtime.instrumentations.crash_recovery")
    watch = recovery.CrashWatch(manager.context)
    manager.add_instrumentation(watch)
    crash = recovery.crash_of_copy()
    if crash is None:
        return
    subjects = watch.last if observation.is_local_reproducer else f"[{watch.last}]"
    where = f"reproducer generated at `{observation.crash_reproducer}`"
    module = import_module("passgen_runtime.instrumentations.crash_reproducer")
    module.report_failure(manager.context, operation, subjects, where)
    message = f"the process was ended {crash} while passes ran"
    raise PassError(message)
