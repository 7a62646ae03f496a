"""Workers: nested pipelines in other processes and on clusters.

The modules `batch`, `dispatcher`, `cost_model`, `choice` and `clusters` know no passes
and no IR: they send batches of opaque bytes to the workers of an executor.
"""

from passgen_tools.processes import ExecutorError, ProcessPool
from passgen_tools.workers.choice import bounded_jobs, parse_executor
from passgen_tools.workers.header import WorkerRefusalError
from passgen_tools.workers.result_merger import LostOperationError
from passgen_tools.workers.runner import Workers
from passgen_tools.workers.worker import run_operations

__all__ = [
    "ExecutorError",
    "LostOperationError",
    "ProcessPool",
    "WorkerRefusalError",
    "Workers",
    "bounded_jobs",
    "parse_executor",
    "run_operations",
]
