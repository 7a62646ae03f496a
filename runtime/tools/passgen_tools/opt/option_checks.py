"""Checks of a command line: of its arguments, and those of each part of a driver."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from passgen_runtime.pass_registry import (
    PassRegistry,
    PipelineEntry,
    RegistryEntry,
    rank_of,
)
from passgen_runtime.passes import PASSES_NAMESPACE
from passgen_tools.opt.command_line import (
    CommandLine,
    UsageError,
    dash,
    flag_names,
    unknown_flag,
)
from passgen_tools.opt.driver_part import DriverPart
from passgen_tools.opt.options import DriverOptions

_NAME: Final = re.compile(r"[^\s,(){}=]+")


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
            reasons = (refused_flags().get(name), *passes().explanations(name))
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
    options = DriverOptions(line)
    if options.json and not options.list_passes and options.help_pass is None:
        raise UsageError("--json is for --list-passes and --help-pass")
    for part in parts:
        part.check(passes)


def refused_flags() -> dict[str, str]:
    """Return the flags of `mlir-opt` that `passgen-opt` refuses, and why."""
    import json
    from importlib import resources

    file = resources.files(__package__).joinpath("help_texts", "refused_flags.json")
    flags: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return flags


def name_warnings(line: CommandLine, registry: PassRegistry) -> Iterator[str]:
    """Yield warnings of an author's passes and pipelines with names of others.

    Args:
        line: names passes to run.
        registry: the passes; its sources are called only if a name needs it.
    """
    registered = PassRegistry()
    registered.take_entries(registry)
    entries: list[RegistryEntry | PipelineEntry]
    entries = [*registered.passes(), *registered.pipelines()]
    own = {entry.argument: entry for entry in entries if not rank_of(entry)}
    for name in sorted(own.keys() & flag_names(line.flags)):
        yield (
            f"'{name}' of {own[name].origin} cannot be given as a flag: {dash(name)} "
            f"is a flag of {line.program}\nnote: name it in --pass-pipeline"
        )
    text = " ".join((DriverOptions(line).pipeline or "", *line.passes))
    for name in sorted(own.keys() & {name.lstrip("-") for name in _NAME.findall(text)}):
        if registry.lookup(f"{PASSES_NAMESPACE}.{name}"):
            yield (
                f"'{name}' is {own[name].origin}\n"
                f"note: the shipped one is '{PASSES_NAMESPACE}.{name}'"
            )
