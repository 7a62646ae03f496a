"""Guards of what is set in the IR: it has to be of the context of MLIR that this is of.

MLIR does not look. The process ends when something of another context is printed,
compared or freed, which may be long after that context is gone.
"""

from __future__ import annotations

from collections.abc import Sequence

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import InvalidUseError
from passgen_runtime.ir.mlir_guard_checks import (
    Guard,
    Method,
    check_block,
    check_part,
    check_parts,
    check_value,
)


def context_guards(bindings: Bindings) -> tuple[Guard, ...]:
    """Return the guards of methods of `bindings` that set something in the IR."""
    ir = bindings.ir
    return (
        (ir.Value, "replace_all_uses_except", _replace_uses_except),
        (ir.Operation, "replace_uses_of_with", _replace_uses_of),
        (ir.OpSuccessors, "__setitem__", _set_successor),
        (ir.OpAttributeMap, "__setitem__", _set_attribute),
        (ir.BlockArgument, "set_location", _set_location),
        (ir.Block, "add_argument", _add_argument),
        (ir.Block, "create_at_start", _create_at_start),
        (ir.Block, "create_before", _create_next_to),
        (ir.Block, "create_after", _create_next_to),
        (ir.BlockList, "append", _append_block),
        (ir.InferTypeOpInterface, "inferReturnTypes", _infer),
        (ir.InferShapedTypeOpInterface, "inferReturnTypeComponents", _infer),
    )


def setter_guards(bindings: Bindings) -> tuple[Guard, ...]:
    """Return the guards of properties of `bindings` that may be set."""
    base = bindings.ir.Operation.__mro__[1]
    return ((base, "location", _set_location),)


def _replace_uses_except(bindings: Bindings, original: Method) -> Method:
    def replace_all_uses_except(
        self: MLIRObject,
        with_: MLIRObject,
        exceptions: MLIRObject | Sequence[MLIRObject],
    ) -> None:
        if bindings.running:
            for value in (self, with_):
                check_value(bindings, value, self.context)
        original(self, with_, exceptions)

    return replace_all_uses_except


def _replace_uses_of(bindings: Bindings, original: Method) -> Method:
    def replace_uses_of_with(
        self: MLIRObject, of: MLIRObject, with_: MLIRObject
    ) -> None:
        if bindings.running:
            check_value(bindings, with_, self.context)
        original(self, of, with_)

    return replace_uses_of_with


def _set_successor(bindings: Bindings, original: Method) -> Method:
    def set_successor(
        self: Sequence[MLIRObject], index: int, block: MLIRObject
    ) -> None:
        if bindings.running:
            check_block(block, self[index].owner.context)
        original(self, index, block)

    return set_successor


def _set_attribute(bindings: Bindings, original: Method) -> Method:
    def set_attribute(self: MLIRObject, name: str, attr: MLIRObject) -> None:
        if not bindings.running:
            original(self, name, attr)
            return
        before = self.get(name)
        original(self, name, attr)
        now = self.get(name)  # nothing, where it is of a wrong kind
        if now is None or attr.context is now.context:
            return
        if before is None:
            del self[name]
        else:
            original(self, name, before)
        # The map itself does not tell its context, but what is read from it does.
        check_part(bindings, attr, now.context)

    return set_attribute


def _set_location(bindings: Bindings, original: Method) -> Method:
    def set_location(self: MLIRObject, loc: MLIRObject) -> None:
        if bindings.running:
            check_part(bindings, loc, self.context)
        original(self, loc)

    return set_location


def _add_argument(bindings: Bindings, original: Method) -> Method:
    def add_argument(
        self: MLIRObject,
        type: MLIRObject,  # noqa: A002 - its name there
        loc: MLIRObject,
    ) -> MLIRObject:
        if bindings.running:
            check_parts(bindings, (type, loc), self.owner.context)
        return original(self, type, loc)

    return add_argument


def _create_at_start(bindings: Bindings, original: Method) -> Method:
    def create_at_start(
        parent: MLIRObject,
        arg_types: Sequence[MLIRObject] = (),
        arg_locs: Sequence[MLIRObject] | None = None,
    ) -> MLIRObject:
        if bindings.running and len(arg_types):
            context = parent.owner.context
            _check_arguments(bindings, arg_types, arg_locs, context)
        return original(parent, arg_types, arg_locs)

    return create_at_start


def _create_next_to(bindings: Bindings, original: Method) -> Method:
    def create(
        self: MLIRObject,
        *arg_types: MLIRObject,
        arg_locs: Sequence[MLIRObject] | None = None,
    ) -> MLIRObject:
        if bindings.running and arg_types:
            _check_arguments(bindings, arg_types, arg_locs, self.owner.context)
        return original(self, *arg_types, arg_locs=arg_locs)

    return create


def _append_block(bindings: Bindings, original: Method) -> Method:
    def append(
        self: MLIRObject,
        *arg_types: MLIRObject,
        arg_locs: Sequence[MLIRObject] | None = None,
    ) -> MLIRObject:
        block = original(self, *arg_types, arg_locs=arg_locs)
        if bindings.running and arg_types:
            context = block.owner.context  # which the list itself does not tell
            try:
                _check_arguments(bindings, arg_types, arg_locs, context)
            except InvalidUseError:
                _discard(bindings, block, context)
                raise
        return block

    return append


def _infer(bindings: Bindings, original: Method) -> Method:
    def infer(
        self: MLIRObject,
        operands: Sequence[MLIRObject] | None = None,
        attributes: MLIRObject | None = None,
        *args: MLIRObject,
        **named: MLIRObject,
    ) -> MLIRObject:
        if bindings.running:
            context = dict(zip(_INFERRED_FROM, args, strict=False)) | named
            mlir = context.get("context") or bindings.ir.Context.current
            check_parts(bindings, (operands, attributes), mlir)
        return original(self, operands, attributes, *args, **named)

    return infer


_INFERRED_FROM = ("properties", "regions", "context", "loc")
"""What the methods that infer types take after operands and attributes."""


def _check_arguments(
    bindings: Bindings,
    types: Sequence[MLIRObject],
    locations: Sequence[MLIRObject] | None,
    context: MLIRObject,
) -> None:
    """Check that a block of `context` may have arguments of `types` at `locations`."""
    check_parts(bindings, types, context)
    if locations is None:
        try:
            locations = (bindings.ir.Location.current,)
        except ValueError:  # there is none: the method says so
            return
    check_parts(bindings, locations, context)


def _discard(bindings: Bindings, block: MLIRObject, context: MLIRObject) -> None:
    """Take `block` out of the IR."""
    location = bindings.ir.Location.unknown(context)
    elsewhere = bindings.create("builtin.module", regions=1, loc=location, ip=False)
    bindings.append_to(block, elsewhere.operation.regions[0])
