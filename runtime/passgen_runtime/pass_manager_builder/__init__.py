"""Building pipelines from rules, tags and bundles instead of by hand."""

from passgen_runtime.pass_manager_builder.bundles import PassBundle, PipelineEditError
from passgen_runtime.pass_manager_builder.pass_manager_builder import PassManagerBuilder
from passgen_runtime.pass_manager_builder.registration import register_pipeline_builder

__all__ = [
    "PassBundle",
    "PassManagerBuilder",
    "PipelineEditError",
    "register_pipeline_builder",
]
