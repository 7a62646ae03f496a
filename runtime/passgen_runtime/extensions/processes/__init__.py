"""Child processes: a pool that outlives the death of one, and what ended it."""

from passgen_runtime.extensions.processes.breadcrumbs import (
    Breadcrumbs,
    OneByOneBreadcrumbs,
    RunningPass,
    running_passes,
)
from passgen_runtime.extensions.processes.child import (
    LOST_FILES,
    die_with_parent,
    exit_code_within,
    signal_name,
)
from passgen_runtime.extensions.processes.losses import (
    Blame,
    ExecutorError,
    Loss,
    LossKind,
    WorkerLostError,
    blame_of,
    items_text,
)
from passgen_runtime.extensions.processes.notes import LEAVE_NOTE, NoteMemory
from passgen_runtime.extensions.processes.process_pool import ProcessPool

__all__ = [
    "LEAVE_NOTE",
    "LOST_FILES",
    "Blame",
    "Breadcrumbs",
    "ExecutorError",
    "Loss",
    "LossKind",
    "NoteMemory",
    "OneByOneBreadcrumbs",
    "ProcessPool",
    "RunningPass",
    "WorkerLostError",
    "blame_of",
    "die_with_parent",
    "exit_code_within",
    "items_text",
    "running_passes",
    "signal_name",
]
