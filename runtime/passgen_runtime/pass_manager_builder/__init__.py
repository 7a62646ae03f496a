"""Building pipelines from rules, tags and bundles instead of by hand."""

from passgen_runtime.pass_manager_builder.bundles import (
    PassBundle,
    PipelineEditError,
    register_pipeline_builder,
)
from passgen_runtime.pass_manager_builder.edits import OldPass
from passgen_runtime.pass_manager_builder.pass_manager_builder import PassManagerBuilder

__all__ = [
    "OldPass",
    "PassBundle",
    "PassManagerBuilder",
    "PipelineEditError",
    "register_pipeline_builder",
]
