"""Guards of what makes operations, and of what puts them somewhere."""

from __future__ import annotations

from collections.abc import Mapping

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import InvalidUseError, described, parent_of
from passgen_runtime.ir.mlir_guard_checks import (
    Guard,
    Method,
    check_alive,
    check_block,
    check_parts,
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
        (base, "is_before_in_block", _is_before),
        (ir.Operation, "block", _block),
        (ir.Operation, "create", _create),
        (ir.OpView, "__init__", _init),
        (ir.Operation, "parse", _parse),
        (ir.OpView, "parse", _parse),
        (ir.Module, "create", _make_module),
        (ir.Module, "parse", _make_module),
        (ir.Module, "parseFile", _make_module),
        (ir.OpView, "build_generic", _build_generic),
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


def _is_before(bindings: Bindings, original: Method) -> Method:
    def is_before_in_block(self: MLIRObject, other: MLIRObject) -> bool:
        if bindings.running:
            one, two = self.operation, other.operation
            around = parent_of(one)
            is_together = around is not None and around == parent_of(two)
            if not (is_together and one.block == two.block):
                message = (
                    f"{described(one)} and {described(two)} are not in one block: "
                    "neither comes before the other"
                )
                raise InvalidUseError(message)
        is_before: bool = original(self, other)
        return is_before

    return is_before_in_block


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
        _check_new(bindings, parts, context)
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
"""What `Operation.create` takes after the name, and `build_generic` at all."""


def _init(bindings: Bindings, original: Method) -> Method:
    def __init__(  # noqa: N807 - what it replaces
        self: MLIRObject, *args: MLIRObject, **named: MLIRObject
    ) -> None:
        if not (named and bindings.running):  # without names, a view of an operation
            original(self, *args, **named)
            return
        context = _context_of(bindings, named)
        _check_new(bindings, named, context)
        original(self, *args, **named)
        _note_created(bindings, self, context)

    return __init__


def _build_generic(bindings: Bindings, original: Method) -> Method:
    def build_generic(cls: type, *args: MLIRObject, **named: MLIRObject) -> MLIRObject:
        if not bindings.running:
            return original(cls, *args, **named)
        parts = dict(zip(_PARTS, args, strict=False)) | named
        context = _context_of(bindings, parts)
        _check_new(bindings, parts, context)
        built = original(cls, *args, **named)
        _note_created(bindings, built, context)
        return built

    return build_generic


def _parse(bindings: Bindings, original: Method) -> Method:
    def parse(*args: MLIRObject, **named: MLIRObject) -> MLIRObject:
        parsed = original(*args, **named)
        if bindings.running:
            _note_created(bindings, parsed, parsed.context)
        return parsed

    return parse


def _make_module(bindings: Bindings, original: Method) -> Method:
    def make(*args: MLIRObject, **named: MLIRObject) -> MLIRObject:
        module = original(*args, **named)
        erasures = bindings.erasures_of(module.context) if bindings.running else None
        if erasures is not None:
            erasures.detached.note_module(module)
        return module

    return make


def _clone(bindings: Bindings, original: Method) -> Method:
    def clone(
        self: MLIRObject, ip: MLIRObject = None, **named: MLIRObject
    ) -> MLIRObject:
        if not bindings.running:
            return original(self, ip, **named)
        context = self.context
        _check_point(bindings, ip, context)
        copy = original(self, ip, **named)
        _note_created(bindings, copy, context)
        return copy

    return clone


def _append(bindings: Bindings, original: Method) -> Method:
    def append(self: MLIRObject, operation: MLIRObject) -> None:
        if bindings.running:
            operation = _checked(bindings, operation, self)
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
            operation = _checked(bindings, operation, self.block)
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


def _note_created(
    bindings: Bindings, created: MLIRObject, context: MLIRObject | None
) -> None:
    erasures = bindings.erasures_of(context)
    if erasures is not None:
        erasures.note_created(created.operation)


def _check_new(
    bindings: Bindings, parts: Mapping[str, MLIRObject], context: MLIRObject | None
) -> None:
    """Check that an operation of `parts` may be made in `context`."""
    _check_point(bindings, parts.get("ip"), context)
    if context is None:
        return
    for name in ("operands", "results"):
        each = parts.get(name)
        if each is not None:
            check_parts(bindings, each if type(each) is list else (each,), context)
    attributes = parts.get("attributes")
    if attributes:
        check_parts(bindings, attributes.values(), context)
    for block in parts.get("successors") or ():
        check_block(block, context)


def _check_in_block(operation: MLIRObject, consequence: str) -> None:
    if parent_of(operation) is None:
        message = f"{described(operation)} is in no block: {consequence}"
        raise InvalidUseError(message)


def _checked(
    bindings: Bindings, operation: MLIRObject, block: MLIRObject
) -> MLIRObject:
    """Return the handle to put into `block` for `operation`, if that may be done."""
    around, inner = block.owner.operation, operation.operation
    check_same_context(inner, around.context)
    check_alive(bindings, around)
    check_alive(bindings, inner)
    check_placed(inner, around)
    erasures = bindings.erasures_of(inner.context)
    if erasures is None:
        return operation
    erasures.check_movable(inner, "moved")
    owner = erasures.detached.owner_of(inner)
    return operation if owner is inner else owner


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
    if around.context is not context:
        message = (
            f"what is made in {described(around)} is of another context of MLIR: parse "
            "or build it in that one, and with a location of it"
        )
        raise InvalidUseError(message)
    check_alive(bindings, around)
