"""The IR library of one call of `passgen-opt`: what `--ir` chooses.

It decides which passes there are, and those may be flags themselves: so it is looked
for before the command line is parsed.
"""

from __future__ import annotations

import faulthandler
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import ClassVar

from passgen_runtime.context import Context
from passgen_runtime.opt.command_line import UsageError
from passgen_runtime.opt.files import OptError
from passgen_runtime.pass_registry import (
    PassRegistry,
    PipelineEntry,
    RegistryEntry,
    default_registry,
)


def shipped_registry() -> PassRegistry:
    """Return the default registry, which finds the passes shipped here and xDSL's."""
    return _with_shipped(default_registry)


def scratch_registry() -> PassRegistry:
    """Return a new registry that finds the same, to try something out in."""
    return _with_shipped(PassRegistry())


def _with_shipped(registry: PassRegistry) -> PassRegistry:
    registry.add_source(register_own_passes)
    registry.add_source(_register_xdsl_passes)
    return registry


def register_own_passes(registry: PassRegistry) -> None:
    """Register the passes shipped here."""
    import_module("passgen_runtime.passes").register_all_passes(registry)


def _register_xdsl_passes(registry: PassRegistry) -> None:
    if find_spec("xdsl") is None:
        return  # what is shipped here can be listed without it
    module = import_module("passgen_runtime.ir.xdsl.module_passes")
    module.register_xdsl_passes(registry)


_FLAG = re.compile(r"--?ir(?:=(.*))?")
_VALUE = re.compile(r"xdsl|mlir(?::([\w.]+))?")


class IRLibrary:
    """xDSL, with the passes shipped here and xDSL's own."""

    is_default: ClassVar[bool] = True
    """Whether it reads the IR where no `--ir` is given."""

    has_slow_passes: ClassVar[bool] = True
    """Whether some passes take long to import, so that a list is not had at once."""

    def registry(self, given: PassRegistry | None) -> PassRegistry:
        """Return the passes to offer: those `given` by a driver, or all there are."""
        return given or shipped_registry()

    def by_default(self) -> AbstractContextManager[None]:
        """Let pipelines that passes spell find the library's while the block runs.

        They are looked up in the default registry unless another one is named.
        """
        return nullcontext()  # a run that is given no registry has put them there

    def explaining(self, registry: PassRegistry) -> AbstractContextManager[None]:
        """Let `registry` explain where other passes are while the block runs."""
        return registry.finding(_PassesElsewhere())

    def scratch_registry(self) -> PassRegistry:
        """Return a new registry with the same passes, to try something out in."""
        return scratch_registry()

    def context(self, *, allow_unregistered: bool) -> Context:
        """Return a new context.

        Raises:
            OptError: the library is not installed.
        """
        if find_spec("xdsl") is None:
            raise OptError(
                "error: xDSL is not installed, and this driver reads IR with it: "
                "install 'mlir-passgen-runtime[xdsl]', or read it by MLIR's bindings "
                "with --ir=mlir"
            )
        context: Context = import_module("passgen_runtime.ir.xdsl").XDSLContext(
            allow_unregistered=allow_unregistered
        )
        return context


class _PassesElsewhere:
    """Finds no pass, and knows those that `--ir=mlir` runs."""

    def find(
        self, argument: str, registered: RegistryEntry | PipelineEntry | None
    ) -> None:
        """Return no pass."""
        del argument, registered

    def arguments(self) -> tuple[str, ...]:
        """Return no names."""
        return ()

    def explanations(self, argument: str) -> tuple[str, ...]:
        """Return a note that names the flag, for a pass of MLIR's."""
        # Imported for a mistake only: starting is measured.
        table = import_module("passgen_runtime.ir.mlir.known_passes")
        if argument not in table.KNOWN_PASSES:
            return ()
        return (f"'{argument}' is a pass of MLIR's: --ir=mlir runs it",)


class _MLIRLibrary(IRLibrary):
    """MLIR's Python bindings, with the passes that these have registered."""

    is_default = False
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
        module = import_module("passgen_runtime.ir.mlir")
        module.use_mlir_passes(registry, *self._package)
        return registry

    def by_default(self) -> AbstractContextManager[None]:
        """Let the default registry find MLIR's own passes while the block runs."""
        module = import_module("passgen_runtime.ir.mlir")
        found: AbstractContextManager[None] = module.mlir_passes_by_default(
            *self._package
        )
        return found

    def explaining(self, registry: PassRegistry) -> AbstractContextManager[None]:
        """Return a block without effect: MLIR's own passes are here."""
        del registry
        return nullcontext()

    def scratch_registry(self) -> PassRegistry:
        """Return a new registry with MLIR's own passes."""
        return self.registry(PassRegistry())

    def context(self, *, allow_unregistered: bool) -> Context:
        """Return a new context.

        Raises:
            BindingsError: there are no bindings in the package.
        """
        _announce_crashes()
        context: Context = import_module("passgen_runtime.ir.mlir").MLIRContext(
            *self._package, allow_unregistered=allow_unregistered
        )
        return context


def _announce_crashes() -> None:
    """Let Python say where it was if MLIR ends the process."""
    if not faulthandler.is_enabled():
        # Nothing is said where standard error is no file.
        with suppress(OSError, ValueError, AttributeError, RuntimeError):
            faulthandler.enable(all_threads=False)


def chosen_ir_library(arguments: Sequence[str]) -> IRLibrary:
    """Return what the last `--ir` in `arguments` chooses; xDSL where there is none.

    Raises:
        UsageError: it is no library.
    """
    chosen = "xdsl"
    for argument, following in pairwise((*arguments, "")):
        match = _FLAG.fullmatch(argument)
        if match is not None:
            chosen = following if match[1] is None else match[1]
    match = _VALUE.fullmatch(chosen)
    if match is None:
        raise UsageError(
            f"for the --ir option: Cannot find option named '{chosen}'!\n"
            "valid values are xdsl, mlir and mlir:PACKAGE"
        )
    return IRLibrary() if chosen == "xdsl" else _MLIRLibrary(match[1])
