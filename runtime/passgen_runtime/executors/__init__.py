"""Batches of opaque bytes on worker processes: pools, clusters, lost workers.

This package knows no passes and no IR. It imports `concurrent.futures`, so import it
where an executor is asked for: starting is measured.
"""

from __future__ import annotations

from passgen_runtime.executors.batch import JOBS_VARIABLE
from passgen_runtime.executors.choice import (
    bounded_jobs,
    num_cores,
    number_of_workers,
    parse_executor,
)
from passgen_runtime.executors.clusters import DaskExecutor, RayExecutor
from passgen_runtime.executors.cost_model import Decision, ItemCost, WorkerCost, decide
from passgen_runtime.executors.dispatcher import (
    BatchDone,
    BatchEvent,
    Dispatcher,
    ItemLost,
    Outcome,
)
from passgen_runtime.executors.losses import (
    ExecutorError,
    Loss,
    LossKind,
    WorkerLostError,
)
from passgen_runtime.executors.notes import LEAVE_NOTE
from passgen_runtime.executors.process_pool import ProcessPool

__all__ = [
    "JOBS_VARIABLE",
    "LEAVE_NOTE",
    "BatchDone",
    "BatchEvent",
    "DaskExecutor",
    "Decision",
    "Dispatcher",
    "ExecutorError",
    "ItemCost",
    "ItemLost",
    "Loss",
    "LossKind",
    "Outcome",
    "ProcessPool",
    "RayExecutor",
    "WorkerCost",
    "WorkerLostError",
    "bounded_jobs",
    "decide",
    "num_cores",
    "number_of_workers",
    "parse_executor",
]
