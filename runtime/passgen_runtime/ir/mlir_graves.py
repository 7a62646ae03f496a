"""Graves: where operations that passes erase wait until nobody can look at them.

MLIR frees an operation as it is erased, and the bindings do not notice: whoever uses
another handle to it, one of its values, blocks or regions, or something inside it, then
reads memory that is gone. So what a pass erases is moved into an operation of ours that
is part of nothing, and is freed once the pass has ended and nobody holds anything of
the IR that was not held before the run.

An operation in a grave uses no value and no block of the living. That nobody uses its
own is checked when the pass has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final
from weakref import WeakSet

from passgen_runtime.errors import PassError
from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_locations import place_of

ERASED_MARK: Final = "passgen.erased"
"""The attribute that shows on what was erased."""


class InvalidUseError(PassError):
    """A pass did with MLIR's IR what would have ended the process."""


_GRAVES: Final[WeakSet[Grave]] = WeakSet()


class Grave:
    """An operation that holds what was erased."""

    def __init__(self, bindings: Bindings, mlir: MLIRObject) -> None:
        """Open a grave in the context `mlir`."""
        ir = bindings.ir
        location = ir.Location.unknown(mlir)
        with location:
            self.root = bindings.create("builtin.module", regions=1, ip=False).operation
            index = ir.IndexType.get()
            self._block = self.root.regions[0].blocks.append(index)
            self._mark = ir.UnitAttr.get()
        self.root.attributes[ERASED_MARK] = self._mark
        self._operand = self._block.arguments[0]
        self._bindings = bindings
        self._num_buried = 0
        _GRAVES.add(self)

    @property
    def parts(self) -> tuple[MLIRObject, ...]:
        """The objects of the bindings that the grave is made of."""
        return self.root, self._block, self._operand, self._mark

    def bury(self, operation: MLIRObject) -> None:
        """Take `operation` out of the IR; its handle becomes invalid.

        Args:
            operation: nothing uses its results.
        """
        self._release(operation, set())
        self._release_inside(operation)
        self._bindings.set_attribute(operation.attributes, ERASED_MARK, self._mark)
        self._bindings.append(self._block, operation)
        self._num_buried += 1
        _invalidate(operation)

    def bury_body(self, operation: MLIRObject) -> None:
        """Take all blocks out of `operation`.

        Args:
            operation: nobody outside uses what is inside.
        """
        self._release_inside(operation)
        for region in operation.regions:
            blocks = list(region.blocks)
            if blocks:
                ir = self._bindings.ir
                with ir.Location.unknown(operation.context):
                    tomb = self._bindings.create(
                        "builtin.module",
                        regions=1,
                        ip=False,
                        attributes={ERASED_MARK: self._mark},
                    ).operation
                for block in blocks:
                    self._bindings.append_to(block, tomb.regions[0])
                self._bindings.append(self._block, tomb)
                self._num_buried += 1

    def check(self) -> None:
        """Check that the living have nothing to do with what was erased.

        Raises:
            InvalidUseError: they have.
        """
        erased = list(self._block.operations)
        for each in erased:
            if ERASED_MARK not in each.operation.attributes:
                message = (
                    f"the pass has put {described(each.operation)} next to an "
                    "operation that it had erased"
                )
                raise InvalidUseError(message)
        if len(erased) < self._num_buried:
            message = (
                "the pass has put an operation that it had erased back into the IR"
            )
            raise InvalidUseError(message)
        for each in operations_inside(self._bindings, self.root):
            user = self._user_outside(each)
            if user is not None:
                message = (
                    f"the pass has erased {described(each)}, and {described(user)} "
                    "uses a value of it: replace its uses before it is erased"
                )
                raise InvalidUseError(message)
            branch = self._branch_from_outside(each)
            if branch is not None:
                message = (
                    f"the pass has erased {described(each)}, and {described(branch)} "
                    "branches to a block of it: let it branch elsewhere before"
                )
                raise InvalidUseError(message)

    def keep_for_ever(self) -> None:
        """Never free what is in the grave: somebody may use it."""
        _invalidate(self.root)

    def _release_inside(self, whole: MLIRObject) -> None:
        """Let what is inside `whole` use nothing outside of that."""
        if len(whole.regions):
            address = self._bindings.address
            inside = operations_inside(self._bindings, whole)
            known = {address(each) for each in (whole, *inside)}
            for each in inside:
                self._release(each, known)

    def _release(self, operation: MLIRObject, known: set[int]) -> None:
        """Let `operation` use nothing but what operations at `known` addresses have."""
        address = self._bindings.address
        operands, successors = operation.operands, operation.successors
        for index, value in enumerate(operands):
            if not (known and address(definer_of(value)) in known):
                self._bindings.set_operand(operands, index, self._operand)
        for index, block in enumerate(successors):
            around = owner_of_target(block)
            if around is None or address(around) not in known:
                self._bindings.set_successor(successors, index, self._block)

    def _user_outside(self, operation: MLIRObject) -> MLIRObject | None:
        """Return an operation outside that uses what `operation` defines, if any."""
        for value in values_of(operation):
            for use in value.uses:
                user = use.owner.operation
                if is_alive(user):
                    return user
        return None

    def _branch_from_outside(self, operation: MLIRObject) -> MLIRObject | None:
        """Return an operation outside that branches to a block of `operation`."""
        for region in operation.regions:
            for block in region.blocks:
                for predecessor in block.predecessors:
                    *_, branch = predecessor.operations
                    if is_alive(branch.operation):
                        return branch.operation
        return None


def ids_of_graves() -> set[int]:
    """Return the ids of the objects of the bindings that all graves are made of."""
    return {id(part) for grave in list(_GRAVES) for part in grave.parts}


def is_alive(operation: MLIRObject) -> bool:
    """Return whether `operation` is in no grave."""
    return ERASED_MARK not in top_of(operation).attributes


def top_of(operation: MLIRObject) -> MLIRObject:
    """Return the outermost operation around `operation`."""
    while True:
        around = parent_of(operation)
        if around is None:
            return operation
        operation = around


def parent_of(operation: MLIRObject) -> MLIRObject | None:
    """Return the operation directly around `operation`."""
    try:
        parent = operation.parent
    except ValueError:  # it is no part of anything, not even of a `Module`
        return None
    return None if parent is None else parent.operation


def is_inside(operation: MLIRObject, around: MLIRObject) -> bool:
    """Return whether `operation` is inside `around`, but not that itself."""
    parent = parent_of(operation)
    while parent is not None and parent != around:
        parent = parent_of(parent)
    return parent is not None


def definer_of(value: MLIRObject) -> MLIRObject:
    """Return the operation that has `value` as a result, or the block of it."""
    owner = value.owner
    # The owner of an argument is a block, which has no `operation`.
    found: MLIRObject = getattr(owner, "operation", None)
    return owner.owner.operation if found is None else found


def owner_of_target(block: MLIRObject) -> MLIRObject | None:
    """Return the operation around `block`, which something branches to.

    The bindings say that it is the branch that owns such a block.
    """
    for first in block.operations:
        return parent_of(first.operation)
    return None


def values_of(operation: MLIRObject) -> Iterator[MLIRObject]:
    """Yield the results of `operation`, and the arguments of its blocks."""
    yield from operation.results
    for region in operation.regions:
        for block in region.blocks:
            yield from block.arguments


def children_of(operation: MLIRObject) -> Iterator[MLIRObject]:
    """Yield the operations directly inside `operation`, in order."""
    for region in operation.regions:
        for block in region.blocks:
            for child in block.operations:
                yield child.operation


def operations_inside(bindings: Bindings, operation: MLIRObject) -> list[MLIRObject]:
    """Return all operations inside `operation`, but not itself."""
    found: list[MLIRObject] = []
    advance = bindings.ir.WalkResult.ADVANCE
    collect: Callable[[MLIRObject], None] = found.append

    def visit(each: MLIRObject) -> MLIRObject:
        collect(each)
        return advance

    bindings.walk(operation, visit, bindings.ir.WalkOrder.PRE_ORDER)
    return found[1:]


def described(operation: MLIRObject) -> str:
    """Return `'arith.addi' at file:3:1`."""
    return f"'{operation.name}' at {place_of(operation.location)}"


def _invalidate(operation: MLIRObject) -> None:
    operation._set_invalid()  # noqa: SLF001 - its only name
