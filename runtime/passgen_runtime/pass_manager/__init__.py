"""Pass managers: pipelines as written, made ready to run, and run."""

from passgen_runtime.pass_manager.execution import Element
from passgen_runtime.pass_manager.fused import FusedPass
from passgen_runtime.pass_manager.hosting import hosted
from passgen_runtime.pass_manager.op_pass_manager import (
    OpPassManager,
    accepts,
    check_anchor_name,
    check_context,
    check_pass,
)
from passgen_runtime.pass_manager.pass_manager import PassManager
from passgen_runtime.pass_manager.threading import (
    outermost_level,
    threads_run_in_parallel,
)

__all__ = [
    "Element",
    "FusedPass",
    "OpPassManager",
    "PassManager",
    "accepts",
    "check_anchor_name",
    "check_context",
    "check_pass",
    "hosted",
    "outermost_level",
    "threads_run_in_parallel",
]
