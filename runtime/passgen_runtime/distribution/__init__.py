"""Nested pipelines in workers: what is sent, what runs there, what comes back.

`PassManager.run(operation, executor)` asks for it by name.
"""

from passgen_runtime.distribution.distributor import Distributor
from passgen_runtime.distribution.header import WorkerRefusalError
from passgen_runtime.distribution.splicing import LostOperationError
from passgen_runtime.distribution.worker import run_operations

__all__ = [
    "Distributor",
    "LostOperationError",
    "WorkerRefusalError",
    "run_operations",
]
