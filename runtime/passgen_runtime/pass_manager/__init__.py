"""Pass managers: pipelines as written, made ready to run, and run."""

from passgen_runtime.pass_manager.actions import (
    ActionHandler,
    PassExecution,
    TaggedActionHandler,
    execute,
)
from passgen_runtime.pass_manager.execution import (
    Element,
    FinalizedPipeline,
    PipelineGroup,
    passes_in,
)
from passgen_runtime.pass_manager.finalization import finalize, run_dynamic
from passgen_runtime.pass_manager.nested import NestedPipelines, Runner, Target
from passgen_runtime.pass_manager.op_pass_manager import (
    DeclaredPass,
    OpPassManager,
    check_anchor_name,
    check_context,
    manager_for,
    to_pass,
)
from passgen_runtime.pass_manager.pass_manager import PassManager
from passgen_runtime.pass_manager.run_state import RunSettings, RunState
from passgen_runtime.pass_manager.run_statistics import adopt_dynamic_statistics
from passgen_runtime.pass_manager.scheduling import dialects_of
from passgen_runtime.pass_manager.threads import Threads, outermost_level

__all__ = [
    "ActionHandler",
    "DeclaredPass",
    "Element",
    "FinalizedPipeline",
    "NestedPipelines",
    "OpPassManager",
    "PassExecution",
    "PassManager",
    "PipelineGroup",
    "RunSettings",
    "RunState",
    "Runner",
    "TaggedActionHandler",
    "Target",
    "Threads",
    "adopt_dynamic_statistics",
    "check_anchor_name",
    "check_context",
    "dialects_of",
    "execute",
    "finalize",
    "manager_for",
    "outermost_level",
    "passes_in",
    "run_dynamic",
    "to_pass",
]
