"""The table of IR libraries: what tools need of one beside its context.

An IR library is a module with a context, and a row here. A row imports its library when
a method needs it.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from threading import local
from typing import Any, ClassVar, Final, NamedTuple

from passgen_runtime.context import Context
from passgen_runtime.errors import PassError, SchedulingError, wrong_argument
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_registry import PassRegistry, default_registry
from passgen_runtime.passes import register_pattern_passes, with_shipped
from passgen_tools.adaptors import Editor, Inspector, Transport


class Adaptors(NamedTuple):
    """The adaptors of an IR library.

    Without a transport, its IR stays in a process; without an editor, it cannot shrink.
    """

    transport: type[Transport] | None = None
    inspector: type[Inspector] = Inspector
    editor: type[Editor] | None = None


class IRLibrary(ABC):
    """An IR library: a row of the table."""

    name: ClassVar[str]
    """The value of `--ir`, and the beginning of `Context.library`."""

    title: ClassVar[str] = ""
    """The name in messages; by default, `name`."""

    distributions: ClassVar[tuple[str, ...]] = ()
    """The installed distributions whose versions a record notes."""

    has_packages: ClassVar[bool] = False
    """Whether `--ir=NAME:PACKAGE` chooses one of several packages that ship it."""

    has_slow_passes: ClassVar[bool] = False
    """Whether `--help` omits passes because importing them takes long."""

    why_verifies_input: ClassVar[str] = ""
    """Why input is always verified, for an error; empty if it need not be."""

    nests_text: ClassVar[bool] = False
    """Whether the text of an operation contains the texts of those inside.

    Modules are then put together from the texts in a record.
    """

    may_end_process: ClassVar[bool] = False
    """Whether a bug of the library, written in C++, ends the process."""

    def __init_subclass__(cls) -> None:
        """Set the title."""
        cls.title = cls.title or cls.name

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

    def knows_pass(self, argument: str) -> bool:
        """Return whether the library itself is known to have a pass `argument`."""
        del argument
        return False

    def note_of_untried_version(self) -> str | None:
        """Return a line about the installed version if it is newer than those tried."""
        return None

    def adaptors(self) -> Adaptors:
        """Return what tools need of its IR."""
        return Adaptors()


class XDSLLibrary(IRLibrary):
    """xDSL, with the passes shipped here and xDSL's own."""

    name = "xdsl"
    title = "xDSL"
    distributions = ("xdsl",)
    has_slow_passes = True
    nests_text = True

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

    def note_of_untried_version(self) -> str | None:
        """Return a line about xDSL if it is newer than the versions tried."""
        from passgen_runtime.ir.xdsl_versions import installed_xdsl, note_of_untried

        return note_of_untried(installed_xdsl())

    def adaptors(self) -> Adaptors:
        """Return those of xDSL's IR."""
        from passgen_tools.adaptors import xdsl

        return Adaptors(xdsl.XDSLTransport, xdsl.XDSLInspector, xdsl.XDSLEditor)


class MLIRLibrary(IRLibrary):
    """MLIR's Python bindings, with the passes that these have registered."""

    name = "mlir"
    title = "MLIR"
    has_packages = True
    why_verifies_input = "MLIR's Python bindings verify all IR that they parse"
    nests_text = True
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

    def knows_pass(self, argument: str) -> bool:
        """Return whether the table of MLIR's passes has a pass `argument`."""
        from passgen_runtime.ir.mlir.known_passes import known_passes

        return argument in known_passes()

    def adaptors(self) -> Adaptors:
        """Return those of MLIR's IR."""
        from passgen_tools.adaptors import mlir

        return Adaptors(mlir.MLIRTransport, mlir.MLIRInspector, mlir.MLIREditor)


_ROWS: Final[dict[str, type[IRLibrary]]] = {
    row.name: row for row in (XDSLLibrary, MLIRLibrary)
}

DEFAULT_IR_LIBRARY: Final = next(iter(_ROWS))
"""The value of `--ir` where it is not given."""


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


def ir_library_titles(*, nests_text: bool = False) -> str:
    """Return the titles of the libraries as words of a message.

    Args:
        nests_text: whether only those with this property are meant.
    """
    return " or of ".join(
        row.title for row in _ROWS.values() if row.nests_text or not nests_text
    )


def ir_library_usage() -> str:
    """Return the values of `--ir` as a line of usage."""
    return "|".join(
        f"{row.name}[:PACKAGE]" if row.has_packages else row.name
        for row in _ROWS.values()
    )


def ir_library_spellings(conjunction: str) -> str:
    """Return the values of `--ir` as words of a message."""
    values = [
        value
        for row in _ROWS.values()
        for value in (row.name, *[f"{row.name}:PACKAGE"] * row.has_packages)
    ]
    *others, last = values
    return f"{', '.join(others)} {conjunction} {last}"


def transport_of(context: Context) -> Transport:
    """Return the transport of operations of `context`.

    Raises:
        SchedulingError: there is none for its IR library.
    """
    transport = _adaptors_of(context).transport
    if transport is None:
        message = f"a {type(context).__qualname__} cannot be made in another process"
        raise SchedulingError(message)
    return transport(context)


def inspector_of(context: Context) -> Inspector:
    """Return the inspector of operations of `context`."""
    return _adaptors_of(context).inspector(context)


def editor_of(context: Context) -> Editor:
    """Return the editor of operations of `context`.

    Raises:
        PassError: there is none for its IR library.
    """
    editor = _adaptors_of(context).editor
    if editor is None:
        raise PassError(f"IR of a {type(context).__qualname__} cannot be edited")
    return editor()


def _adaptors_of(context: Context) -> Adaptors:
    library = find_ir_library(context.library)
    return Adaptors() if library is None else library.adaptors()


_last: Final = local()
"""The last context of each IR library; threads cannot share one where they parse."""


def context_of(ir: object, caller: str, passes: Iterable[Pass] = ()) -> Context:
    """Return a context for `ir`: the last one of its library if it fits.

    Args:
        ir: a text, or an operation. A text is IR of the first library on which all
            `passes` run.
        caller: the function that got `ir`, for the message.
        passes: the passes that are to run on it.

    Raises:
        TypeError: it is neither a text nor an operation.
        PassError: the library of a text is not installed.
    """
    context: Context | None
    refused: Context | None = None
    for library in ir_libraries():
        last: Context | None = getattr(_last, library.name, None)
        if not isinstance(ir, str):
            context = library.context_of(ir, last)
        else:
            try:
                context = last or library.context()
            except PassError:
                if refused is None:
                    raise
                continue
        if context is not None:
            setattr(_last, library.name, context)
            if not isinstance(ir, str) or not _refuses(context, passes):
                return context
            refused = refused or context
    if refused is not None:  # the pass manager says why
        return refused
    expected = f"a text, or an operation of {ir_library_titles()}"
    raise wrong_argument(caller, ir, expected)


def _refuses(context: Context, passes: Iterable[Pass]) -> bool:
    """Return whether one of `passes` does not run on IR of this library."""
    try:
        for pass_ in passes:
            pass_.check_context(context)
    except PassError:
        return True
    return False
