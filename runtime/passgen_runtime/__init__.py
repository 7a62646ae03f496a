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

from passgen_runtime.analysis import (
    ALL_ANALYSES,
    AnalysisManager,
    PreservedAnalyses,
    analysis,
)
from passgen_runtime.context import Context, OperationInfo
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import (
    DialectError,
    IRError,
    MissingImplementationError,
    PassError,
    PassFailure,
    PassOptionError,
    PipelineError,
    RegistrationError,
    SchedulingError,
)
from passgen_runtime.operation_pass import (
    InterfacePass,
    OperationPass,
    Pass,
)
from passgen_runtime.ordering_rules import (
    after,
    after_if_present,
    before,
    before_if_present,
    cleanup,
    tag,
)
from passgen_runtime.pass_instrumentation import (
    PassInstrumentation,
    PipelineCollection,
    PipelineParentInfo,
)
from passgen_runtime.pass_manager import (
    ActionHandler,
    OpPassManager,
    PassExecution,
    PassManager,
    Runner,
)
from passgen_runtime.pass_options import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT8,
    INT16,
    INT32,
    INT64,
    OPTIONAL_BOOL,
    PIPELINE,
    STRING,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    OptionType,
    PassOptions,
    enum_type,
    list_option,
    option,
    options_type,
)
from passgen_runtime.pass_registry import (
    PassPipelineRegistration,
    PassRegistry,
    create_pass,
    default_registry,
    parse_pass_manager,
    parse_pass_pipeline,
    register_pass,
    resolve_pipeline,
)
from passgen_runtime.pass_statistics import Statistic, statistic
from passgen_runtime.textual_pipeline import TextualPipeline

__all__ = [
    "ALL_ANALYSES",
    "BOOL",
    "DOUBLE",
    "FLOAT",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "OPTIONAL_BOOL",
    "PIPELINE",
    "STRING",
    "UINT8",
    "UINT16",
    "UINT32",
    "UINT64",
    "ActionHandler",
    "AnalysisManager",
    "Context",
    "Diagnostic",
    "DialectError",
    "IRError",
    "InterfacePass",
    "MissingImplementationError",
    "OpPassManager",
    "OperationInfo",
    "OperationPass",
    "OptionType",
    "Pass",
    "PassError",
    "PassExecution",
    "PassFailure",
    "PassInstrumentation",
    "PassManager",
    "PassOptionError",
    "PassOptions",
    "PassPipelineRegistration",
    "PassRegistry",
    "PipelineCollection",
    "PipelineError",
    "PipelineParentInfo",
    "PreservedAnalyses",
    "RegistrationError",
    "Runner",
    "SchedulingError",
    "Statistic",
    "TextualPipeline",
    "after",
    "after_if_present",
    "analysis",
    "before",
    "before_if_present",
    "cleanup",
    "create_pass",
    "default_registry",
    "enum_type",
    "list_option",
    "option",
    "options_type",
    "parse_pass_manager",
    "parse_pass_pipeline",
    "register_pass",
    "resolve_pipeline",
    "statistic",
    "tag",
]
