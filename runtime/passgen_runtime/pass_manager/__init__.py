"""Pass managers: pipelines as written, made ready to run, and run."""

from passgen_runtime.pass_manager.manager_arguments import (
    check_anchor_name,
    check_context,
    check_pass,
)
from passgen_runtime.pass_manager.pass_manager import OpPassManager, PassManager
from passgen_runtime.pass_manager.scheduling import Element, FusedPass, accepts
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
    "outermost_level",
    "threads_run_in_parallel",
]
