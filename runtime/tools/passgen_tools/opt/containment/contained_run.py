"""A run in a contained process: the notes on its progress, and their reader.

The contained process writes the notes; its parent reads them once it has ended.
"""

from __future__ import annotations

import faulthandler
import json
import mmap
import os
import re
import signal
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from traceback import FrameSummary
from typing import Any, Final, TypeAlias

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.instrumentations.ir_printing import PIPELINE_FAILED
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import Detail
from passgen_runtime.pass_manager import PassManager
from passgen_tools import processes
from passgen_tools.ir_libraries import inspector_of
from passgen_tools.opt.driver_part import DriverInput
from passgen_tools.opt.reports import shown_calls

_STANDARD_OUTPUT: Final = 1
_STANDARD_ERROR: Final = 2

_CURRENT_THREAD: Final = re.compile(
    r"^Current thread 0x([0-9a-f]+).*\n((?:  File .*\n)*)", re.MULTILINE
)
_FRAME: Final = re.compile(r'^  File "(.*)", line (\d+) in (.*)$', re.MULTILINE)
_OFFSET: Final = struct.Struct("q")
_CAUGHT: Final = frozenset({"SIGSEGV", "SIGFPE", "SIGABRT", "SIGBUS", "SIGILL"})
"""The signals that `faulthandler` catches."""

Outcome: TypeAlias = tuple[str, bool]
"""The output of a part of the input, and whether all went well."""


@dataclass(frozen=True, slots=True)
class Crash:
    """The crash of a contained process, or its exit before it had done all work."""

    code: int
    """Its exit code, negative for a signal."""

    part: int | None = None
    """The part of the input that it worked on; `None` before there was one."""

    place: str = ""
    """The place of the operation that the pipeline ran on; empty if it did not run."""

    pipeline: str = ""
    running: tuple[processes.RunningPass, ...] = ()
    """The passes that ran, outermost first; in the thread that crashed if known."""

    frames: tuple[FrameSummary, ...] = ()
    """The Python stack, outermost call first."""

    notes: tuple[str, ...] = ()
    limit_s: float = 0
    """The time limit of the part if the part exceeded it; else 0."""

    offset: int | None = None
    """Where the lexer stood in the part; `None` before and after parsing."""

    @property
    def is_timeout(self) -> bool:
        """Whether the part exceeded its time limit."""
        return self.limit_s > 0

    @property
    def runs_native_passes(self) -> bool:
        """Whether an IR library ran several passes, or one on several operations."""
        return any(pass_.is_native for pass_ in self.running)

    def diagnostic(self, where: str, *, is_local: bool) -> Diagnostic:
        """Return the diagnostic, in MLIR's words, that the pipeline has failed.

        Args:
            where: the note on the reproducer; empty if none was asked for.
            is_local: whether it holds one pass alone.
        """
        subjects = [f"`{pass_.name}` on {pass_.subject}" for pass_ in self.running]
        subjects = subjects or [f"`{self.pipeline}`"]  # between passes
        text = subjects[-1] if is_local else f"[{', '.join(subjects)}]"
        message = f"Pipeline failed while executing {text}{where and ': '}{where}"
        note = Diagnostic("note", message, self.place)
        return Diagnostic("error", PIPELINE_FAILED, self.place, (note,))

    def __str__(self) -> str:
        """Return the end of the process in words, with its passes and its stack."""
        running = [
            f"pass '{pass_.argument or pass_.name}' ran on {pass_.operation}"
            for pass_ in reversed(self.running)
        ]
        if self.is_timeout and self.offset is not None:
            return f"{self._ending()} while the input was parsed: the lexer stood here"
        first, *others = running or ["no pass ran"]
        lines = [f"{self._ending()} while {first}"]
        lines += [f"note: meanwhile, {other}" for other in others]
        if self.pipeline:
            lines.append(f"note: in the pipeline {self.pipeline}")
        calls = list(shown_calls(self.frames))
        lines += calls or [f"note: no Python stack: {self._why_no_stack()}"]
        return "\n".join((*lines, *(f"note: {note}" for note in self.notes)))

    def _ending(self) -> str:
        if self.is_timeout:
            return f"the time limit of {self.limit_s} s has passed"
        name = processes.signal_name(self.code)
        how = f"by {name}" if name else f"with exit code {self.code}"
        if self.code == processes.LOST_FILES:
            how = "because its files were closed or written to"
        return f"the process was ended {how}"

    def _why_no_stack(self) -> str:
        name = processes.signal_name(self.code)
        if not name:
            return "a process that exits leaves none"
        if name == "SIGKILL":
            return "SIGKILL cannot be caught; the kernel sends it when memory runs out"
        if name not in _CAUGHT and not self.is_timeout:
            return f"Python does not catch {name}"
        if self.frames:
            return "native code ran that no code of a pass in Python called"
        return (
            "a thread of native code crashed, the stack of a thread overflowed, or a "
            "pass has called faulthandler"
        )


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of contained processes."""

    input: DriverInput | None = None
    """The input, which may be readable only once."""

    outcomes: tuple[Outcome, ...] = ()
    """The outcomes of the first parts of the input."""

    crash: Crash | None = None
    """The crash in the part after these."""


class ContainedRun:
    """The run in a contained process: its start, and notes on its progress."""

    def __init__(self, before: Progress, *, is_repetition: bool = False) -> None:
        """Continue after `before`, or repeat the part that crashed, to find the pass.

        Raises:
            OSError: there is no room for notes.
        """
        self.before = before
        self.is_repetition = is_repetition
        self._process_id = 0
        self._size_bytes = 0
        """The size of the notes, as far as this process has written them."""

        self._passes = processes.NoteMemory()
        self._offset = mmap.mmap(-1, _OFFSET.size)
        self._notes = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        self._stack = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115

    # In the contained process.

    def do(self, work: Callable[[ContainedRun], int]) -> int:
        """Return the exit code of `work`; note that the process ends by itself."""
        self._process_id = os.getpid()
        self.note_offset(None)
        # `watch_this_thread` takes the signal of a time limit in another thread.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        if self.is_repetition:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, _STANDARD_OUTPUT)
            os.dup2(nowhere, _STANDARD_ERROR)
        try:
            return work(self)
        finally:
            self._note("end")

    def watch_this_thread(self) -> None:
        """Let Python write the stack where a signal ends the process.

        After an overflow, it can do so only in the thread that asks for it first. The
        signal of a time limit goes to this thread, too.
        """
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
        faulthandler.disable()
        faulthandler.enable(self._stack)
        # Python writes its stack, and then the signal ends native code as well.
        faulthandler.register(signal.SIGALRM, self._stack, chain=True)

    def note_input(self, found: DriverInput) -> None:
        """Keep the input for the process after this one."""
        self._note("input", found.text, found.name, found.runs_reproducer)

    def known_outcome(self, number: int) -> Outcome | None:
        """Return the outcome of a part of the input that is already known, if any."""
        crash = self.before.crash
        if self.is_repetition and crash is not None and number != crash.part:
            return "", True
        if number < len(self.before.outcomes):
            return self.before.outcomes[number]
        return None

    def begin_part(self, number: int) -> Crash | None:
        """Note that work on a part begins; return the crash that it led to before."""
        self._note("part", number, time.monotonic())
        crash = self.before.crash
        if self.is_repetition or crash is None or crash.part != number:
            return None
        return crash

    def note_offset(self, offset: int | None) -> None:
        """Note where the lexer stands in the part; `None` when it is parsed."""
        _OFFSET.pack_into(self._offset, 0, -1 if offset is None else offset)

    def note_outcome(self, outcome: Outcome) -> None:
        """Note the outcome of the part."""
        self._note("outcome", *outcome)

    def watch_passes(self, manager: PassManager, place: str) -> None:
        """Note which passes of `manager` run, from now on.

        Args:
            manager: the pass manager, which has not started yet.
            place: the location of the operation that it runs on.
        """
        self._note("pipeline", place, str(manager))
        kind = processes.Breadcrumbs
        if self.is_repetition:
            kind = processes.OneByOneBreadcrumbs
        context = manager.context

        def is_native(pass_: Pass) -> bool:
            if context.finalizer is None or manager.detail is Detail.OPERATIONS:
                return False
            return inspector_of(context).is_native(pass_)

        manager.add_instrumentation(kind(self._leave_note, context, is_native))

    def _leave_note(self, text: str) -> None:
        """Note which passes run; end the process if a pass has used the driver's files.

        The note that stands then is that of the pass.
        """
        try:
            is_intact = self._notes.tell() == self._size_bytes
        except OSError:
            is_intact = False
        if not is_intact:
            os._exit(processes.LOST_FILES)
        self._passes.write(text)

    def _note(self, kind: str, *values: object) -> None:
        if os.getpid() == self._process_id:  # not in one that a pass has forked
            self._notes.write(json.dumps((kind, *values)).encode() + b"\n")
            self._size_bytes = self._notes.tell()

    # In the parent.

    def part_began_s(self) -> float | None:
        """Return when work on the current part began; `None` if there is none."""
        began_s: float | None = None
        for kind, *values in self._read_notes():
            if kind == "part":
                began_s = values[1]
            elif kind == "outcome":
                began_s = None
        return began_s

    def progress(self, code: int, limit_s: float = 0) -> Progress | None:
        """Return the progress of the process; `None` if it has done everything.

        Args:
            code: its exit code, negative for a signal.
            limit_s: the time limit that has passed, if one has; else 0.
        """
        found = replace(self.before, crash=None)
        crash = Crash(code)
        for kind, *values in self._read_notes():
            match kind, values:
                case "input", values:
                    found = replace(found, input=DriverInput(*values))
                case "part", [number, _]:
                    offset = self._read_offset()
                    crash = Crash(code, number, limit_s=limit_s, offset=offset)
                case "pipeline", [place, pipeline]:
                    crash = replace(crash, place=place, pipeline=pipeline)
                case "outcome", [text, is_fine]:
                    found = replace(found, outcomes=(*found.outcomes, (text, is_fine)))
                    crash = Crash(code)
                case "end", []:
                    return None
        thread_id, frames = self._read_stack()
        running = processes.running_passes(self._passes.read())
        in_thread = [pass_ for pass_ in running if pass_.thread_id == thread_id]
        crash = replace(crash, running=tuple(in_thread or running), frames=frames)
        return replace(found, crash=crash)

    def _read_notes(self) -> Iterator[list[Any]]:
        self._notes.seek(0)
        for line in self._notes.read().splitlines():
            try:
                yield json.loads(line)
            except ValueError:  # the process ended while it wrote the last one
                return

    def _read_offset(self) -> int | None:
        (offset,) = _OFFSET.unpack(self._offset[:])
        return None if offset < 0 else offset

    def _read_stack(self) -> tuple[int, tuple[FrameSummary, ...]]:
        """Return the thread that crashed, and its calls, outermost first."""
        self._stack.seek(0)
        match = _CURRENT_THREAD.search(self._stack.read().decode(errors="replace"))
        if match is None:
            return 0, ()
        frames = [
            FrameSummary(file, int(line), name, lookup_line=False)
            for file, line, name in _FRAME.findall(match[2])
        ]
        return int(match[1], 16), tuple(reversed(frames))
