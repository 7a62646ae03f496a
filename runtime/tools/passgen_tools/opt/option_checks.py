"""Checks of a command line: of its arguments, and those of each part of a driver."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from passgen_runtime.pass_registry import PassRegistry
from passgen_tools.opt.command_line import CommandLine, UsageError, unknown_flag
from passgen_tools.opt.driver_part import DriverPart
from passgen_tools.opt.options import DriverOptions
from passgen_tools.opt.refused_flags import REFUSED_FLAGS


def check_line(
    line: CommandLine, parts: Iterable[DriverPart], passes: Callable[[], PassRegistry]
) -> None:
    """Check the passes given as flags, the number of arguments, and all `parts`.

    Args:
        line: the command line.
        parts: those of the driver.
        passes: returns the passes; called only where a name is to be looked up.

    Raises:
        UsageError: a pass does not exist, or arguments contradict one another.
    """
    for argument in line.passes:
        name = argument.lstrip("-").partition("=")[0]
        has_too_many_dashes = argument.startswith("---")
        if has_too_many_dashes or passes().lookup(name) is None:
            reasons = (REFUSED_FLAGS.get(name), *passes().explanations(name))
            reason = None if has_too_many_dashes else next(filter(None, reasons), None)
            raise unknown_flag(line, argument, passes().arguments(), reason)
    if len(line.positional) > 1:
        raise UsageError(
            "Too many positional arguments specified!\n"
            f"Can specify at most 1 positional arguments: See: {line.program} --help"
        )
    if line.passes and DriverOptions(line).pipeline is not None:
        raise UsageError(
            "'-pass-pipeline' option can't be used with individual pass options"
        )
    for part in parts:
        part.check(passes)
