"""Guards: methods of MLIR's bindings that a pass could end the process with.

MLIR checks what it is told by assertions, or not at all, and frees what is erased.
While a pipeline of ours runs in a context of MLIR, these methods of the bindings look
first, and raise where MLIR would go down; what is erased is moved into a grave instead.
In all other contexts, and when nothing runs, they do what they did.

There is no other place to stand: passes get objects of the bindings, which are made by
native code, and nothing tells when an operation is gone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import WRAPPER_ASSIGNMENTS, wraps
from inspect import getattr_static
from types import ModuleType

from passgen_runtime.ir.mlir_argument_guards import argument_guards
from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_composition_guards import composition_guards
from passgen_runtime.ir.mlir_constructor_guards import checked, constructor_guards
from passgen_runtime.ir.mlir_context_guards import context_guards, setter_guards
from passgen_runtime.ir.mlir_graves import InvalidUseError, described
from passgen_runtime.ir.mlir_guard_checks import (
    Guard,
    Method,
    check_part,
    check_value,
    erasures_in,
)
from passgen_runtime.ir.mlir_insertion_guards import insertion_guards
from passgen_runtime.ir.mlir_manager_guards import manager_guards
from passgen_runtime.ir.mlir_pattern_matches import erased_by_rewriter
from passgen_runtime.ir.mlir_rewrite_guards import rewrite_guards
from passgen_runtime.ir.mlir_symbol_guards import symbol_guards
from passgen_runtime.ir.mlir_transform_guards import transform_guards
from passgen_runtime.ir.mlir_walks import guarded_walk

_GUARDED_BY = "__passgen_guards__"
"""On a method that is guarded: the modules that its guards are of."""


def guard(bindings: Bindings) -> None:
    """Put guards before the methods of `bindings`; once is enough."""
    for cls, name, make in (
        *argument_guards(bindings),
        *_erasure_guards(bindings),
        *insertion_guards(bindings),
        *context_guards(bindings),
        *composition_guards(bindings),
        *manager_guards(bindings),
        *rewrite_guards(bindings),
        *symbol_guards(bindings),
        *transform_guards(bindings),
    ):
        found = getattr_static(cls, name, None)  # older bindings lack some
        if isinstance(found, property):
            getter: MLIRObject = found.fget
            _replace_accessors(cls, name, getter=_guarded(bindings, getter, make))
        elif isinstance(found, classmethod):
            guarded = _guarded(bindings, found.__func__, make)
            setattr(cls, name, classmethod(guarded))
        elif isinstance(cls, ModuleType) and found is not None:
            _replace_everywhere(found, _guarded(bindings, found, make))
        elif found is not None:
            guarded = _guarded(bindings, getattr(cls, name), make)
            is_static = not hasattr(type(found), "__get__") or isinstance(
                found, staticmethod
            )
            setattr(cls, name, staticmethod(guarded) if is_static else guarded)
    for cls, name, make in setter_guards(bindings):
        setter = getattr_static(cls, name).fset
        if setter is not None:
            _replace_accessors(cls, name, setter=_guarded(bindings, setter, make))
    for cls, check in constructor_guards(bindings):
        if not hasattr(cls, "__wrapped__"):
            _replace_everywhere(cls, checked(bindings, cls, check))


def _guarded(
    bindings: Bindings, original: Method, make: Callable[[Bindings, Method], Method]
) -> Method:
    """Return `original` with the guard that `make` makes; it may have it already.

    A method has one guard of each module.
    """
    modules: frozenset[str] = getattr(original, _GUARDED_BY, frozenset())
    if make.__module__ in modules:
        return original
    # The functions of properties have no names.
    assigned = [each for each in WRAPPER_ASSIGNMENTS if getattr(original, each, None)]
    guarded = wraps(original, assigned)(make(bindings, original))
    setattr(guarded, _GUARDED_BY, modules | {make.__module__})
    return guarded


def _replace_accessors(
    cls: MLIRObject,
    name: str,
    getter: Method | None = None,
    setter: Method | None = None,
) -> None:
    found = getattr_static(cls, name)
    accessors = property(getter or found.fget, setter or found.fset, doc=found.__doc__)
    setattr(cls, name, accessors)


def _replace_everywhere(original: MLIRObject, guarded: MLIRObject) -> None:
    """Put `guarded` where modules have `original`, those that have imported it, too."""
    if guarded is original:
        return
    for module in list(sys.modules.values()):
        for name, value in list(getattr(module, "__dict__", {}).items()):
            if value is original:
                setattr(module, name, guarded)


def _erasure_guards(bindings: Bindings) -> tuple[Guard, ...]:
    ir = bindings.ir
    base = ir.Operation.__mro__[1]  # what operations and their views have in common
    return (
        (base, "erase", _erase),
        (base, "detach_from_parent", _detach),
        (base, "walk", guarded_walk),
        (ir.Block, "erase_argument", _erase_argument),
        (ir.Value, "replace_all_uses_with", _replace_uses),
        (ir.Value, "set_type", _set_type),
        (ir.BlockArgument, "set_type", _set_type),
        (ir.OpOperandList, "__setitem__", _set_operand),
    )


def _erase(bindings: Bindings, original: Method) -> Method:
    def erase(self: MLIRObject) -> None:
        erasures = erasures_in(bindings, self)
        if erasures is None:
            original(self)
        elif not erased_by_rewriter(self.operation):
            erasures.erase(self.operation)

    return erase


def _detach(bindings: Bindings, original: Method) -> Method:
    def detach_from_parent(self: MLIRObject) -> MLIRObject:
        erasures = erasures_in(bindings, self)
        if erasures is None:
            return original(self)
        operation = self.operation
        erasures.check_alive(operation)
        erasures.check_below_top(operation, "detached")
        detached = original(self)
        erasures.detached.note(operation)
        return detached

    return detach_from_parent


def _erase_argument(bindings: Bindings, original: Method) -> Method:
    def erase_argument(self: MLIRObject, index: int) -> None:
        if bindings.running:
            for use in self.arguments[index].uses:
                message = (
                    f"argument {index} of a block cannot be erased: "
                    f"{described(use.owner.operation)} uses it"
                )
                raise InvalidUseError(message)
        original(self, index)

    return erase_argument


def _replace_uses(bindings: Bindings, original: Method) -> Method:
    def replace_all_uses_with(self: MLIRObject, other: MLIRObject, /) -> None:
        if bindings.running:
            if self == other:
                return
            for value in (self, other):
                check_value(bindings, value, self.context)
        original(self, other)

    return replace_all_uses_with


def _set_operand(bindings: Bindings, original: Method) -> Method:
    def set_operand(self: Sequence[MLIRObject], index: int, value: MLIRObject) -> None:
        if bindings.running:
            check_value(bindings, value, self[index].context)
        original(self, index, value)

    return set_operand


def _set_type(bindings: Bindings, original: Method) -> Method:
    def set_type(
        self: MLIRObject, type: MLIRObject  # noqa: A002 - its name there
    ) -> None:
        if bindings.running:
            check_part(bindings, type, self.context)
        original(self, type)

    return set_type
