"""Breadcrumbs: which passes run, noted in memory that outlives the process.

MLIR's crash recovery continues in the process that a pass has crashed. A Python pass
can end its process in ways that no code inside survives, so the parent process of
`passgen-opt --contain` reads the notes and reports which passes were running.
"""

from __future__ import annotations

import mmap
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final

from passgen_runtime.context import Context, Operation
from passgen_runtime.extensions.adaptors import inspector_of
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import (
    Detail,
    PassInstrumentation,
    PipelineParentInfo,
)

if TYPE_CHECKING:
    from passgen_runtime.pass_manager import PassManager

_SLOT_SIZE_BYTES: Final = 4096
_NUM_SLOTS: Final = 256
"""How many passes are noted at once: in threads, and inside one another."""

_SEPARATOR: Final = "\x1f"
_END: Final = b"\0"


@dataclass(frozen=True, slots=True)
class RunningPass:
    """A pass that was running when its process ended."""

    order: int
    """Higher than that of the passes that had begun before."""

    thread_id: int
    is_native: bool
    """Whether an IR library ran it, with other passes or on several operations."""

    subject: str
    """The operation as MLIR's messages call it."""

    operation: str
    """The operation with its symbol path and its place."""

    argument: str
    """The pass in a textual pipeline; the text of several that run as one."""

    name: str


class BreadcrumbMemory:
    """Notes in memory that is shared with the processes forked later."""

    def __init__(self) -> None:
        """Make it empty."""
        self._bytes = mmap.mmap(-1, _NUM_SLOTS * _SLOT_SIZE_BYTES)

    def write(self, slot: int, text: str) -> None:
        """Keep `text` in a slot, or as much of it as there is room for."""
        data = text.encode(errors="replace")[: _SLOT_SIZE_BYTES - 1] + _END
        begin = slot * _SLOT_SIZE_BYTES
        # A slot counts once its first byte is there: the process may end in between.
        self._bytes[begin + 1 : begin + len(data)] = data[1:]
        self._bytes[begin] = data[0]

    def erase(self, slot: int) -> None:
        """Erase a slot."""
        self._bytes[slot * _SLOT_SIZE_BYTES] = 0

    def running_passes(self) -> list[RunningPass]:
        """Return the passes that are noted, in the order in which they began."""
        return sorted(self._noted(), key=lambda each: each.order)

    def _noted(self) -> Iterator[RunningPass]:
        for slot in range(_NUM_SLOTS):
            begin = slot * _SLOT_SIZE_BYTES
            data, _, _ = self._bytes[begin : begin + _SLOT_SIZE_BYTES].partition(_END)
            if not data:
                continue
            # Fields may be missing: names may hold anything, and long ones are cut.
            numbers, *texts = data.decode(errors="replace").split(_SEPARATOR)
            order, thread_id, is_native = map(int, numbers.split())
            subject, operation, argument, name, *_ = (*texts, "", "", "", "")
            yield RunningPass(
                order, thread_id, bool(is_native), subject, operation, argument, name
            )


class Breadcrumbs(PassInstrumentation):
    """Notes each pass while it runs, with its operation and its thread.

    A process that a pass forks leaves the notes as they are.
    """

    detail = Detail.RUNS

    def __init__(self, manager: PassManager, memory: BreadcrumbMemory) -> None:
        """Note passes of `manager` in `memory`."""
        self._manager = manager
        self._memory = memory
        self._process_id = os.getpid()
        self._free = list(range(_NUM_SLOTS))
        self._order = count()
        self._thread = _Thread()

    def run_before_pipeline(self, anchor: str, parent: PipelineParentInfo) -> None:
        """Forget the operation: its identity may be that of another one by now."""
        del anchor, parent
        self._thread.operation_id = None

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Note the pass that begins."""
        thread = self._thread
        if thread.operation_id != id(operation):
            thread.describe(self._manager.context, operation)
        self._note(pass_)

    def run_before_initialize(self, pass_: Pass) -> None:
        """Note a pass before there is an operation that it runs on."""
        self._thread.operation_id = None
        self._thread.operation = _SEPARATOR.join(("its initialization",) * 2)
        self._note(pass_)

    def _note(self, pass_: Pass) -> None:
        thread = self._thread
        is_noted = self._free and os.getpid() == self._process_id
        slot = self._free.pop() if is_noted else None
        thread.slots.append(slot)
        if slot is None:
            return
        is_native = (
            self._manager.detail is not Detail.OPERATIONS
            and self._manager.context.finalizer is not None
            and inspector_of(self._manager.context).is_native(pass_)
        )
        self._memory.write(
            slot,
            f"{next(self._order)} {thread.number} {is_native:d}{_SEPARATOR}"
            f"{thread.operation}{_SEPARATOR}{pass_.argument}{_SEPARATOR}{pass_.name}",
        )

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        """Erase the note."""
        del operation
        self.run_after_initialize(pass_)

    def run_after_initialize(self, pass_: Pass) -> None:
        """Erase the note."""
        del pass_
        slot = self._thread.slots.pop()
        if slot is not None and os.getpid() == self._process_id:
            self._memory.erase(slot)
            self._free.append(slot)

    def run_after_pass_failed(self, pass_: Pass, operation: Operation) -> None:
        """Erase the note."""
        self.run_after_pass(pass_, operation)


class OneByOneBreadcrumbs(Breadcrumbs):
    """Notes native passes one by one: an IR library gets them one at a time."""

    detail = Detail.OPERATIONS


class _Thread(threading.local):
    """The passes that run in one thread, and the operation that they run on."""

    def __init__(self) -> None:
        self.number = threading.get_ident()
        self.slots: list[int | None] = []
        """The slots of the passes that run inside one another, outermost first."""

        self.operation_id: int | None = None
        self.operation = ""
        """The fields of the operation with that identity."""

    def describe(self, context: Context, operation: Operation) -> None:
        """Note the operation, once for all passes that a pipeline runs on it."""
        symbol = context.symbol_name(operation)
        around = context.parent(operation)
        path = ""
        while around is not None:
            if (outer := context.symbol_name(around)) is not None:
                path = f"@{outer}/{path}"
            around = context.parent(around)
        text = f"'{context.name(operation)}' operation"
        place = context.location(operation)
        if symbol is not None:
            subject = f"{text}: @{symbol}"
            described = f"{text}: {path}@{symbol} at {place}"
        else:
            subject = text
            described = f"{text}{path and f' in {path[:-1]}'} at {place}"
        self.operation = f"{subject}{_SEPARATOR}{described}"
        self.operation_id = id(operation)
