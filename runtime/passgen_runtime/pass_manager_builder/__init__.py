"""A builder of pipelines from passes and bundles, and checks of ordering rules."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_runtime.pass_manager_builder.additions import (
    PipelineHook as PipelineHook,
    additions_to as additions_to,
    stage as stage,
)
from passgen_runtime.pass_manager_builder.bundles import (
    PassBundle as PassBundle,
    PipelineEditError as PipelineEditError,
)
from passgen_runtime.pass_manager_builder.checks import check_order as check_order
from passgen_runtime.pass_manager_builder.pass_manager_builder import (
    PassManagerBuilder as PassManagerBuilder,
)
from passgen_runtime.pass_manager_builder.registration import (
    register_pipeline_builder as register_pipeline_builder,
)
from passgen_runtime.pass_manager_builder.violations import (
    ConstraintViolation as ConstraintViolation,
    PipelineConstraintError as PipelineConstraintError,
)
