"""The IR library of one call of `passgen-opt`, which `--ir` chooses, and its passes."""

from __future__ import annotations

import faulthandler
import re
from contextlib import suppress
from importlib.util import find_spec
from typing import ClassVar, Final

from passgen_runtime.context import Context
from passgen_runtime.pass_registry import (
    PassRegistry,
    PipelineEntry,
    RegistryEntry,
    default_registry,
)
from passgen_runtime.passes import shipped_registry, with_shipped
from passgen_tools.opt.command_line import CommandLine
from passgen_tools.opt.files import OptError
from passgen_tools.opt.options import DriverOptions

_VALUE = re.compile(r"xdsl|mlir(?::([\w.]+))?")


class IRLibrary:
    """xDSL, with the passes shipped here and xDSL's own."""

    has_slow_passes: ClassVar[bool] = True
    """Whether `--help` omits passes because importing them takes long."""

    def registry(self, given: PassRegistry | None) -> PassRegistry:
        """Return the passes to offer: those `given` by a driver, or those shipped."""
        registry = given or shipped_registry()
        registry.add_finder(_PASSES_ELSEWHERE)
        return registry

    def scratch_registry(self) -> PassRegistry:
        """Return a new registry with the same passes, for a trial."""
        return with_shipped(PassRegistry())

    def context(self, *, allow_unregistered: bool) -> Context:
        """Return a new context.

        Raises:
            OptError: the library is not installed.
        """
        if find_spec("xdsl") is None:
            raise OptError(
                "error: xDSL is not installed, and this driver reads IR with it: "
                "install 'mlir-passgen-tools[xdsl]', or read it by MLIR's bindings "
                "with --ir=mlir"
            )
        from passgen_runtime.ir.xdsl import XDSLContext

        return XDSLContext(allow_unregistered=allow_unregistered)


class _PassesElsewhere:
    """A finder without passes, which explains those that need `--ir=mlir`."""

    def find(
        self, argument: str, registered: RegistryEntry | PipelineEntry | None
    ) -> None:
        """Return no pass."""
        del argument, registered

    def arguments(self) -> tuple[str, ...]:
        """Return no names."""
        return ()

    def explanations(self, argument: str) -> tuple[str, ...]:
        """Return a note that names the flag if `argument` is an MLIR pass."""
        from passgen_runtime.ir.mlir.known_passes import known_passes

        if argument not in known_passes():
            return ()
        return (f"'{argument}' is a pass of MLIR's: --ir=mlir runs it",)


_PASSES_ELSEWHERE: Final = _PassesElsewhere()


class _MLIRLibrary(IRLibrary):
    """MLIR's Python bindings, with the passes that these have registered."""

    has_slow_passes = False

    def __init__(self, package: str | None) -> None:
        """Use the bindings in `package`, or the default ones."""
        self._package = () if package is None else (package,)

    def registry(self, given: PassRegistry | None) -> PassRegistry:
        """Return MLIR's own passes beside those `given`, or registered by default."""
        registry = given
        if registry is None:
            registry = PassRegistry()
            registry.take_entries(default_registry)
            from passgen_runtime.passes import register_pattern_passes

            registry.add_source(register_pattern_passes)
        from passgen_runtime.ir.mlir import use_mlir_passes

        use_mlir_passes(registry, *self._package)
        return registry

    def scratch_registry(self) -> PassRegistry:
        """Return a new registry with MLIR's own passes."""
        return self.registry(PassRegistry())

    def context(self, *, allow_unregistered: bool) -> Context:
        """Return a new context.

        Raises:
            BindingsError: there are no bindings in the package.
        """
        from passgen_runtime.ir.mlir import MLIRContext

        _enable_faulthandler()
        return MLIRContext(*self._package, allow_unregistered=allow_unregistered)


def _enable_faulthandler() -> None:
    """Let Python print its stack if MLIR ends the process."""
    if not faulthandler.is_enabled():
        # Nothing is printed where standard error is no file.
        with suppress(OSError, ValueError, AttributeError, RuntimeError):
            faulthandler.enable(all_threads=False)


def chosen_ir_library(line: CommandLine, *, brings_contexts: bool) -> IRLibrary:
    """Return the library that `--ir` chooses; xDSL where the flag is not given.

    Args:
        line: the command line.
        brings_contexts: whether the driver makes contexts itself.

    Raises:
        UsageError: there is no such library, it cannot do what another flag asks for,
            or the driver has contexts of one already.
    """
    chosen = line.values[DriverOptions.ir.name]
    match = _VALUE.fullmatch(chosen)
    if match is None:
        raise DriverOptions.ir.error(
            f"Cannot find option named '{chosen}'!",
            "valid values are xdsl, mlir and mlir:PACKAGE",
        )
    if brings_contexts and DriverOptions.ir.name in line.given:
        raise DriverOptions.ir.error(
            "this driver makes the contexts itself, and reads IR with the library that "
            "it is written for",
            "leave the option out, or use passgen-opt",
        )
    if chosen == "xdsl":
        return IRLibrary()
    if line.values[DriverOptions.trusts_input.name]:
        raise DriverOptions.trusts_input.error(
            "MLIR's Python bindings verify all IR that they parse",
            "leave the option out, or use --ir=xdsl",
        )
    return _MLIRLibrary(match[1])
