"""Lost workers: the causes that the errors of executors report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from passgen_runtime.errors import PassError
from passgen_tools.processes.child import LOST_FILES, signal_name

LossKind: TypeAlias = Literal["signal", "exit", "memory", "timeout", "files", "worker"]
"""The cause of a loss; `worker` if the executor reports none."""

_LOST_WORKER_ERRORS: Final = frozenset({"KilledWorker"})
"""Names of the errors by which clusters say that one task has lost its worker."""

_FIRST_LINE_MAX: Final = 300
_LOKY_EXIT_CODE: Final = re.compile(r"exit codes of the workers are \{(\w+)\(-\d+\)\}")


class ExecutorError(PassError):
    """An executor is unavailable or broken, or returned an error."""

    worker_traceback: str = ""
    """The traceback of an error that a worker raised."""


@dataclass(frozen=True, slots=True)
class Loss:
    """The end of a worker that had work, or its lack of memory."""

    kind: LossKind
    worker: str = ""
    """Its host and process, `host:pid`; empty if the executor does not tell."""

    signal: str = ""
    """The name of the signal that ended it, if that is known."""

    notes: tuple[str, ...] = ()
    last_note: str = field(default="", compare=False)
    """The last note of the worker on its task; empty if it is unknown."""

    def __str__(self) -> str:
        """Return the loss in a sentence without its end."""
        worker = f"worker {self.worker}" if self.worker else "its worker"
        match self.kind:
            case "timeout":
                return f"{worker} was ended: the time limit has passed"
            case "memory":
                return f"{worker} ran out of memory"
            case "signal":
                return f"{worker} was ended by {self.signal}"
            case "files":
                return f"{worker} was ended: a pass has used or closed its pipe"
            case "exit":
                return f"{worker} has exited"
            case "worker":
                return f"{worker} was lost"


class WorkerLostError(Exception):
    """The worker of one task ended; the other tasks and the executor go on."""

    def __init__(self, loss: Loss) -> None:
        """Keep the loss."""
        self.loss = loss
        super().__init__(str(loss))


@dataclass(frozen=True, slots=True)
class TaskLoss:
    """The loss that an error of an executor reports, and the suspects."""

    loss: Loss
    is_exact: bool
    """Whether it was the task's own worker that ended, and not another one."""

    breaks_executor: bool
    """Whether the executor takes no more tasks."""


def task_loss(error: BaseException) -> TaskLoss | None:
    """Return the loss that the error of a task reports; `None` if it reports none."""
    if isinstance(error, WorkerLostError):
        return TaskLoss(error.loss, is_exact=True, breaks_executor=False)
    if isinstance(error, (BrokenExecutor, CancelledError)):
        return TaskLoss(_foreign_loss(error), is_exact=False, breaks_executor=True)
    if {cls.__name__ for cls in type(error).__mro__} & _LOST_WORKER_ERRORS:
        return TaskLoss(_foreign_loss(error), is_exact=False, breaks_executor=False)
    return None


def _foreign_loss(error: BaseException) -> Loss:
    text = str(error)
    first = text.strip().partition("\n")[0][:_FIRST_LINE_MAX]
    notes = (f"the executor says: {type(error).__name__}: {first}",)
    if (match := _LOKY_EXIT_CODE.search(text)) is None:
        return Loss("worker", notes=notes)
    if match[1] == "SIGALRM":
        return Loss("timeout", notes=notes)
    return Loss("signal", signal=match[1], notes=notes)


def loss_of_exit(worker: str, code: int, *, memory_ran_out: bool) -> Loss:
    """Return the loss of a process.

    Args:
        worker: its name.
        code: its exit code, negative for a signal.
        memory_ran_out: whether the kernel has ended some process for lack of memory
            while it worked.
    """
    if code == LOST_FILES:
        return Loss("files", worker)
    if code >= 0:
        return Loss("exit", worker, notes=(f"its exit code was {code}",))
    name = signal_name(code)
    if name == "SIGALRM":
        return Loss("timeout", worker, name)
    if name == "SIGKILL" and memory_ran_out:
        likely = (
            "this is likely, not certain: SIGKILL ended it while the kernel killed "
            "processes for lack of memory"
        )
        return Loss("memory", worker, name, (likely,))
    return Loss("signal", worker, name)


def items_text(items: Sequence[int]) -> str:
    """Return the name of a batch in messages: its items."""
    if len(items) == 1:
        return f"item {items[0]}"
    return f"items {items[0]} to {items[-1]}"
