"""Handles to operations that may be gone.

The bindings do not notice when an operation is erased through another handle, or by
MLIR: whoever uses a handle to it then reads memory that is gone. So

- before a native pass runs, each handle that passes have kept to something inside of
  its operation is made invalid, and says so on use: what is needed again is looked up;
- before the infrastructure goes on with an operation, it looks whether it is there.

Looking for handles takes long, and is done only if there are some: each holds on to
MLIR's context, whose references can be counted. What was held before the run began
stays as it is, as in the bindings' own `PassManager.run`.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from inspect import unwrap
from typing import Final
from warnings import catch_warnings, simplefilter
from weakref import WeakValueDictionary

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import (
    children_of,
    ids_of_graves,
    operations_inside,
)
from passgen_runtime.ir.mlir_reachability import (
    LOOKING,
    Held,
    Subclasses,
    reachable,
    watched,
)

_PARTS: Final = (
    "AsmState",
    "Block",
    "BlockArgumentList",
    "BlockIterator",
    "BlockList",
    "BlockPredecessors",
    "BlockSuccessors",
    "InsertionPoint",
    "OpAttributeMap",
    "OpOperand",
    "OpOperandIterator",
    "OpOperandList",
    "OpResultList",
    "OpSuccessors",
    "OperationIterator",
    "OperationList",
    "Region",
    "RegionIterator",
    "RegionSequence",
    "SymbolTable",
    "Value",
)
"""The classes of what is read from an operation and cannot be made invalid."""


class LentOperations(list[MLIRObject]):
    """The operations in another one, looked at for as long as the list lives."""

    def __init__(self, handles: KeptHandles, parent: MLIRObject) -> None:
        """Lend the operations directly inside `parent`."""
        super().__init__(children_of(parent))
        self._handles = handles
        self._parent = parent
        self._num_children = len(self)
        self._num_lent = len(self)
        handles.num_lent += self._num_lent

    def __del__(self) -> None:
        """Take them back."""
        self._handles.num_lent -= self._num_lent

    def invalidate_erased(self) -> None:
        """Make the handles invalid whose operations are no longer where they were.

        Counting tells whether there are any, but for one that another one replaced.
        """
        address = self._handles.bindings.address
        present: set[int] = set()
        # Where what is around them is invalid, nothing is there.
        with suppress(RuntimeError):
            num_children = _num_children(self._parent)
            if num_children == self._num_children:
                return
            self._num_children = num_children
            present.update(address(each) for each in children_of(self._parent))
        for handle in self:
            try:
                is_present = address(handle) in present
            except RuntimeError:
                continue  # it is invalid already
            if not is_present:
                _invalidate(handle)


class KeptHandles:
    """The handles to what is in one context of MLIR."""

    def __init__(self, bindings: Bindings, mlir: MLIRObject) -> None:
        """Watch the handles of the context `mlir`."""
        self.bindings = bindings
        self.mlir = mlir
        self.num_lent = 0
        self.ours: set[int] = set()
        """The ids of handles that we hold, to what runs are for."""

        self._num_expected = 0
        self._num_before_collection = 0
        self._found: list[Held] = []
        """What was found to be held, and was expected from then on."""

        self._found_before: set[int] = set()
        """The ids of those in `_found` that were there before the run."""

        ir = bindings.ir
        self._handle_classes = ir.Operation, ir.OpView
        # As MLIR makes them: some are replaced by classes of ours.
        self._parts = tuple(
            unwrap(getattr(ir, name)) for name in _PARTS if hasattr(ir, name)
        )
        self._others = ir.Attribute, ir.Type, ir.Location
        self._lists: WeakValueDictionary[int, LentOperations] = WeakValueDictionary()
        """By the id of each handle in them."""

    def lend_children(self, operation: MLIRObject) -> LentOperations:
        """Return the operations directly inside `operation`."""
        lent = LentOperations(self, operation)
        for handle in lent:
            self._lists[id(handle)] = lent
        return lent

    def check(self, operation: MLIRObject) -> bool:
        """Make the handle `operation` invalid if what it was lent for is gone.

        Returns:
            Whether it was lent.
        """
        lent = self._lists.get(id(operation)) if self.num_lent else None
        if lent is not None:
            lent.invalidate_erased()
        return lent is not None

    def begin_run(self) -> None:
        """Take what is held now for granted."""
        self._found_before = set(map(id, self._found))
        self._num_expected = self._num_held()
        gc.callbacks.append(self._note_collection)

    def end_run(self) -> None:
        """Look at the garbage collector no longer."""
        gc.callbacks.remove(self._note_collection)

    def _note_collection(self, phase: str, _info: Mapping[str, int]) -> None:
        """Expect no longer what the garbage collector frees: it would hide others."""
        if phase == "start":
            self._num_before_collection = self._num_held()
        else:
            self._num_expected -= self._num_before_collection - self._num_held()

    @contextmanager
    def making_others(self) -> Iterator[None]:
        """Let what the block makes or frees be none of those that passes hold."""
        num_held = self._num_held()
        yield
        self._num_expected += self._num_held() - num_held

    def hold_more(self) -> bool:
        """Return whether anything is held that was not when the run began.

        What was found since then is expected as long as it is held.
        """
        if self._num_held() <= self._num_expected and not self._found:
            return False
        # What nobody else holds any more is expected no longer: something else may be
        # held in its place.
        with self.making_others():
            self._found = [each for each in self._found if each.value is not None]
        return self._num_held() > self._num_expected

    def may_hold(self) -> bool:
        """Return whether somebody may hold something in the IR, as far as is known."""
        return self.hold_more() or bool(self.kept())

    def kept(self) -> list[Held]:
        """Return what was found, is still held, and is of use only while the IR is."""
        of_ir = (*self._handle_classes, *self._parts)
        return [
            each
            for each in self._found
            if isinstance(each.value, of_ir) and self._is_valid(each.value)
        ]

    def kept_in_run(self) -> list[Held]:
        """Return those of `kept` that were not known when the run began."""
        return [each for each in self.kept() if id(each) not in self._found_before]

    def invalidate_inside(self, operation: MLIRObject) -> bool:
        """Make the handles invalid that were kept to operations inside `operation`.

        Returns:
            Whether something else may be kept that is inside: a value, a block.
        """
        address = self.bindings.address
        return self.invalidate(
            lambda: set(map(address, operations_inside(self.bindings, operation)))
        )

    def invalidate(self, going: Callable[[], set[int]]) -> bool:
        """Make each handle to an operation at one of the addresses `going` invalid.

        Those that Python can reach are looked for if there are more than expected.

        Returns:
            Whether somebody may hold what cannot be made invalid: a value, a block.
        """
        holds_unseen = self.hold_more() and self.look()
        kept = [each.value for each in self.kept()]
        handles = [each for each in kept if isinstance(each, self._handle_classes)]
        if handles:
            address = self.bindings.address
            addresses = going()
            for each in handles:
                with suppress(RuntimeError):  # another view of it made it invalid
                    if address(each.operation) in addresses:
                        _invalidate(each)
        return holds_unseen or len(handles) < len(kept)

    def note(self, held: MLIRObject) -> None:
        """Expect `held` as if it had been found."""
        watch = watched(held)
        if watch not in reversed(self._found):  # it was the last one, in a loop
            self._found.append(watch)

    def look(self) -> bool:
        """Look for what is held, and expect it from now on.

        Returns:
            Whether more is held than was found.
        """
        num_expected = self._num_expected
        known = {id(each.value) for each in self._found}
        with LOOKING:
            found = [
                watched(each)
                for each in self._find()
                if id(each) not in known and self._is_ours(each)
            ]
        if any(isinstance(each.value, self._parts) for each in found):
            gc.collect()  # who holds them may be garbage
        holders: set[int] = set()
        for new in found:
            each = new.value
            if isinstance(each, self._handle_classes):
                each = each.operation  # all views of an operation hold one handle
            if each is not None and not isinstance(each, self._parts):
                holders.add(id(each))
        each = None
        self._found = [
            each for each in (*self._found, *found) if each.value is not None
        ]
        self._num_expected = self._num_held()
        return self._num_expected - num_expected > len(holders)

    def _is_ours(self, held: MLIRObject) -> bool:
        """Return whether `held` is valid, and of this context or does not tell."""
        # Some handles are invalid or were never made: nanobind warns of these.
        with suppress(RuntimeError, TypeError), catch_warnings():
            simplefilter("ignore", RuntimeWarning)
            is_ours: bool = getattr(held, "context", self.mlir) is self.mlir
            return is_ours
        return False

    def _is_valid(self, held: MLIRObject) -> bool:
        """Return whether nobody made `held` invalid, where that is possible."""
        if isinstance(held, self._handle_classes):
            try:
                self.bindings.address(held.operation)
            except RuntimeError:
                return False
        return True

    def _num_held(self) -> int:
        """Return how many objects of the IR somebody holds, beside those lent."""
        return sys.getrefcount(self.mlir) - self.num_lent

    def _find(self) -> Iterator[MLIRObject]:
        """Yield each object that Python can reach and that holds on to a context."""
        holding = Subclasses(*self._handle_classes, *self._parts, *self._others)
        seen = self.ours | ids_of_graves()
        for held in reachable(holding):
            if id(held) not in seen:
                seen.add(id(held))
                yield held


def _invalidate(handle: MLIRObject) -> None:
    handle.operation._set_invalid()  # noqa: SLF001 - its only name


def _num_children(operation: MLIRObject) -> int:
    return sum(
        len(block.operations) for region in operation.regions for block in region.blocks
    )
