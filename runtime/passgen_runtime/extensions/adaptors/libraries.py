"""The adaptors of each IR library, found by the class of a context."""

from __future__ import annotations

from typing import Final, NamedTuple

from passgen_runtime.context import Context
from passgen_runtime.errors import SchedulingError
from passgen_runtime.extensions.adaptors.inspection import Inspector
from passgen_runtime.extensions.adaptors.transport import Transport


class Adaptors(NamedTuple):
    """The adaptors of an IR library; without a transport, its IR stays in a process."""

    transport: type[Transport] | None = None
    inspector: type[Inspector] = Inspector


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
            from passgen_runtime.extensions.adaptors import xdsl  # noqa: PLC0415

            register_adaptors(cls, Adaptors(xdsl.XDSLTransport, xdsl.XDSLInspector))
        case "passgen_runtime.ir.mlir.context.MLIRContext":
            from passgen_runtime.extensions.adaptors import mlir  # noqa: PLC0415

            register_adaptors(cls, Adaptors(mlir.MLIRTransport, mlir.MLIRInspector))
