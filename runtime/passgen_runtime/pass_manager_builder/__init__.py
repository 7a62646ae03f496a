"""A builder of pipelines from passes and bundles, and checks of ordering rules."""

from passgen_runtime.pass_manager_builder.additions import (
    PipelineHook,
    additions_to,
    stage,
)
from passgen_runtime.pass_manager_builder.bundles import PassBundle, PipelineEditError
from passgen_runtime.pass_manager_builder.checks import check_order
from passgen_runtime.pass_manager_builder.pass_manager_builder import PassManagerBuilder
from passgen_runtime.pass_manager_builder.registration import register_pipeline_builder
from passgen_runtime.pass_manager_builder.violations import (
    ConstraintViolation,
    PipelineConstraintError,
)

__all__ = [
    "ConstraintViolation",
    "PassBundle",
    "PassManagerBuilder",
    "PipelineConstraintError",
    "PipelineEditError",
    "PipelineHook",
    "additions_to",
    "check_order",
    "register_pipeline_builder",
    "stage",
]
