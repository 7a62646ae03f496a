"""MLIR's pass infrastructure in Python: passes, nested pass managers, pipelines.

A pass declares its name and options, and works on one operation:

    class CountOps(OperationPass[PassOptions]):
        argument = "count-ops"
        summary = "Count operations"
        num_ops = statistic("num-ops", "Number of operations seen.")

        def run_on_operation(self) -> None:
            self.num_ops += sum(1 for _ in self.operation.walk())

A pass manager runs passes on operations nested like the IR, here every function of a
module, and a textual pipeline spells the same:

    manager = PassManager(context)
    manager.nest("func.func").add_pass(CountOps())
    manager.run(module)

    register_pass(CountOps)
    parse_pass_manager("builtin.module(func.func(count-ops))", context).run(module)

This package exports the core. Contexts are in `ir.xdsl` and `ir.mlir`, timing, IR
printing and reproducers in `instrumentations`, the shipped passes in `passes`. What
people use at the keyboard is the package `passgen_tools`.
"""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_rules.option_types import *  # noqa: F403 - its rows are public types
from passgen_runtime.analysis import (
    ALL_ANALYSES as ALL_ANALYSES,
    AnalysisManager as AnalysisManager,
    PreservedAnalyses as PreservedAnalyses,
    analysis as analysis,
)
from passgen_runtime.context import Context as Context, OperationInfo as OperationInfo
from passgen_runtime.diagnostics import Diagnostic as Diagnostic
from passgen_runtime.errors import (
    DialectError as DialectError,
    IRError as IRError,
    MissingImplementationError as MissingImplementationError,
    PassError as PassError,
    PassFailure as PassFailure,
    PassOptionError as PassOptionError,
    PipelineError as PipelineError,
    RegistrationError as RegistrationError,
    SchedulingError as SchedulingError,
)
from passgen_runtime.operation_pass import (
    InterfacePass as InterfacePass,
    OperationPass as OperationPass,
    Pass as Pass,
)
from passgen_runtime.ordering_rules import (
    after as after,
    after_if_present as after_if_present,
    before as before,
    before_if_present as before_if_present,
    cleanup as cleanup,
    tag as tag,
)
from passgen_runtime.pass_instrumentation import (
    PassInstrumentation as PassInstrumentation,
    PipelineCollection as PipelineCollection,
    PipelineParentInfo as PipelineParentInfo,
)
from passgen_runtime.pass_manager import (
    ActionHandler as ActionHandler,
    OpPassManager as OpPassManager,
    PassExecution as PassExecution,
    PassManager as PassManager,
    Runner as Runner,
)
from passgen_runtime.pass_options import (
    REQUIRED as REQUIRED,
    OptionType as OptionType,
    PassOptions as PassOptions,
    enum_type as enum_type,
    list_option as list_option,
    option as option,
    options_type as options_type,
)
from passgen_runtime.pass_registry import (
    PassRegistry as PassRegistry,
    create_pass as create_pass,
    default_registry as default_registry,
    parse_pass_manager as parse_pass_manager,
    parse_pass_pipeline as parse_pass_pipeline,
    register_pass as register_pass,
    resolve_pipeline as resolve_pipeline,
)
from passgen_runtime.pass_statistics import (
    Statistic as Statistic,
    statistic as statistic,
)
from passgen_runtime.textual_pipeline import TextualPipeline as TextualPipeline
