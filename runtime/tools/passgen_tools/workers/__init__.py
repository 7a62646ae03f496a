"""Workers: nested pipelines in other processes and on clusters.

The modules `batch`, `dispatcher`, `cost_model`, `choice` and `clusters` know no passes
and no IR: they send batches of opaque bytes to the workers of an executor.
"""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_tools.processes import (
    ExecutorError as ExecutorError,
    ProcessPool as ProcessPool,
)
from passgen_tools.workers.choice import (
    bounded_jobs as bounded_jobs,
    parse_executor as parse_executor,
)
from passgen_tools.workers.header import WorkerRefusalError as WorkerRefusalError
from passgen_tools.workers.header import check_is_sendable as check_is_sendable
from passgen_tools.workers.result_merger import LostOperationError as LostOperationError
from passgen_tools.workers.runner import Workers as Workers
from passgen_tools.workers.worker import run_operations as run_operations
