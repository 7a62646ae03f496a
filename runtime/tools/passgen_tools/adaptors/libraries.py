"""The adaptors of each IR library, found by the class of a context."""

from __future__ import annotations

from threading import local
from typing import Any, Final, NamedTuple, cast

from passgen_runtime.context import Context
from passgen_runtime.errors import PassError, SchedulingError, wrong_argument
from passgen_tools.adaptors.editing import Editor
from passgen_tools.adaptors.inspection import Inspector
from passgen_tools.adaptors.transport import Transport


class Adaptors(NamedTuple):
    """The adaptors of an IR library.

    Without a transport, its IR stays in a process; without an editor, it cannot shrink.
    """

    transport: type[Transport] | None = None
    inspector: type[Inspector] = Inspector
    editor: type[Editor] | None = None


_REGISTERED: Final[dict[type[Context], Adaptors]] = {}


def register_adaptors(context_class: type[Context], adaptors: Adaptors) -> None:
    """Register `adaptors` for contexts of a class and of its subclasses."""
    _REGISTERED[context_class] = adaptors


def transport_of(context: Context) -> Transport:
    """Return the transport of operations of `context`.

    Raises:
        SchedulingError: there is none for contexts of its class.
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
        PassError: there is none for contexts of its class.
    """
    editor = _adaptors_of(context).editor
    if editor is None:
        raise PassError(f"IR of a {type(context).__qualname__} cannot be edited")
    return editor()


def _adaptors_of(context: Context) -> Adaptors:
    for cls in type(context).__mro__:
        if cls not in _REGISTERED:
            _register_ours(cls)
        if cls in _REGISTERED:
            return _REGISTERED[cls]
    return Adaptors()


def _register_ours(cls: type) -> None:
    """Register the adaptors for `cls` if it is one of the contexts shipped here."""
    # An IR library is imported where there is a context of it, and not before.
    match f"{cls.__module__}.{cls.__qualname__}":
        case "passgen_runtime.ir.xdsl.context.XDSLContext":
            from passgen_tools.adaptors import xdsl  # noqa: PLC0415

            ours = Adaptors(xdsl.XDSLTransport, xdsl.XDSLInspector, xdsl.XDSLEditor)
            register_adaptors(cls, ours)
        case "passgen_runtime.ir.mlir.context.MLIRContext":
            from passgen_tools.adaptors import mlir  # noqa: PLC0415

            ours = Adaptors(mlir.MLIRTransport, mlir.MLIRInspector, mlir.MLIREditor)
            register_adaptors(cls, ours)


_last: Final = local()
"""The last context of each IR library; threads cannot share one where they parse."""


def context_of(ir: object, caller: str) -> Context:
    """Return a context for `ir`: the last one of its library if it fits.

    Args:
        ir: a text, which is IR of xDSL, or an operation.
        caller: the function that got `ir`, for the message.

    Raises:
        TypeError: it is neither a text nor an operation.
    """
    # An IR library is imported where there is IR of it, and not before.
    modules = [cls.__module__ for cls in type(ir).__mro__]
    if isinstance(ir, str) or any(name.startswith("xdsl.") for name in modules):
        from passgen_runtime.ir.xdsl import XDSLContext  # noqa: PLC0415

        if not hasattr(_last, "xdsl"):
            _last.xdsl = XDSLContext()
        return cast("Context", _last.xdsl)
    if not any("._mlir_libs" in name for name in modules):
        expected = "a text, an operation of xDSL, or a module of MLIR's bindings"
        raise wrong_argument(caller, ir, expected)
    from passgen_runtime.ir.mlir import MLIRContext  # noqa: PLC0415

    mlir = cast("Any", ir).context
    if not hasattr(_last, "mlir") or _last.mlir.mlir is not mlir:
        _last.mlir = MLIRContext(mlir=mlir)
    return cast("Context", _last.mlir)
