"""The table of IR libraries: what drivers and tests need of one beside its context.

An IR library is a module with a context, and a row here. A row imports its library when
a method needs it.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any, ClassVar, Final

from passgen_runtime.context import Context
from passgen_runtime.errors import PassError
from passgen_runtime.pass_registry import PassRegistry, default_registry
from passgen_runtime.passes import register_pattern_passes, with_shipped


class IRLibrary(ABC):
    """An IR library: a row of the table."""

    name: ClassVar[str]
    """The value of `--ir`, and the beginning of `Context.library`."""

    has_packages: ClassVar[bool] = False
    """Whether `--ir=NAME:PACKAGE` chooses one of several packages that ship it."""

    has_slow_passes: ClassVar[bool] = False
    """Whether `--help` omits passes because importing them takes long."""

    verifies_input: ClassVar[bool] = False
    """Whether its parser verifies all IR."""

    may_end_process: ClassVar[bool] = False
    """Whether a bug of the library, written in C++, ends the process."""

    def __init__(self, package: str | None = None) -> None:
        """Use the library in `package`, or in the default one."""
        self.package = package

    @abstractmethod
    def context(self, *, allow_unregistered: bool = False) -> Context:
        """Return a new context.

        Raises:
            PassError: the library is not installed.
        """

    def context_of(self, operation: object, last: Context | None) -> Context | None:
        """Return a context for `operation`: `last` if it fits.

        Returns:
            `None` if `operation` is not of this library.
        """
        del operation, last
        return None

    def registry(self, given: PassRegistry | None = None) -> PassRegistry:
        """Return the passes to offer: those `given` by a driver, or all."""
        return given or self.add_passes(default_registry)

    def add_passes(self, registry: PassRegistry) -> PassRegistry:
        """Let `registry` find the passes for IR of the library; return it."""
        return registry


class XDSLLibrary(IRLibrary):
    """xDSL, with the passes shipped here and xDSL's own."""

    name = "xdsl"
    has_slow_passes = True

    def context(self, *, allow_unregistered: bool = False) -> Context:
        """Return a new context with all installed dialects."""
        if find_spec("xdsl") is None:
            raise PassError(
                "xDSL is not installed, and this driver reads IR with it: install "
                "'mlir-passgen-tools[xdsl]', or read it by MLIR's bindings with "
                "--ir=mlir"
            )
        from passgen_runtime.ir.xdsl import XDSLContext

        return XDSLContext(allow_unregistered=allow_unregistered)

    def context_of(self, operation: object, last: Context | None) -> Context | None:
        """Return a context for an operation of xDSL."""
        # Without this module, there is no such operation.
        ir: Any = sys.modules.get("xdsl.ir")
        if ir is None or not isinstance(operation, ir.Operation):
            return None
        return last or self.context()

    def add_passes(self, registry: PassRegistry) -> PassRegistry:
        """Let `registry` find the shipped passes and those of xDSL."""
        return with_shipped(registry)


class MLIRLibrary(IRLibrary):
    """MLIR's Python bindings, with the passes that these have registered."""

    name = "mlir"
    has_packages = True
    verifies_input = True
    may_end_process = True

    def context(self, *, allow_unregistered: bool = False) -> Context:
        """Return a new context.

        Raises:
            BindingsError: there are no bindings in the package.
        """
        from passgen_runtime.ir.mlir import MLIRContext

        return MLIRContext(self.package, allow_unregistered=allow_unregistered)

    def context_of(self, operation: object, last: Context | None) -> Context | None:
        """Return a context for an operation or a module of MLIR."""
        from passgen_runtime.ir.mlir.bindings import package_of

        if package_of(operation) is None:
            return None
        from passgen_runtime.ir.mlir import MLIRContext

        mlir = getattr(operation, "context", None)
        if isinstance(last, MLIRContext) and last.mlir is mlir:
            return last
        return MLIRContext(mlir=mlir)

    def registry(self, given: PassRegistry | None = None) -> PassRegistry:
        """Return `given`, or what is registered by default, with MLIR's own passes."""
        if given is None:
            given = PassRegistry()
            given.take_entries(default_registry)
            given.add_source(register_pattern_passes)
        return self.add_passes(given)

    def add_passes(self, registry: PassRegistry) -> PassRegistry:
        """Let `registry` find MLIR's own passes."""
        from passgen_runtime.ir.mlir import use_mlir_passes

        use_mlir_passes(registry, self.package)
        return registry


_ROWS: Final[dict[str, type[IRLibrary]]] = {"xdsl": XDSLLibrary, "mlir": MLIRLibrary}


def register_ir_library(row: type[IRLibrary]) -> None:
    """Add a row to the table; a row of the same name is replaced."""
    _ROWS[row.name] = row


def ir_libraries() -> Iterator[IRLibrary]:
    """Yield all libraries, each with its default package."""
    for row in _ROWS.values():
        yield row()


def find_ir_library(spelling: str) -> IRLibrary | None:
    """Return the library that `spelling` names, such as `xdsl` or `mlir:jaxlib.mlir`.

    `Context.library` and the flag `--ir` have this form.
    """
    name, colon, package = spelling.partition(":")
    row = _ROWS.get(name)
    if row is None or (colon and not (row.has_packages and package)):
        return None
    return row(package or None)


def registry_of(context: Context) -> PassRegistry:
    """Return the passes for IR of `context`, as a driver offers them."""
    library = find_ir_library(context.library)
    return default_registry if library is None else library.registry()


def ir_library_spellings(conjunction: str) -> str:
    """Return the values of `--ir` as words of a message."""
    values = [
        value
        for row in _ROWS.values()
        for value in (row.name, *[f"{row.name}:PACKAGE"] * row.has_packages)
    ]
    *others, last = values
    return f"{', '.join(others)} {conjunction} {last}"
