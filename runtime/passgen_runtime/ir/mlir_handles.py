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
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final
from warnings import catch_warnings, simplefilter
from weakref import WeakValueDictionary

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import children_of, operations_inside

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


def _num_references(objects: list[MLIRObject]) -> list[int]:
    """Return how many references there are to each object, as seen from here."""
    return [sys.getrefcount(each) for each in objects]


_UNSHARED: Final = _num_references([object()])[0]
"""To what only a list of ours holds: releases of Python differ in that."""


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
        """The ids of objects of the bindings that no pass has anything to do with."""

        self._num_expected = 0
        self._found: list[MLIRObject] = []
        """What was found to be held, and was expected from then on."""

        ir = bindings.ir
        self._handle_classes = ir.Operation, ir.OpView
        self._parts = tuple(getattr(ir, name) for name in _PARTS if hasattr(ir, name))
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
        self._num_expected = self._num_held()

    @contextmanager
    def making_others(self) -> Iterator[None]:
        """Let what the block makes or frees be none of those that passes hold."""
        num_held = self._num_held()
        yield
        self._num_expected += self._num_held() - num_held

    def hold_more(self) -> bool:
        """Return whether anything is held that was not when the run began."""
        if self._num_held() <= self._num_expected and not self._found:
            return False
        # What was found and is held by nobody else any more is expected no longer:
        # something else may be held in its place.
        with self.making_others():
            counted = zip(self._found, _num_references(self._found), strict=True)
            self._found = [each for each, num in counted if num > _UNSHARED]
            del counted
        return self._num_held() > self._num_expected

    def invalidate_inside(self, operation: MLIRObject) -> bool:
        """Make the handles invalid that were kept to operations inside `operation`.

        Returns:
            Whether something else may be kept that is inside: a value, a block.
        """
        if not self.hold_more():
            return False
        address = self.bindings.address
        inside = set(map(address, operations_inside(self.bindings, operation)))
        return self.invalidate(lambda handle: address(handle) in inside)

    def invalidate(self, is_gone: Callable[[MLIRObject], bool]) -> bool:
        """Make each handle that Python can reach invalid if `is_gone` says so.

        Returns:
            Whether somebody may hold what cannot be made invalid: a value, a block.
        """
        num_new = self._num_held() - self._num_expected
        known = {id(each) for each in self._found}
        found = [each for each in self._find() if id(each) not in known]
        holders: set[int] = set()
        holds_part = False
        for each in found:
            if isinstance(each, self._parts):
                holds_part = True
            elif isinstance(each, self._handle_classes):
                # invalid already, or never made: nanobind warns of these
                with suppress(RuntimeError, TypeError), catch_warnings():
                    simplefilter("ignore", RuntimeWarning)
                    if each.context is self.mlir:
                        # All views of an operation hold one handle.
                        holders.add(id(each.operation))
                        if is_gone(each.operation):
                            _invalidate(each)
            elif each.context is self.mlir:
                holders.add(id(each))
        self._found += found
        each = None
        found.clear()
        self._num_expected = self._num_held()
        return holds_part or num_new > len(holders)

    def _num_held(self) -> int:
        """Return how many objects of the IR somebody holds, beside those lent."""
        return sys.getrefcount(self.mlir) - self.num_lent

    def _find(self) -> Iterator[MLIRObject]:
        """Yield each object that Python can reach and that holds on to a context."""
        holding = (*self._handle_classes, *self._parts, *self._others)
        is_holding: dict[type, bool] = {}
        seen = set(self.ours)
        for held in _reachable():
            cls = type(held)
            if cls not in is_holding:
                is_holding[cls] = issubclass(cls, holding)
            if is_holding[cls] and id(held) not in seen:
                seen.add(id(held))
                yield held


def _invalidate(handle: MLIRObject) -> None:
    handle.operation._set_invalid()  # noqa: SLF001 - its only name


def _num_children(operation: MLIRObject) -> int:
    return sum(
        len(block.operations) for region in operation.regions for block in region.blocks
    )


def _reachable() -> Iterator[object]:
    """Yield what objects and frames hold; what is in untracked containers, too."""
    was_enabled = gc.isenabled()
    gc.disable()  # CPython holds a lock here that freeing a `threading.local` waits for
    frames = sys._current_frames().values()  # noqa: SLF001 - its only name
    if was_enabled:
        gc.enable()
    for frame in frames:
        each = frame
        while each is not None:
            yield from tuple(each.f_locals.values())
            each = each.f_back  # type: ignore[assignment] # None ends it
    tracked = gc.get_objects()
    pending: list[object] = gc.get_referents(*tracked)
    yield from tracked
    del tracked
    while pending:
        yield from pending
        # The garbage collector does not look into containers of handles alone.
        untracked = [
            each
            for each in pending
            if type(each) in (dict, tuple) and not gc.is_tracked(each)
        ]
        pending = gc.get_referents(*untracked)
