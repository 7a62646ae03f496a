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

Importing this package imports no IR library: contexts, the shipped passes and observers
are imported when they are asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

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
    PipelineConstraintError,
    Violation,
    after,
    after_if_present,
    before,
    before_if_present,
    cleanup,
    stage,
    tag,
)
from passgen_runtime.pass_instrumentation import (
    PassInstrumentation,
    PipelineCollection,
    PipelineParentInfo,
)
from passgen_runtime.pass_manager import OpPassManager, PassManager
from passgen_runtime.pass_manager_builder import (
    PassBundle,
    PassManagerBuilder,
    PipelineEditError,
    register_pipeline_builder,
)
from passgen_runtime.pass_options import (
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
from passgen_runtime.pipeline_rules import check_order
from passgen_runtime.textual_pipeline import TextualPipeline

if TYPE_CHECKING:
    from passgen_runtime.instrumentations.audit import enable_audit as enable_audit
    from passgen_runtime.instrumentations.crash_reproducer import (
        enable_crash_reproducer_generation as enable_crash_reproducer_generation,
    )
    from passgen_runtime.instrumentations.ir_printing import (
        IRPrintingConfig as IRPrintingConfig,
    )
    from passgen_runtime.instrumentations.ir_printing import (
        enable_ir_printing as enable_ir_printing,
    )
    from passgen_runtime.instrumentations.ir_printing import (
        passes_called as passes_called,
    )
    from passgen_runtime.instrumentations.observers import (
        ir_printing as ir_printing,
    )
    from passgen_runtime.instrumentations.observers import (
        observing as observing,
    )
    from passgen_runtime.instrumentations.observers import (
        statistics as statistics,
    )
    from passgen_runtime.instrumentations.observers import (
        timing as timing,
    )
    from passgen_runtime.instrumentations.pass_timing import (
        enable_timing as enable_timing,
    )
    from passgen_runtime.ir.mlir import MLIRContext as MLIRContext
    from passgen_runtime.ir.mlir import mlir_registry as mlir_registry
    from passgen_runtime.ir.xdsl import XDSLContext as XDSLContext
    from passgen_runtime.passes import shipped_registry as shipped_registry
    from passgen_runtime.report import Report as Report
    from passgen_runtime.run_record import RunRecord as RunRecord
    from passgen_runtime.run_record import record as record

_IMPORTED_WHEN_USED = {
    "instrumentations.audit": ("enable_audit",),
    "instrumentations.crash_reproducer": ("enable_crash_reproducer_generation",),
    "instrumentations.ir_printing": (
        "IRPrintingConfig",
        "enable_ir_printing",
        "passes_called",
    ),
    "instrumentations.observers": (
        "ir_printing",
        "observing",
        "statistics",
        "timing",
    ),
    "instrumentations.pass_timing": ("enable_timing",),
    "ir.mlir": ("MLIRContext", "mlir_registry"),
    "ir.xdsl": ("XDSLContext",),
    "passes": ("shipped_registry",),
    "report": ("Report",),
    "run_record": ("RunRecord", "record"),
}
"""Names by module; not in `__all__`, so that `import *` imports no IR library."""


def __getattr__(name: str) -> object:
    """Import what is needed in some programs only."""
    for module, names in _IMPORTED_WHEN_USED.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    message = f"module '{__name__}' has no attribute '{name}'"
    raise AttributeError(message)


def __dir__() -> list[str]:
    """Return all names, for completion."""
    lazy = (name for names in _IMPORTED_WHEN_USED.values() for name in names)
    return sorted({*globals(), *lazy})


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
    "check_order",
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
