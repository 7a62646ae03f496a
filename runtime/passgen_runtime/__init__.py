"""MLIR's pass infrastructure in Python: passes, nested pass managers, pipelines.

A pass says what it is and does its work on one operation:

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

Importing this package imports no IR library; `passgen_runtime.ir` has their contexts.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from passgen_runtime.analysis.analysis_manager import AnalysisManager, PreservedAnalyses
    from passgen_runtime.analysis.declarations import ALL_ANALYSES, analysis
    from passgen_runtime.pass_manager_builder.builder_pipelines import register_pipeline_builder
    from passgen_runtime.context import Context, OperationInfo
    from passgen_runtime.errors import (
        Diagnostic,
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
    from passgen_runtime.operation_pass.operation_pass import InterfacePass, OperationPass, Pass
    from passgen_runtime.pass_manager_builder.bundles import PassBundle, PipelineEditError
    from passgen_runtime.pass_instrumentation import (
        PassInstrumentation,
        PipelineCollection,
        PipelineParentInfo,
    )
    from passgen_runtime.pass_manager.pass_manager import OpPassManager, PassManager
    from passgen_runtime.pass_manager_builder.pass_manager_builder import PassManagerBuilder
    from passgen_runtime.pass_options.pass_options import (
        BOOL,
        DOUBLE,
        FLOAT,
        INT8,
        INT16,
        INT32,
        INT64,
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
    from passgen_runtime.ordering_rules import (
        after,
        after_if_present,
        before,
        before_if_present,
        cleanup,
        stage,
        tag,
    )
    from passgen_runtime.pass_registry.pass_registry import (
        PassPipelineRegistration,
        PassRegistry,
        create_pass,
        default_registry,
        register_pass,
    )
    from passgen_runtime.pass_statistics import Statistic, statistic
    from passgen_runtime.pass_registry.pipelines.resolution import (
        parse_pass_manager,
        parse_pass_pipeline,
        resolve_pipeline,
    )
    from passgen_runtime.pipeline_violations import PipelineConstraintError, Violation
    from passgen_runtime.textual_pipeline.grammar import TextualPipeline

__all__ = [
    "ALL_ANALYSES",
    "BOOL",
    "DOUBLE",
    "FLOAT",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "PIPELINE",
    "STRING",
    "UINT8",
    "UINT16",
    "UINT32",
    "UINT64",
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
    "PassBundle",
    "PassError",
    "PassFailure",
    "PassInstrumentation",
    "PassManager",
    "PassManagerBuilder",
    "PassOptionError",
    "PassOptions",
    "PassPipelineRegistration",
    "PassRegistry",
    "PipelineCollection",
    "PipelineConstraintError",
    "PipelineEditError",
    "PipelineError",
    "PipelineParentInfo",
    "PreservedAnalyses",
    "RegistrationError",
    "SchedulingError",
    "Statistic",
    "TextualPipeline",
    "Violation",
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
    "register_pipeline_builder",
    "resolve_pipeline",
    "stage",
    "statistic",
    "tag",
]

_NAMES: Final = {
    "analysis_manager": ("AnalysisManager", "PreservedAnalyses"),
    "analysis_references": ("ALL_ANALYSES", "analysis"),
    "builder_pipelines": ("register_pipeline_builder",),
    "context": ("Context", "OperationInfo"),
    "errors": (
        "Diagnostic",
        "DialectError",
        "IRError",
        "MissingImplementationError",
        "PassError",
        "PassFailure",
        "PassOptionError",
        "PipelineError",
        "RegistrationError",
        "SchedulingError",
    ),
    "operation_pass": ("InterfacePass", "OperationPass", "Pass"),
    "pass_bundle": ("PassBundle", "PipelineEditError"),
    "pass_instrumentation": (
        "PassInstrumentation",
        "PipelineCollection",
        "PipelineParentInfo",
    ),
    "pass_manager": ("OpPassManager", "PassManager"),
    "pass_manager_builder": ("PassManagerBuilder",),
    "pass_options": (
        "BOOL",
        "DOUBLE",
        "FLOAT",
        "INT8",
        "INT16",
        "INT32",
        "INT64",
        "PIPELINE",
        "STRING",
        "UINT8",
        "UINT16",
        "UINT32",
        "UINT64",
        "OptionType",
        "PassOptions",
        "enum_type",
        "list_option",
        "option",
        "options_type",
    ),
    "pass_ordering": (
        "after",
        "after_if_present",
        "before",
        "before_if_present",
        "cleanup",
        "stage",
        "tag",
    ),
    "pass_registry": (
        "PassPipelineRegistration",
        "PassRegistry",
        "create_pass",
        "default_registry",
        "register_pass",
    ),
    "pass_statistics": ("Statistic", "statistic"),
    "pipeline_resolution": (
        "parse_pass_manager",
        "parse_pass_pipeline",
        "resolve_pipeline",
    ),
    "pipeline_violations": ("PipelineConstraintError", "Violation"),
    "textual_pipeline": ("TextualPipeline",),
}
"""By module, what is imported from it when it is first asked for.

The driver starts before it imports what it runs; starting is measured.
"""

_MODULES: Final = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - of whatever type it has
    """Return what this package exports as `name`."""
    module = _MODULES.get(name)
    if module is None:
        message = f"module '{__name__}' has no attribute '{name}'"
        raise AttributeError(message)
    value = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return all names, asked for or not."""
    return sorted({*globals(), *__all__})
