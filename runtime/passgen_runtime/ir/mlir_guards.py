"""Guards: methods of MLIR's bindings that a pass could end the process with.

MLIR checks what it is told by assertions, or not at all, and frees what is erased.
While a pipeline of ours runs in a context of MLIR, these methods of the bindings look
first, and raise where MLIR would go down; what is erased is moved into a grave instead.
In all other contexts, and when nothing runs, they do what they did.

There is no other place to stand: passes get objects of the bindings, which are made by
native code, and nothing tells when an operation is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Final

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import InvalidUseError, described, parent_of
from passgen_runtime.ir.mlir_walks import guarded_walk

if TYPE_CHECKING:
    from passgen_runtime.ir.mlir_erasures import Erasures

_CREATE: Final = "create"


def guard(bindings: Bindings) -> None:
    """Put guards before the methods of `bindings`; once is enough."""
    ir = bindings.ir
    base = ir.Operation.__mro__[1]  # what operations and their views have in common
    for cls, name, make in (
        (base, "erase", _erase),
        (base, "detach_from_parent", _detach),
        (base, "clone", _clone),
        (base, "walk", guarded_walk),
        (base, "move_before", _move),
        (base, "move_after", _move),
        (ir.Operation, _CREATE, _create),
        (ir.OpView, "__init__", _init),
        (ir.Block, "append", _append),
        (ir.Block, "append_to", _append_to),
        (ir.Block, "erase_argument", _erase_argument),
        (ir.InsertionPoint, "insert", _insert),
        (ir.SymbolTable, "erase", _erase_symbol),
        (ir.Value, "replace_all_uses_with", _replace_uses),
        (ir.Value, "set_type", _set_type),
        (ir.BlockArgument, "set_type", _set_type),
        (ir.OpOperandList, "__setitem__", _set_operand),
        (bindings.passmanager.PassManager, "run", _run),
    ):
        original = getattr(cls, name, None)
        if original is None or hasattr(original, "__wrapped__"):
            continue  # older bindings lack some, and some inherit others
        guarded = wraps(original)(make(bindings, original))
        is_static = name == _CREATE
        setattr(cls, name, staticmethod(guarded) if is_static else guarded)
    rewriter: MLIRObject = getattr(bindings.rewrite, "PatternRewriter", None)
    original = getattr(rewriter, "erase_op", None)
    if original is not None and not hasattr(original, "__wrapped__"):
        rewriter.erase_op = wraps(original)(_erase_matched(bindings, original))


Method = Callable[..., MLIRObject]


def _erase(bindings: Bindings, original: Method) -> Method:
    def erase(self: MLIRObject) -> None:
        erasures = bindings.erasures_of(self.context) if bindings.running else None
        if erasures is None:
            original(self)
        else:
            erasures.erase(self.operation)

    return erase


def _detach(bindings: Bindings, original: Method) -> Method:
    def detach_from_parent(self: MLIRObject) -> MLIRObject:
        erasures = bindings.erasures_of(self.context) if bindings.running else None
        if erasures is None:
            return original(self)
        operation = self.operation
        erasures.check_alive(operation)
        erasures.check_below_top(operation, "detached")
        detached = original(self)
        erasures.note_detached(operation)
        return detached

    return detach_from_parent


def _move(bindings: Bindings, original: Method) -> Method:
    def move(self: MLIRObject, other: MLIRObject) -> None:
        if bindings.running:
            operation, target = self.operation, other.operation
            _check_same_context(operation, target)
            erasures = bindings.erasures_of(operation.context)
            if erasures is not None:
                erasures.check_below_top(operation, "moved")
                for each in (operation, target):
                    erasures.check_alive(each)
                    if parent_of(each) is None:
                        message = (
                            f"{described(each)} is in no block: nothing can be moved"
                        )
                        raise InvalidUseError(f"{message} next to it, nor itself")
                _check_placed(operation, parent_of(target))
        original(self, other)

    return move


def _create(bindings: Bindings, original: Method) -> Method:
    def create(name: str, *args: MLIRObject, **named: MLIRObject) -> MLIRObject:
        if not bindings.running:
            return original(name, *args, **named)
        location = named.get("loc")
        try:
            context = (
                bindings.ir.Context.current if location is None else location.context
            )
        except ValueError:  # there is none
            return original(name, *args, **named)
        erasures = bindings.erasures_of(context)
        if erasures is None:
            return original(name, *args, **named)
        erasures.check_known(name)
        created = original(name, *args, **named)
        erasures.note_created(created.operation)
        return created

    return create


def _clone(bindings: Bindings, original: Method) -> Method:
    def clone(self: MLIRObject, *args: MLIRObject, **named: MLIRObject) -> MLIRObject:
        copy = original(self, *args, **named)
        if bindings.running:
            erasures = bindings.erasures_of(self.context)
            if erasures is not None:
                erasures.note_created(copy.operation)
        return copy

    return clone


def _init(bindings: Bindings, original: Method) -> Method:
    def __init__(  # noqa: N807 - what it replaces
        self: MLIRObject, *args: MLIRObject, **named: MLIRObject
    ) -> None:
        original(self, *args, **named)
        if named and bindings.running:  # it makes an operation, not a view of one
            erasures = bindings.erasures_of(self.context)
            if erasures is not None:
                erasures.note_created(self.operation)

    return __init__


def _append(bindings: Bindings, original: Method) -> Method:
    def append(self: MLIRObject, operation: MLIRObject) -> None:
        if bindings.running:
            _check_inserted(bindings, operation, self)
        original(self, operation)

    return append


def _insert(bindings: Bindings, original: Method) -> Method:
    def insert(self: MLIRObject, operation: MLIRObject) -> None:
        if bindings.running:
            _check_inserted(bindings, operation, self.block)
        original(self, operation)

    return insert


def _append_to(bindings: Bindings, original: Method) -> Method:
    def append_to(self: MLIRObject, region: MLIRObject) -> None:
        if bindings.running:
            around = region.owner.operation
            _check_same_context(self.owner.operation, around)
            _check_alive(bindings, around)
            for each in self.operations:
                _check_placed(each.operation, around)
        original(self, region)

    return append_to


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


def _erase_symbol(bindings: Bindings, original: Method) -> Method:
    def erase(self: MLIRObject, operation: MLIRObject) -> None:
        if bindings.running:
            erasures = bindings.erasures_of(operation.context)
            if erasures is not None:
                erasures.hollow_out(operation.operation)
        original(self, operation)

    return erase


def _replace_uses(bindings: Bindings, original: Method) -> Method:
    def replace_all_uses_with(self: MLIRObject, other: MLIRObject) -> None:
        if bindings.running:
            if self == other:
                return
            for value in (self, other):
                _check_value(bindings, value, self.context)
        original(self, other)

    return replace_all_uses_with


def _set_operand(bindings: Bindings, original: Method) -> Method:
    def set_operand(self: Sequence[MLIRObject], index: int, value: MLIRObject) -> None:
        if bindings.running:
            _check_value(bindings, value, self[index].context)
        original(self, index, value)

    return set_operand


def _set_type(bindings: Bindings, original: Method) -> Method:
    def set_type(self: MLIRObject, type_: MLIRObject) -> None:
        if bindings.running and type_.context is not self.context:
            raise InvalidUseError(_OTHER_CONTEXT.format(f"the type '{type_}' is"))
        original(self, type_)

    return set_type


def _run(bindings: Bindings, original: Method) -> Method:
    def run(self: MLIRObject, operation: MLIRObject) -> None:
        erasures = bindings.erasures_of(operation.context) if bindings.running else None
        if erasures is not None:
            with erasures.called_by_pass():
                erasures.prepare_native_run(operation.operation)
        original(self, operation)

    return run


def _erase_matched(bindings: Bindings, original: Method) -> Method:
    def erase_op(self: MLIRObject, operation: MLIRObject) -> None:
        erasures = bindings.erasures_of(operation.context) if bindings.running else None
        if erasures is not None:
            erasures.check_unused(operation.operation)
        original(self, operation)
        if erasures is not None:
            operation.operation._set_invalid()  # noqa: SLF001 - its only name

    return erase_op


_OTHER_CONTEXT: Final = "{} of another context of MLIR: parse or build it in this one"


def _check_value(bindings: Bindings, value: MLIRObject, context: MLIRObject) -> None:
    if value.context is not context:
        raise InvalidUseError(
            _OTHER_CONTEXT.format(f"a value of type '{value.type}' is")
        )
    erasures: Erasures | None = bindings.erasures_of(context)
    if erasures is not None:
        erasures.check_value(value)


def _check_inserted(
    bindings: Bindings, operation: MLIRObject, block: MLIRObject
) -> None:
    """Check that `operation` may be put into `block`."""
    around, inner = block.owner.operation, operation.operation
    _check_same_context(inner, around)
    _check_alive(bindings, around)
    _check_alive(bindings, inner)
    _check_placed(inner, around)


def _check_alive(bindings: Bindings, operation: MLIRObject) -> None:
    erasures = bindings.erasures_of(operation.context)
    if erasures is not None:
        erasures.check_alive(operation)


def _check_same_context(operation: MLIRObject, other: MLIRObject) -> None:
    if operation.context is not other.context:
        raise InvalidUseError(_OTHER_CONTEXT.format(f"{described(operation)} is"))


def _check_placed(operation: MLIRObject, around: MLIRObject | None) -> None:
    """Check that neither `around` nor what is around that is `operation` itself."""
    if len(operation.regions):
        while around is not None:
            if around == operation:
                message = f"{described(operation)} cannot be put into itself"
                raise InvalidUseError(message)
            around = parent_of(around)
