"""Checks of a command line: what flags rule out, and the passes that they name."""

from __future__ import annotations

from collections.abc import Callable

from passgen_runtime.errors import nearest_name
from passgen_runtime.opt.command_line import CommandLine, UsageError, unknown_flag
from passgen_runtime.opt.options import FLAGS, DriverOptions
from passgen_runtime.opt.refused_flags import REFUSED_FLAGS
from passgen_runtime.pass_registry import PassRegistry


def check_options(options: DriverOptions, registry: Callable[[], PassRegistry]) -> None:
    """Check `options`.

    Args:
        options: of the command line.
        registry: returns the passes; called only if the line names one.

    Raises:
        UsageError: flags contradict one another, or name unknown passes.
    """
    _check_arguments(options.line, registry)
    _check_printed_passes("mlir-print-ir-before", options.print_before, registry)
    _check_printed_passes("mlir-print-ir-after", options.print_after, registry)
    _check_threads(options)
    _check_workers(options)
    if options.print_diff and options.print_tree_directory is not None:
        message = (
            "--mlir-print-ir-tree-dir takes IR, and --mlir-print-ir-diff prints none"
        )
        raise UsageError(message)


def _check_arguments(line: CommandLine, registry: Callable[[], PassRegistry]) -> None:
    """Check the passes given as flags, and the number of inputs and pipelines.

    Raises:
        UsageError: a pass does not exist, or there are too many arguments.
    """
    for argument in line.passes:
        name = argument.lstrip("-").partition("=")[0]
        has_too_many_dashes = argument.startswith("---")
        if has_too_many_dashes or registry().lookup(name) is None:
            reasons = (REFUSED_FLAGS.get(name), *registry().explanations(name))
            reason = None if has_too_many_dashes else next(filter(None, reasons), None)
            raise unknown_flag(
                line.program, argument, FLAGS, registry().arguments(), reason
            )
    if len(line.positional) > 1:
        raise UsageError(
            "Too many positional arguments specified!\n"
            f"Can specify at most 1 positional arguments: See: {line.program} --help"
        )
    if line.passes and line.values["pass-pipeline"] is not None:
        raise UsageError(
            "'-pass-pipeline' option can't be used with individual pass options"
        )


def _check_printed_passes(
    flag: str, names: tuple[str, ...], registry: Callable[[], PassRegistry]
) -> None:
    for name in names:
        if registry().lookup(name) is None:
            message = f"for the --{flag} option: Cannot find option named '{name}'!"
            nearest = nearest_name(name, registry().arguments())
            hint = "" if nearest is None else f"\nDid you mean '{nearest}'?"
            raise UsageError(f"{message}{hint}")


def _check_workers(options: DriverOptions) -> None:
    """Check the flags of workers.

    Raises:
        UsageError: they contradict one another.
    """
    if not options.has_workers:
        if options.job_timeout_s:
            raise UsageError("for the --job-timeout option: it needs --jobs")
        return
    if options.jobs and options.executor is not None:
        raise UsageError("--jobs asks for processes here, and --executor for a cluster")


def _check_threads(options: DriverOptions) -> None:
    if options.disable_threading:
        return
    remedy = "\nadd --mlir-disable-threading"
    if options.print_module_scope:
        from passgen_runtime.instrumentations.ir_printing import NEEDS_ONE_THREAD

        raise UsageError(f"{NEEDS_ONE_THREAD}{remedy}")
    if options.crash_reproducer is not None and options.local_reproducer:
        from passgen_runtime.instrumentations import crash_reproducer

        raise UsageError(f"{crash_reproducer.NEEDS_ONE_THREAD}{remedy}")
