"""Child processes: a pool that replaces those that die, and the causes of their end."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_tools.processes.breadcrumbs import (
    Breadcrumbs as Breadcrumbs,
    OneByOneBreadcrumbs as OneByOneBreadcrumbs,
    RunningPass as RunningPass,
    running_passes as running_passes,
)
from passgen_tools.processes.child import (
    LOST_FILES as LOST_FILES,
    adopt_orphans as adopt_orphans,
    die_with_parent as die_with_parent,
    end_orphans as end_orphans,
    exit_code_within as exit_code_within,
    signal_name as signal_name,
)
from passgen_tools.processes.losses import (
    ExecutorError as ExecutorError,
    Loss as Loss,
    LossKind as LossKind,
    TaskLoss as TaskLoss,
    WorkerLostError as WorkerLostError,
    items_text as items_text,
    task_loss as task_loss,
)
from passgen_tools.processes.notes import (
    LEAVE_NOTE as LEAVE_NOTE,
    NoteMemory as NoteMemory,
)
from passgen_tools.processes.process_pool import ProcessPool as ProcessPool
