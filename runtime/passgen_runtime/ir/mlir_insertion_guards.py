"""Guards of what makes operations, and of what puts them somewhere."""

from __future__ import annotations

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import InvalidUseError, described, parent_of
from passgen_runtime.ir.mlir_guard_checks import (
    Guard,
    Method,
    check_alive,
    check_placed,
    check_same_context,
)


def insertion_guards(bindings: Bindings) -> tuple[Guard, ...]:
    """Return the guards of `bindings` that are for insertions."""
    ir = bindings.ir
    base = ir.Operation.__mro__[1]  # what operations and their views have in common
    return (
        (base, "clone", _clone),
        (base, "move_before", _move),
        (base, "move_after", _move),
        (ir.Operation, "block", _block),
        (ir.Operation, "create", _create),
        (ir.OpView, "__init__", _init),
        (ir.Block, "append", _append),
        (ir.Block, "append_to", _append_to),
        (ir.InsertionPoint, "after", _point_after),
        (ir.InsertionPoint, "insert", _insert),
    )


def _move(bindings: Bindings, original: Method) -> Method:
    def move(self: MLIRObject, other: MLIRObject) -> None:
        if bindings.running:
            operation, target = self.operation, other.operation
            check_same_context(operation, target.context)
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
                check_placed(operation, parent_of(target))
        original(self, other)

    return move


def _block(bindings: Bindings, original: Method) -> Method:
    def block(self: MLIRObject) -> MLIRObject:
        if bindings.running:
            _check_in_block(self, "it has none to look at")
        return original(self)

    return block


def _create(bindings: Bindings, original: Method) -> Method:
    def create(name: str, *args: MLIRObject, **named: MLIRObject) -> MLIRObject:
        if not bindings.running:
            return original(name, *args, **named)
        parts = dict(zip(_PARTS, args, strict=False)) | named
        context = _context_of(bindings, parts)
        erasures = bindings.erasures_of(context)
        if erasures is not None:
            erasures.check_known(name)
        _check_point(bindings, parts.get("ip"), context)
        created = original(name, *args, **named)
        if erasures is not None:
            erasures.note_created(created.operation)
        return created

    return create


_PARTS = (
    "results",
    "operands",
    "attributes",
    "successors",
    "regions",
    "loc",
    "ip",
)
"""What `Operation.create` takes after the name."""


def _init(bindings: Bindings, original: Method) -> Method:
    def __init__(  # noqa: N807 - what it replaces
        self: MLIRObject, *args: MLIRObject, **named: MLIRObject
    ) -> None:
        if not (named and bindings.running):  # without names, a view of an operation
            original(self, *args, **named)
            return
        context = _context_of(bindings, named)
        _check_point(bindings, named.get("ip"), context)
        original(self, *args, **named)
        erasures = bindings.erasures_of(context)
        if erasures is not None:
            erasures.note_created(self.operation)

    return __init__


def _clone(bindings: Bindings, original: Method) -> Method:
    def clone(
        self: MLIRObject, ip: MLIRObject = None, **named: MLIRObject
    ) -> MLIRObject:
        if not bindings.running:
            return original(self, ip, **named)
        context = self.context
        _check_point(bindings, ip, context)
        copy = original(self, ip, **named)
        erasures = bindings.erasures_of(context)
        if erasures is not None:
            erasures.note_created(copy.operation)
        return copy

    return clone


def _append(bindings: Bindings, original: Method) -> Method:
    def append(self: MLIRObject, operation: MLIRObject) -> None:
        if bindings.running:
            _check_inserted(bindings, operation, self)
        original(self, operation)

    return append


def _append_to(bindings: Bindings, original: Method) -> Method:
    def append_to(self: MLIRObject, region: MLIRObject) -> None:
        if bindings.running:
            around = region.owner.operation
            check_same_context(self.owner.operation, around.context)
            check_alive(bindings, around)
            for each in self.operations:
                check_placed(each.operation, around)
        original(self, region)

    return append_to


def _point_after(bindings: Bindings, original: Method) -> Method:
    def after(operation: MLIRObject) -> MLIRObject:
        if bindings.running:
            _check_in_block(
                operation.operation, "there is no insertion point next to it"
            )
        return original(operation)

    return after


def _insert(bindings: Bindings, original: Method) -> Method:
    def insert(self: MLIRObject, operation: MLIRObject) -> None:
        if bindings.running:
            _check_inserted(bindings, operation, self.block)
            _check_point(bindings, self, operation.context)
        original(self, operation)

    return insert


def _context_of(bindings: Bindings, parts: dict[str, MLIRObject]) -> MLIRObject | None:
    """Return the context in which an operation of `parts` is made."""
    location = parts.get("loc")
    try:
        return bindings.ir.Context.current if location is None else location.context
    except ValueError:  # there is none: the method says so
        return None


def _check_in_block(operation: MLIRObject, consequence: str) -> None:
    if parent_of(operation) is None:
        message = f"{described(operation)} is in no block: {consequence}"
        raise InvalidUseError(message)


def _check_inserted(
    bindings: Bindings, operation: MLIRObject, block: MLIRObject
) -> None:
    """Check that `operation` may be put into `block`."""
    around, inner = block.owner.operation, operation.operation
    check_same_context(inner, around.context)
    check_alive(bindings, around)
    check_alive(bindings, inner)
    check_placed(inner, around)


def _check_point(
    bindings: Bindings, point: MLIRObject, context: MLIRObject | None
) -> None:
    """Check that something of `context` may be put at `point` or the current one."""
    if point is None:
        try:
            point = bindings.ir.InsertionPoint.current
        except ValueError:
            return
    if point is False or context is None:
        return
    block, reference = point.block, point.ref_operation
    if reference is not None:
        before = reference.operation
        check_alive(bindings, before)
        if parent_of(before) is None or before.block != block:
            message = (
                f"the insertion point was before {described(before)}, which has been "
                "moved to another place since: make a new one"
            )
            raise InvalidUseError(message)
    around = block.owner.operation
    check_same_context(around, context)
    check_alive(bindings, around)
