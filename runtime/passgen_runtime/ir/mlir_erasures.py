"""What passes erase while pipelines run in a context of MLIR: see `mlir_graves`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_detached import Detached, use_outside
from passgen_runtime.ir.mlir_graves import (
    ERASED_MARK,
    Grave,
    InvalidUseError,
    described,
    is_inside,
    operations_inside,
    parent_of,
    top_of,
)
from passgen_runtime.ir.mlir_handles import KeptHandles
from passgen_runtime.ir.mlir_remains import (
    Remains,
    RunRemains,
    free_what_was_left,
)

PendingWalk: TypeAlias = list[tuple[MLIRObject, bool]]
"""The operations that a walk comes to next, from the end; whether it was in them."""


class Erasures:
    """The erasures of all pipelines that run in one context of MLIR."""

    def __init__(
        self, handles: KeptHandles, is_isolated: Callable[[MLIRObject], bool]
    ) -> None:
        """Watch over the context of `handles`.

        Args:
            handles: to its operations.
            is_isolated: whether an operation is isolated from above.
        """
        self._handles = handles
        self.bindings: Bindings = handles.bindings
        self._mlir = handles.mlir
        self.is_isolated = is_isolated
        self._tops: list[MLIRObject] = []
        self._graves: dict[int, Grave] = {}
        """By thread: that of the pass that runs there."""

        self._old: list[Grave] = []
        """Those of passes of this run that have ended."""

        self._remains = Remains()

        self.detached = Detached(self.bindings)

        self._thread = 0
        self._callers: list[int] = []
        """The threads of passes that have pipelines run, as often as they do."""

        self._rewritten: dict[int, set[int]] = {}
        """By thread: the addresses of operations that patterns may have erased."""

        self._walks: dict[int, list[PendingWalk]] = {}
        """By thread: the walks of the pass that runs there."""

    def begin_run(self) -> None:
        """Watch from now on, in this thread and those that it starts."""
        self._free_remains()
        self._handles.begin_run()
        self._thread = threading.get_ident()
        self.bindings.running.append(self)

    def end_run(self) -> None:
        """Watch no longer.

        Raises:
            InvalidUseError: what a pass has erased is in use.
        """
        try:
            for thread in self._graves.keys() | self.detached.threads:
                self.settle(thread)
        finally:
            self.bindings.running.remove(self)
            self._leave_remains()
            self._handles.end_run()

    @property
    def holds_any(self) -> bool:
        """Whether something that was erased is not freed yet."""
        return bool(self._old or self._graves or any(self._remains.graves))

    def watches(self, context: MLIRObject) -> bool:
        """Return whether `context` is the one that is watched."""
        return context is self._mlir

    def enter(self, operation: MLIRObject) -> None:
        """Note that pipelines run on `operation`, if that is part of nothing."""
        if any(each is operation for each in self._tops):
            return
        # Looking for a parent where there is none raises an error in native code.
        if not operation.attached or parent_of(operation) is None:
            self._tops.append(operation)
            self._handles.ours.add(id(operation))

    def is_erased(self, operation: MLIRObject) -> bool:
        """Return whether `operation` was erased, or something around it."""
        if not self.holds_any:
            return False
        return ERASED_MARK in top_of(operation).attributes

    def buried(self, address: int) -> MLIRObject | None:
        """Return what the pass of this thread has erased and is at `address`."""
        grave = self._graves.get(threading.get_ident())
        if grave is None:
            return None
        erased = operations_inside(self.bindings, grave.root)
        return next((e for e in erased if self.bindings.address(e) == address), None)

    def is_there(self, operation: MLIRObject) -> bool:
        """Return whether the handle `operation` is valid, and that was not erased."""
        try:
            self.bindings.address(operation)
        except RuntimeError:
            return False
        return not self.is_erased(operation)

    @contextmanager
    def walking(self) -> Iterator[PendingWalk]:
        """Yield a list for what a walk comes to; what is freed is taken out of it."""
        pending: PendingWalk = []
        walks = self._walks.setdefault(threading.get_ident(), [])
        walks.append(pending)
        try:
            yield pending
        finally:
            walks.pop()

    @contextmanager
    def called_by_pass(self) -> Iterator[None]:
        """Note that a pass of this thread waits for what the block runs.

        Its loops hold iterators that nobody sees: so what they may stand on stays.
        """
        thread = threading.get_ident()
        self._callers.append(thread)
        try:
            yield
        finally:
            self._callers.remove(thread)

    @property
    def _is_called_by_pass(self) -> bool:
        return threading.get_ident() in self._callers

    def check_alive(self, operation: MLIRObject) -> None:
        """Check that `operation` was not erased.

        Raises:
            InvalidUseError: it was.
        """
        if self.is_erased(operation):
            message = f"{described(operation)} was erased by this pass or one before it"
            raise InvalidUseError(message)

    def check_value(self, value: MLIRObject) -> None:
        """Check that what defines `value` was not erased.

        Raises:
            InvalidUseError: it was.
        """
        if self.holds_any:
            owner = value.owner
            if isinstance(owner, self.bindings.ir.Block):
                owner = owner.owner
            self.check_alive(owner.operation)

    def check_below_top(self, operation: MLIRObject, done: str) -> None:
        """Check that `operation` is not the one that the pass manager runs on.

        Raises:
            InvalidUseError: it is.
        """
        if any(operation == top for top in self._tops):
            message = (
                f"{described(operation)} cannot be {done}: the pass manager runs on it"
            )
            raise InvalidUseError(message)

    def check_movable(self, operation: MLIRObject, done: str) -> None:
        """Check that `operation` is not kept by what it would be taken from.

        Raises:
            InvalidUseError: the pass manager runs on it, or it is a `Module`'s.
        """
        self.check_below_top(operation, done)
        if (
            operation.attached
            and parent_of(operation) is None
            and self.detached.owner_of(operation) is operation
        ):
            message = f"{described(operation)} cannot be {done}: a `Module` owns it"
            raise InvalidUseError(f"{message}; take a clone of it")

    def check_unused(self, operation: MLIRObject) -> None:
        """Check that nothing uses the results of `operation`.

        Raises:
            InvalidUseError: something does.
        """
        if _first_use(operation) is not None:
            self._bury_unheld()
        use = _first_use(operation)
        if use is not None:
            raise InvalidUseError(f"{described(operation)} cannot be erased: {use}")

    def check_known(self, name: str) -> None:
        """Check that an operation called `name` can be made.

        Raises:
            InvalidUseError: it is not registered: MLIR would end the process.
        """
        mlir = self._mlir
        if not (mlir.allow_unregistered_dialects or mlir.is_registered_operation(name)):
            message = (
                f"'{name}' is not a registered operation, and the context does not "
                "accept others"
            )
            raise InvalidUseError(message)

    def erase(self, operation: MLIRObject) -> None:
        """Erase `operation`: it is freed when nobody can look at it any more.

        Raises:
            InvalidUseError: it must not be erased.
        """
        self.check_alive(operation)
        self.check_movable(operation, "erased")
        self.check_unused(operation)
        owner = self.detached.owner_of(operation)
        self._grave().bury(owner)
        if owner is not operation:
            operation._set_invalid()  # noqa: SLF001 - its only name

    def prepare_native_run(self, operation: MLIRObject) -> None:
        """Prepare for MLIR erasing anything inside `operation`.

        Handles to what is there become invalid. Where a value or a block may be held,
        which cannot, or a pass waits that may be in a loop over it, MLIR gets a copy to
        work on, and what is held is taken out.

        Raises:
            InvalidUseError: `operation` was erased.
        """
        self.check_alive(operation)
        is_held = self._handles.invalidate_inside(operation)
        if not (is_held or self._is_called_by_pass):
            return
        grave, copy = self._grave(), operation.clone(ip=False).operation
        grave.bury_body(operation)
        for index, region in enumerate(copy.regions):
            target = operation.regions[index]
            for block in list(region.blocks):
                self.bindings.append_to(block, target)

    def note_freed(self, operation: MLIRObject) -> None:
        """Let no walk come to `operation`, which MLIR is about to free, nor into it."""
        for pending in self._walks.get(threading.get_ident(), []):
            pending[:] = [
                each
                for each in pending
                if self.is_there(each[0])
                and each[0] != operation
                and not is_inside(each[0], operation)
            ]

    @contextmanager
    def rewriting(self, operation: MLIRObject) -> Iterator[None]:
        """Let MLIR erase what it likes inside `operation` in the block.

        Handles that are kept in the block, to what is gone then, become invalid.
        """
        thread, seen = threading.get_ident(), self._addresses_inside(operation)
        self._rewritten[thread] = seen
        try:
            yield
        finally:
            del self._rewritten[thread]
            self._handles.invalidate(
                lambda: seen - self._addresses_inside(top_of(operation))
            )

    def _addresses_inside(self, operation: MLIRObject) -> set[int]:
        address = self.bindings.address
        return set(map(address, operations_inside(self.bindings, operation)))

    def note_table(self, table: MLIRObject) -> None:
        """Note that a pass uses the symbol table `table`.

        That counts as a holder of what it is of, which everybody may hold.
        """
        self._handles.note(table)

    def note_created(self, operation: MLIRObject) -> None:
        """Note that `operation` is new: outside the IR, its handle alone keeps it.

        Raises:
            InvalidUseError: it was put next to what was erased.
        """
        rewritten = self._rewritten.get(threading.get_ident())
        if rewritten is not None:
            rewritten.add(self.bindings.address(operation))
        if parent_of(operation) is None:
            self.detached.note(operation)
        elif self.is_erased(operation):
            message = (
                f"{described(operation)} was put next to an operation that was erased "
                "by this pass or one before it"
            )
            raise InvalidUseError(message)

    def settle(self, thread: int | None = None) -> None:
        """Check what the pass that has ended in `thread`, or this one, leaves behind.

        Raises:
            InvalidUseError: what it has erased is in use.
        """
        thread = thread or threading.get_ident()
        problem = self._bury_detached(thread)
        grave = self._graves.pop(thread, None)
        if grave is not None:
            try:
                grave.check()
                self._old.append(grave)
            except InvalidUseError as error:
                grave.keep_for_ever()
                problem = problem or error
            del grave
        if problem is not None:
            raise problem
        if self._is_called_by_pass:
            return
        is_alone = thread == self._thread == threading.get_ident()
        if self._old and is_alone and not self._handles.may_hold():
            with self._freeing():
                self._old.clear()

    def __del__(self) -> None:
        """Leave what somebody may hold where it is."""
        self._remains.is_context_gone = True

    def _leave_remains(self) -> None:
        """Keep what the run was for, and has erased, if anybody may hold any of it."""
        is_held = bool(self._old) and self._handles.invalidate(self._erased)
        with self._freeing():
            run = RunRemains(self._handles, self._tops, self._old, is_held=is_held)
            self._tops, self._old = [], []
            self._remains.add(run)
            del run

    def _free_remains(self) -> None:
        """Free what earlier runs have left, where nobody holds anything of it."""
        free_what_was_left()
        if self._remains:
            unneeded = self._remains.unneeded()
            with self._freeing():
                self._remains.free(unneeded)

    @contextmanager
    def _freeing(self) -> Iterator[None]:
        """Let what the block frees be none of what passes hold."""
        with self._handles.making_others():
            yield
        self._handles.ours = set(map(id, (*self._tops, *self._remains.tops)))

    def _erased(self) -> set[int]:
        """Return the addresses of what was erased and is not freed yet."""
        graves = (*self._old, *self._graves.values())
        inside = [self._addresses_inside(grave.root) for grave in graves]
        return set[int]().union(*inside)

    def _grave(self, thread: int | None = None) -> Grave:
        thread = thread or threading.get_ident()
        if thread not in self._graves:
            with self._handles.making_others():
                self._graves[thread] = Grave(self.bindings, self._mlir)
        return self._graves[thread]

    def _bury_unheld(self) -> None:
        """Bury what the pass of this thread had outside the IR, and has let go."""
        thread = threading.get_ident()
        for operation, is_held in list(self.detached.take_operations(thread)):
            if is_held or use_outside(self.bindings, operation):
                self.detached.note(operation)
            else:
                self._grave().bury(operation)
        for module, is_held in list(self.detached.take_modules(thread)):
            if is_held or use_outside(self.bindings, module.operation):
                self.detached.note_module(module)
            else:
                self._grave().bury_body(module.operation)

    def _bury_detached(self, thread: int) -> InvalidUseError | None:
        """Bury what the pass of `thread` has left outside the IR and nobody owns.

        Returns:
            What is wrong where one is in use.
        """
        problem: InvalidUseError | None = None
        for operation, is_held in self.detached.take_operations(thread):
            use = use_outside(self.bindings, operation)
            problem = problem or _misplaced(operation, use)
            if use or not is_held:
                self._grave(thread).bury(operation)
        for module, is_held in self.detached.take_modules(thread):
            operation = module.operation
            use = use_outside(self.bindings, operation)
            problem = problem or _misplaced(operation, use)
            if use or not is_held:
                self._grave(thread).bury_body(operation)
        return problem


def _misplaced(operation: MLIRObject, use: str | None) -> InvalidUseError | None:
    """Return what is wrong with `use` of something of `operation`, outside the IR."""
    if use is None:
        return None
    message = f"{described(operation)} is outside the IR, and {use}: give it an "
    return InvalidUseError(f"{message}insertion point")


def _first_use(operation: MLIRObject) -> str | None:
    """Return who uses a result of `operation`, and which, if anybody does."""
    for number, result in enumerate(operation.results):
        for use in result.uses:
            return f"{described(use.owner.operation)} uses its result {number}"
    return None
