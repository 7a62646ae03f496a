"""The IR library of one call of `passgen-opt`, which `--ir` chooses, and its passes."""

from __future__ import annotations

import faulthandler
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

from passgen_runtime.pass_registry import PassRegistry, PipelineEntry, RegistryEntry
from passgen_tools.ir_libraries import (
    DEFAULT_IR_LIBRARY,
    IRLibrary,
    find_ir_library,
    ir_libraries,
    ir_library_spellings,
)
from passgen_tools.opt.command_line import CommandLine
from passgen_tools.opt.options import DriverOptions


@dataclass(frozen=True)
class _PassesElsewhere:
    """A finder without passes, which explains those that need another `--ir`."""

    chosen: str
    """The name of the chosen IR library."""

    library: ClassVar[str] = ""

    def find(
        self, _argument: str, _registered: RegistryEntry | PipelineEntry | None
    ) -> None:
        """Return no pass."""

    def arguments(self) -> tuple[str, ...]:
        """Return no names."""
        return ()

    def explanations(self, argument: str) -> tuple[str, ...]:
        """Return a note that names the flag for each library with this pass."""
        return tuple(
            f"'{argument}' is a pass of {library.title}'s: --ir={library.name} runs it"
            for library in ir_libraries()
            if library.name != self.chosen and library.knows_pass(argument)
        )


def offered_passes(library: IRLibrary, given: PassRegistry | None) -> PassRegistry:
    """Return the passes that the driver offers on IR of `library`.

    Args:
        library: the IR library.
        given: the driver's own passes, if it has some.
    """
    registry = library.registry(given)
    registry.add_finder(_PassesElsewhere(library.name))
    return registry


def chosen_ir_library(line: CommandLine, *, brings_contexts: bool) -> IRLibrary:
    """Return the library that `--ir` chooses, or the default one.

    Args:
        line: the command line.
        brings_contexts: whether the driver makes contexts itself.

    Raises:
        UsageError: there is no such library, it cannot do what another flag asks for,
            or the driver has contexts of one already.
    """
    chosen = line.values[DriverOptions.ir.name]
    library = find_ir_library(chosen)
    if library is None:
        raise DriverOptions.ir.error(
            f"Cannot find option named '{chosen}'!",
            f"valid values are {ir_library_spellings('and')}",
        )
    if brings_contexts and DriverOptions.ir.name in line.given:
        raise DriverOptions.ir.error(
            "this driver makes the contexts itself, and reads IR with the library that "
            "it is written for",
            "leave the option out, or use passgen-opt",
        )
    if library.why_verifies_input and line.values[DriverOptions.trusts_input.name]:
        raise DriverOptions.trusts_input.error(
            library.why_verifies_input,
            f"leave the option out, or use --ir={DEFAULT_IR_LIBRARY}",
        )
    return library


def enable_faulthandler(library: IRLibrary) -> None:
    """Let Python print the stack of this thread if `library` ends the process."""
    if library.may_end_process and not faulthandler.is_enabled():
        # Nothing is printed where standard error is no file.
        with suppress(OSError, ValueError, AttributeError, RuntimeError):
            faulthandler.enable(all_threads=False)
