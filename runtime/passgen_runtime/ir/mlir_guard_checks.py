"""What the guards of MLIR's bindings look at: see `mlir_guards`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import InvalidUseError, described, parent_of

if TYPE_CHECKING:
    from passgen_runtime.ir.mlir_erasures import Erasures

Method: TypeAlias = Callable[..., MLIRObject]

Guard: TypeAlias = tuple[MLIRObject, str, Callable[[Bindings, Method], Method]]
"""A class of the bindings, the name of a method, and what makes the one in front."""

_OTHER_CONTEXT: Final = "{} of another context of MLIR: parse or build it in this one"


def erasures_in(bindings: Bindings, operation: MLIRObject) -> Erasures | None:
    """Return the erasures of the context of `operation` if a pipeline runs in it."""
    return bindings.erasures_of(operation.context) if bindings.running else None


def check_value(bindings: Bindings, value: MLIRObject, context: MLIRObject) -> None:
    """Check that `value` is one of `context`, and that nobody erased it."""
    if value.context is not context:
        raise InvalidUseError(
            _OTHER_CONTEXT.format(f"a value of type '{value.type}' is")
        )
    erasures = bindings.erasures_of(context)
    if erasures is not None:
        erasures.check_value(value)


def check_type(type_: MLIRObject, context: MLIRObject) -> None:
    """Check that `type_` is one of `context`."""
    if type_.context is not context:
        raise InvalidUseError(_OTHER_CONTEXT.format(f"the type '{type_}' is"))


def check_alive(bindings: Bindings, operation: MLIRObject) -> None:
    """Check that nobody erased `operation`."""
    erasures = bindings.erasures_of(operation.context)
    if erasures is not None:
        erasures.check_alive(operation)


def check_same_context(operation: MLIRObject, context: MLIRObject) -> None:
    """Check that `operation` is one of `context`."""
    if operation.context is not context:
        raise InvalidUseError(_OTHER_CONTEXT.format(f"{described(operation)} is"))


def check_placed(operation: MLIRObject, around: MLIRObject | None) -> None:
    """Check that neither `around` nor what is around that is `operation` itself."""
    if len(operation.regions):
        while around is not None:
            if around == operation:
                message = f"{described(operation)} cannot be put into itself"
                raise InvalidUseError(message)
            around = parent_of(around)
