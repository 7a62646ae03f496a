"""Batches of opaque bytes on worker processes: pools, clusters, lost workers.

This package knows no passes and no IR. It imports `concurrent.futures`, so import it
where an executor is asked for: starting is measured.
"""

from __future__ import annotations

from passgen_runtime.executors.batch import JOBS_VARIABLE
from passgen_runtime.executors.dispatcher import (
    BatchEvent,
    Dispatcher,
    ItemDone,
    ItemLost,
    ItemReply,
    number_of_workers,
)
from passgen_runtime.executors.losses import (
    ExecutorError,
    Loss,
    LossKind,
    WorkerLostError,
)
from passgen_runtime.executors.process_pool import ProcessPool, process_pool

__all__ = [
    "JOBS_VARIABLE",
    "BatchEvent",
    "Dispatcher",
    "ExecutorError",
    "ItemDone",
    "ItemLost",
    "ItemReply",
    "Loss",
    "LossKind",
    "ProcessPool",
    "WorkerLostError",
    "number_of_workers",
    "process_pool",
]
