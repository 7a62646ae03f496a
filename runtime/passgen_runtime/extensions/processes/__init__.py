"""Child processes: a pool that outlives the death of one, and what ended it."""

from passgen_runtime.extensions.processes.losses import (
    Blame,
    ExecutorError,
    Loss,
    LossKind,
    WorkerLostError,
    blame_of,
    items_text,
)
from passgen_runtime.extensions.processes.notes import LEAVE_NOTE
from passgen_runtime.extensions.processes.process_pool import ProcessPool

__all__ = [
    "LEAVE_NOTE",
    "Blame",
    "ExecutorError",
    "Loss",
    "LossKind",
    "ProcessPool",
    "WorkerLostError",
    "blame_of",
    "items_text",
]
