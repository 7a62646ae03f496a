"""Workers: nested pipelines in other processes and on clusters.

The modules `batch`, `dispatcher`, `cost_model`, `choice` and `clusters` know no passes
and no IR: they send batches of opaque bytes to the workers of an executor.
"""

from passgen_tools.processes import (
    LEAVE_NOTE,
    ExecutorError,
    Loss,
    LossKind,
    ProcessPool,
    WorkerLostError,
)
from passgen_tools.workers.batch import JOBS_VARIABLE
from passgen_tools.workers.choice import (
    bounded_jobs,
    num_cores,
    number_of_workers,
    parse_executor,
)
from passgen_tools.workers.clusters import DaskExecutor, RayExecutor
from passgen_tools.workers.cost_model import (
    Decision,
    OperationCost,
    decide,
)
from passgen_tools.workers.dispatcher import (
    BatchDone,
    BatchEvent,
    Dispatcher,
    ItemLost,
    Outcome,
)
from passgen_tools.workers.header import WorkerRefusalError
from passgen_tools.workers.result_merger import LostOperationError
from passgen_tools.workers.runner import Workers
from passgen_tools.workers.worker import run_operations

__all__ = [
    "JOBS_VARIABLE",
    "LEAVE_NOTE",
    "BatchDone",
    "BatchEvent",
    "DaskExecutor",
    "Decision",
    "Dispatcher",
    "ExecutorError",
    "ItemLost",
    "Loss",
    "LossKind",
    "LostOperationError",
    "OperationCost",
    "Outcome",
    "ProcessPool",
    "RayExecutor",
    "WorkerLostError",
    "WorkerRefusalError",
    "Workers",
    "bounded_jobs",
    "decide",
    "num_cores",
    "number_of_workers",
    "parse_executor",
    "run_operations",
]
