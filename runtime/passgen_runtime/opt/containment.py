"""Runs in a process that may end: `--contain`, and what a crash reproducer implies.

The parent forks before an IR library is imported, and waits. The contained process does
all the work, and notes how far it is. If it ends before it has done everything, the
parent starts another one, which reports what was running, and goes on with the next
part of the input. Where native passes were running together, one in between repeats the
part pass by pass and says nothing: it is to find the pass.
"""

from __future__ import annotations

import faulthandler
import json
import os
import re
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from traceback import FrameSummary
from typing import Any, Final, TypeAlias

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.instrumentations.crash_recovery import (
    BreadcrumbMemory,
    Breadcrumbs,
    OneByOneBreadcrumbs,
    RunningPass,
)
from passgen_runtime.instrumentations.ir_printing import PIPELINE_FAILED
from passgen_runtime.opt.command_line import UsageError
from passgen_runtime.opt.files import OptError
from passgen_runtime.opt.reports import ProcessEndError, shown_calls
from passgen_runtime.pass_manager import PassManager

_PR_SET_PDEATHSIG: Final = 1
"""Of `prctl`: the signal that the kernel sends a process when its parent has ended."""

_REPETITION_FACTOR: Final = 10
_REPETITION_MIN_S: Final = 60.0
"""How long a repetition may take: as a multiple of the run, and at least."""

_POLL_S: Final = 0.02

_STANDARD_OUTPUT: Final = 1
_STANDARD_ERROR: Final = 2

_CURRENT_THREAD: Final = re.compile(
    r"^Current thread 0x([0-9a-f]+).*\n((?:  File .*\n)*)", re.MULTILINE
)
_FRAME: Final = re.compile(r'^  File "(.*)", line (\d+) in (.*)$', re.MULTILINE)
_CAUGHT: Final = frozenset({"SIGSEGV", "SIGFPE", "SIGABRT", "SIGBUS", "SIGILL"})
"""The signals that `faulthandler` catches."""

Outcome: TypeAlias = tuple[str, bool]
"""What has become of a part of the input, and whether all went well."""


@dataclass(frozen=True, slots=True)
class Crash:
    """How a contained process has ended before it had done everything."""

    ending: str
    """How, e.g. `by SIGSEGV` or `with exit code 3`."""

    part: int | None = None
    """The part of the input that it worked on; `None`: it had not got that far."""

    place: str = ""
    """Where the operation is that the pipeline ran on; empty if it did not run."""

    pipeline: str = ""
    running: tuple[RunningPass, ...] = ()
    """The passes that ran, outermost first; in the thread that crashed if known."""

    frames: tuple[FrameSummary, ...] = ()
    """The Python stack, outermost call first."""

    notes: tuple[str, ...] = ()

    @property
    def runs_native_passes(self) -> bool:
        """Whether an IR library ran several passes, or one on several operations."""
        return any(each.is_native for each in self.running)

    def diagnostic(self, where: str, *, is_local: bool) -> Diagnostic:
        """Return what says in MLIR's words that the pipeline has failed.

        Args:
            where: where the reproducer is; empty if none was asked for.
            is_local: whether it holds one pass alone.
        """
        subjects = [f"`{each.name}` on {each.subject}" for each in self.running]
        subjects = subjects or [f"`{self.pipeline}`"]  # between passes
        text = subjects[-1] if is_local else f"[{', '.join(subjects)}]"
        message = f"Pipeline failed while executing {text}{where and ': '}{where}"
        note = Diagnostic("note", message, self.place)
        return Diagnostic("error", PIPELINE_FAILED, self.place, (note,))

    def __str__(self) -> str:
        """Return what has ended the process, while which pass ran on what."""
        running = [
            f"pass '{each.argument or each.name}' ran on {each.operation}"
            for each in reversed(self.running)
        ]
        first, *others = running or ["no pass ran"]
        lines = [f"the process was ended {self.ending} while {first}"]
        lines += [f"note: meanwhile, {other}" for other in others]
        if self.pipeline:
            lines.append(f"note: in the pipeline {self.pipeline}")
        calls = list(shown_calls(self.frames))
        lines += calls or [f"note: no Python stack: {self._why_no_stack()}"]
        return "\n".join((*lines, *(f"note: {note}" for note in self.notes)))

    def _why_no_stack(self) -> str:
        name = self.ending.removeprefix("by ")
        if name == self.ending:
            return "a process that exits leaves none"
        if name == "SIGKILL":
            return "SIGKILL cannot be caught; the kernel sends it when memory runs out"
        if name not in _CAUGHT:
            return f"Python does not catch {name}"
        if self.frames:
            return "native code ran that no code of a pass in Python called"
        return "a thread of native code crashed, or the stack of a thread overflowed"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far contained processes have come."""

    input: tuple[str, str] | None = None
    """The text of the input, which may be readable only once, and its name."""

    outcomes: tuple[Outcome, ...] = ()
    """What has become of the first parts of the input."""

    crash: Crash | None = None
    """What has happened to the part after these."""

    @property
    def crashed_part(self) -> int | None:
        """The number of that part."""
        return None if self.crash is None else self.crash.part


class ContainedRun:
    """The run in a contained process: what it is to do, and notes on how far it is."""

    def __init__(self, before: Progress, *, is_repetition: bool = False) -> None:
        """Go on after `before`, or repeat what has crashed, to find the pass.

        Raises:
            OSError: there is no room for notes.
        """
        self.before = before
        self.is_repetition = is_repetition
        self._memory = BreadcrumbMemory()
        self._notes = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        self._stack = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115

    # In the contained process.

    def do(self, work: Callable[[ContainedRun], int]) -> int:
        """Return the exit code of `work`; note that the process ends by itself."""
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

        It can where the stack has overflowed only in the thread that asks for it first.
        """
        faulthandler.disable()
        faulthandler.enable(self._stack)

    def note_input(self, text: str, name: str) -> None:
        """Keep the input for the process after this one."""
        self._note("input", text, name)

    def known_outcome(self, number: int) -> Outcome | None:
        """Return what has become of a part of the input before, if that is known."""
        crash = self.before.crash
        if self.is_repetition and crash is not None and number != crash.part:
            return "", True
        if number < len(self.before.outcomes):
            return self.before.outcomes[number]
        return None

    def begin_part(self, number: int) -> Crash | None:
        """Note that work on a part begins; return what it has ended in before."""
        self._note("part", number)
        crash = self.before.crash
        if self.is_repetition or crash is None or crash.part != number:
            return None
        return crash

    def note_outcome(self, outcome: Outcome) -> None:
        """Note what has become of the part."""
        self._note("outcome", *outcome)

    def watch_passes(self, manager: PassManager, place: str) -> None:
        """Note from now on which passes of `manager` run.

        Args:
            manager: is about to run.
            place: where the operation is that it runs on.
        """
        self._note("pipeline", place, str(manager))
        kind = OneByOneBreadcrumbs if self.is_repetition else Breadcrumbs
        manager.add_instrumentation(kind(manager, self._memory))

    def _note(self, kind: str, *values: object) -> None:
        self._notes.write(json.dumps((kind, *values)).encode() + b"\n")

    # In the parent.

    def progress(self, ended: _Ended) -> Progress | None:
        """Return how far the process came; `None`: it has done everything."""
        found = replace(self.before, crash=None)
        crash = Crash(_ending(ended.code))
        for kind, *values in self._read_notes():
            match kind, values:
                case "input", [text, name]:
                    found = replace(found, input=(text, name))
                case "part", [number]:
                    crash = Crash(crash.ending, number)
                case "pipeline", [place, pipeline]:
                    crash = replace(crash, place=place, pipeline=pipeline)
                case "outcome", [text, is_fine]:
                    outcomes = (*found.outcomes, (text, is_fine))
                    found = replace(found, outcomes=outcomes)
                    crash = Crash(crash.ending)
                case "end", []:
                    return None
        thread_id, frames = self._read_stack()
        running = self._memory.running_passes()
        in_thread = [each for each in running if each.thread_id == thread_id]
        crash = replace(crash, running=tuple(in_thread or running), frames=frames)
        return replace(found, crash=crash)

    def _read_notes(self) -> Iterator[list[Any]]:
        self._notes.seek(0)
        for line in self._notes.read().splitlines():
            try:
                yield json.loads(line)
            except ValueError:  # the process ended while it wrote the last one
                return

    def _read_stack(self) -> tuple[int, tuple[FrameSummary, ...]]:
        """Return the thread that crashed, and its calls, outermost first."""
        self._stack.seek(0)
        text = self._stack.read().decode(errors="replace")
        match = _CURRENT_THREAD.search(text)
        if match is None:
            return 0, ()
        frames = [
            FrameSummary(file, int(line), name, lookup_line=False)
            for file, line, name in _FRAME.findall(match[2])
        ]
        return int(match[1], 16), tuple(reversed(frames))


def contain(work: Callable[[ContainedRun], int]) -> int:
    """Return the exit code of `work`, done in processes that may end.

    Args:
        work: does all that is left to do; called in the contained processes, in which
            this function returns as well.

    Raises:
        UsageError: the process cannot be forked.
        OptError: the system has no room for another one.
        ProcessEndError: one has ended where none could go on.
    """
    _check_forkable()
    _open_standard_streams()
    progress = Progress()
    while True:
        run, ended = _run(progress)
        if ended is None:
            return run.do(work)
        found = run.progress(ended)
        if found is None or found.crash is None:
            return ended.code
        if found.crash.part is None or found.crash.part == progress.crashed_part:
            raise ProcessEndError(str(progress.crash or found.crash))
        if found.crash.runs_native_passes:
            limit_s = max(_REPETITION_MIN_S, _REPETITION_FACTOR * ended.seconds)
            again, ended = _run(found, limit_s)
            if ended is None:
                return again.do(work)
            found = replace(found, crash=_named(found.crash, again, ended, limit_s))
        progress = found


def _named(crash: Crash, again: ContainedRun, ended: _Ended, limit_s: float) -> Crash:
    """Return `crash` with the pass that has ended a repetition, one pass at a time."""
    found = again.progress(ended)
    culprit = None if found is None else found.crash
    if ended.seconds > limit_s:
        note = f"a second run, one pass at a time, had not ended after {limit_s:.0f} s"
    elif culprit is None:
        note = "a second run, one pass at a time, did not end the process"
    else:
        note = "found by a second run, one pass at a time"
        crash = replace(crash, running=culprit.running, frames=culprit.frames)
    return replace(crash, notes=(*crash.notes, note))


@dataclass(frozen=True, slots=True)
class _Ended:
    """A process that has ended."""

    code: int
    """Its exit code, negative for a signal."""

    seconds: float
    """How long it has taken."""


def _run(
    before: Progress, repetition_limit_s: float | None = None
) -> tuple[ContainedRun, _Ended | None]:
    """Return a contained run, and in this process how it has ended.

    Raises:
        OptError: the system has no room for another process.
    """
    begin = time.monotonic()
    try:
        run = ContainedRun(before, is_repetition=repetition_limit_s is not None)
        code = _forked(repetition_limit_s)
    except OSError as error:
        message = f"error: cannot contain the run: {error.strerror}"
        raise OptError(message) from error
    return run, None if code is None else _Ended(code, time.monotonic() - begin)


def _check_forkable() -> None:
    """Check that a copy of this process could go on.

    Raises:
        UsageError: it could not.
    """
    if not hasattr(os, "fork"):
        raise UsageError("for the --contain option: this system cannot fork processes")
    if threading.active_count() > 1:
        raise UsageError(
            "for the --contain option: this program has started threads, which no copy "
            "of its process has\n"
            "call the driver before, or give --contain=false"
        )


def _open_standard_streams() -> None:
    """Let no file of ours take the number of a standard stream that is closed."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        pass
    os.close(number)


def _forked(limit_s: float | None) -> int | None:
    """Fork; return `None` in the new process, and in this one how the new one ended.

    Args:
        limit_s: after how long it is killed.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    parent = os.getpid()
    # Nothing is ever written: it is closed when the parent ends, however it ends.
    lifeline, held = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(held)
        _end_with(parent, lifeline)
        return None
    os.close(lifeline)
    try:
        status = _status(pid, limit_s)
    except BaseException:  # such as Ctrl-C: native code need not listen
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        raise
    finally:
        os.close(held)
    return os.waitstatus_to_exitcode(status)


def _status(pid: int, limit_s: float | None) -> int:
    """Wait for the end of a process, or end it after `limit_s`."""
    if limit_s is None:
        return os.waitpid(pid, 0)[1]
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return status
        time.sleep(_POLL_S)
    os.kill(pid, signal.SIGKILL)
    return os.waitpid(pid, 0)[1]


def _end_with(parent: int, lifeline: int) -> None:
    """Let this process be killed once the `parent` has ended.

    Linux does so even while native code holds the interpreter's lock; elsewhere, a
    thread waits for the end of the pipe.
    """
    if sys.platform != "linux":
        threading.Thread(target=_await_end, args=(lifeline,), daemon=True).start()
        return
    libc = import_module("ctypes").CDLL(None)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it has ended before that was asked for
        os.kill(os.getpid(), signal.SIGKILL)


def _await_end(lifeline: int) -> None:
    os.read(lifeline, 1)
    os.kill(os.getpid(), signal.SIGKILL)


def _ending(code: int) -> str:
    if code >= 0:
        return f"with exit code {code}"
    try:
        return f"by {signal.Signals(-code).name}"
    except ValueError:  # such as most of the real-time signals
        return f"by signal {-code}"
