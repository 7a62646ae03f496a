"""The adaptors of each IR library: the rows that tools have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import local
from typing import Final, NamedTuple

from passgen_runtime.context import Context
from passgen_runtime.errors import PassError, SchedulingError, wrong_argument
from passgen_runtime.operation_pass import Pass
from passgen_tools.adaptors.editing import Editor
from passgen_tools.adaptors.inspection import Inspector
from passgen_tools.adaptors.transport import Transport
from passgen_tools.ir_libraries import ir_libraries


class Adaptors(NamedTuple):
    """The adaptors of an IR library.

    Without a transport, its IR stays in a process; without an editor, it cannot shrink.
    """

    transport: type[Transport] | None = None
    inspector: type[Inspector] = Inspector
    editor: type[Editor] | None = None


def _xdsl() -> Adaptors:
    from passgen_tools.adaptors import xdsl  # noqa: PLC0415 - where there is a context

    return Adaptors(xdsl.XDSLTransport, xdsl.XDSLInspector, xdsl.XDSLEditor)


def _mlir() -> Adaptors:
    from passgen_tools.adaptors import mlir  # noqa: PLC0415 - where there is a context

    return Adaptors(mlir.MLIRTransport, mlir.MLIRInspector, mlir.MLIREditor)


_ROWS: Final[dict[str, Callable[[], Adaptors]]] = {"xdsl": _xdsl, "mlir": _mlir}


def register_adaptors(library: str, make: Callable[[], Adaptors]) -> None:
    """Register the adaptors that `make` imports for an IR library, given by name."""
    _ROWS[library] = make


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
    return _ROWS.get(context.library.partition(":")[0], Adaptors)()


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
    refused: Context | None = None
    for library in ir_libraries():
        last: Context | None = getattr(_last, library.name, None)
        if isinstance(ir, str):
            context: Context | None = last or library.context()
        else:
            context = library.context_of(ir, last)
        if context is not None:
            setattr(_last, library.name, context)
            if not isinstance(ir, str) or not _refuses(context, passes):
                return context
            refused = refused or context
    if refused is not None:  # the pass manager says why
        return refused
    expected = "a text, an operation of xDSL, or a module of MLIR's bindings"
    raise wrong_argument(caller, ir, expected)


def _refuses(context: Context, passes: Iterable[Pass]) -> bool:
    """Return whether one of `passes` does not run on IR of this library."""
    try:
        for pass_ in passes:
            pass_.check_context(context)
    except PassError:
        return True
    return False
