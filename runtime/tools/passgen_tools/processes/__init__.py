"""Child processes: a pool that replaces those that die, and the causes of their end."""

from passgen_tools.processes.breadcrumbs import (
    Breadcrumbs,
    OneByOneBreadcrumbs,
    RunningPass,
    running_passes,
)
from passgen_tools.processes.child import (
    LOST_FILES,
    adopt_orphans,
    die_with_parent,
    end_orphans,
    exit_code_within,
    signal_name,
)
from passgen_tools.processes.losses import (
    ExecutorError,
    Loss,
    LossKind,
    TaskLoss,
    WorkerLostError,
    items_text,
    task_loss,
)
from passgen_tools.processes.notes import LEAVE_NOTE, NoteMemory
from passgen_tools.processes.process_pool import ProcessPool

__all__ = [
    "LEAVE_NOTE",
    "LOST_FILES",
    "Breadcrumbs",
    "ExecutorError",
    "Loss",
    "LossKind",
    "NoteMemory",
    "OneByOneBreadcrumbs",
    "ProcessPool",
    "RunningPass",
    "TaskLoss",
    "WorkerLostError",
    "adopt_orphans",
    "die_with_parent",
    "end_orphans",
    "exit_code_within",
    "items_text",
    "running_passes",
    "signal_name",
    "task_loss",
]
