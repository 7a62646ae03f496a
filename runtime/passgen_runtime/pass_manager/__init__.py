"""Pass managers: pipelines as written, made ready to run, and run."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_runtime.pass_manager.actions import (
    ActionHandler as ActionHandler,
    PassExecution as PassExecution,
    TaggedActionHandler as TaggedActionHandler,
    execute as execute,
)
from passgen_runtime.pass_manager.execution import (
    Element as Element,
    FinalizedPipeline as FinalizedPipeline,
    PipelineGroup as PipelineGroup,
    passes_in as passes_in,
)
from passgen_runtime.pass_manager.finalization import (
    finalize as finalize,
    run_dynamic as run_dynamic,
)
from passgen_runtime.pass_manager.nested import (
    NestedPipelines as NestedPipelines,
    Runner as Runner,
    Target as Target,
)
from passgen_runtime.pass_manager.op_pass_manager import (
    DeclaredPass as DeclaredPass,
    OpPassManager as OpPassManager,
    check_context as check_context,
    manager_for as manager_for,
    to_pass as to_pass,
)
from passgen_runtime.pass_manager.pass_manager import (
    PassManager as PassManager,
    WatchRun as WatchRun,
)
from passgen_runtime.pass_manager.run_state import (
    RunSettings as RunSettings,
    RunState as RunState,
)
from passgen_runtime.pass_manager.run_statistics import (
    adopt_dynamic_statistics as adopt_dynamic_statistics,
    take_statistics as take_statistics,
)
from passgen_runtime.pass_manager.scheduling import dialects_of as dialects_of
