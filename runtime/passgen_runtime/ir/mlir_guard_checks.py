"""What the guards of MLIR's bindings look at: see `mlir_guards`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import InvalidUseError, described, parent_of
from passgen_runtime.ir.mlir_locations import place_of

if TYPE_CHECKING:
    from passgen_runtime.ir.mlir_erasures import Erasures

Method: TypeAlias = Callable[..., MLIRObject]

Guard: TypeAlias = tuple[MLIRObject, str, Callable[[Bindings, Method], Method]]
"""A class of the bindings, the name of a method, and what makes the one in front."""

_OTHER_CONTEXT: Final = (
    "{} is of another context of MLIR: parse or build it in this one"
)

_BUFFERS: Final = (str, bytes, bytearray, memoryview)
"""Sequences that hold nothing of a context."""

_MAX_SHOWN_CHARS: Final = 60
"""What an error shows of an attribute: some hold all numbers of a tensor."""


def erasures_in(bindings: Bindings, operation: MLIRObject) -> Erasures | None:
    """Return the erasures of the context of `operation` if a pipeline runs in it."""
    return bindings.erasures_of(operation.context) if bindings.running else None


def check_value(bindings: Bindings, value: MLIRObject, context: MLIRObject) -> None:
    """Check that `value` is one of `context`, and that nobody erased it."""
    check_part(bindings, value, context)
    erasures = bindings.erasures_of(context)
    if erasures is not None:
        erasures.check_value(value)


def check_part(bindings: Bindings, part: MLIRObject, context: MLIRObject) -> None:
    """Check that `part`, a value, a type, an attribute, ..., is one of `context`."""
    if part.context is not context:
        raise InvalidUseError(_OTHER_CONTEXT.format(_shown(bindings, part)))


def check_parts(
    bindings: Bindings, parts: Iterable[MLIRObject], context: MLIRObject
) -> None:
    """Check each of `parts`, and what is in lists in them; others are left to MLIR."""
    for each in parts:
        if type(each) is list:  # as most are: passes make thousands of operations
            check_parts(bindings, each, context)
        elif each is not None:
            try:
                is_other = each.context is not context
            except AttributeError:
                check_parts(bindings, _parts_of(bindings, each), context)
            else:
                if is_other:
                    check_part(bindings, each, context)


def check_block(block: MLIRObject, context: MLIRObject) -> None:
    """Check that `block` is one of `context`; a grave tells whether it was erased."""
    try:
        owner = block.owner.operation
    except RuntimeError:
        return
    if owner.context is not context:
        raise InvalidUseError(_OTHER_CONTEXT.format(f"a block of {described(owner)}"))


def check_alive(bindings: Bindings, operation: MLIRObject) -> None:
    """Check that nobody erased `operation`."""
    erasures = bindings.erasures_of(operation.context)
    if erasures is not None:
        erasures.check_alive(operation)


def check_same_context(operation: MLIRObject, context: MLIRObject) -> None:
    """Check that `operation` is one of `context`."""
    if operation.context is not context:
        raise InvalidUseError(_OTHER_CONTEXT.format(described(operation)))


def check_placed(operation: MLIRObject, around: MLIRObject | None) -> None:
    """Check that neither `around` nor what is around that is `operation` itself."""
    if len(operation.regions):
        while around is not None:
            if around == operation:
                message = f"{described(operation)} cannot be put into itself"
                raise InvalidUseError(message)
            around = parent_of(around)


def _parts_of(bindings: Bindings, whole: MLIRObject) -> Iterable[MLIRObject]:
    """Return what `whole` is a list or dictionary of, if it is one."""
    found: Iterable[MLIRObject] = ()
    if isinstance(whole, Mapping):
        found = whole.values()
    elif isinstance(whole, bindings.value_lists) or (
        isinstance(whole, Sequence) and not isinstance(whole, _BUFFERS)
    ):
        found = whole
    return found


def _shown(bindings: Bindings, part: MLIRObject) -> str:
    """Return `the type 'i32'`, and the like."""
    ir = bindings.ir
    if isinstance(part, ir.Location):
        return f"the location {place_of(part)}"
    if isinstance(part, ir.Value):
        return f"a value of type '{part.type}'"
    if isinstance(part, ir.Type):
        kind = "type"
    elif isinstance(part, ir.Attribute):
        kind = "attribute"
    elif isinstance(part, ir.AffineMap):
        kind = "affine map"
    elif isinstance(part, ir.AffineExpr):
        kind = "affine expression"
    else:
        return described(part.operation)
    text = str(part)
    if len(text) > _MAX_SHOWN_CHARS:
        text = f"{text[:_MAX_SHOWN_CHARS]}..."
    return f"the {kind} '{text}'"
