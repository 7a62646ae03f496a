"""The passes shipped here; `generated` holds what comes from their specs."""

from passgen_runtime.pass_registry import PassRegistry
from passgen_runtime.passes.generated.affine_passes import (
    registerAffinePasses,
    registerAffinePipelines,
)
from passgen_runtime.passes.generated.transforms_passes import (
    registerTransformsPasses,
)


def register_all_passes(registry: PassRegistry | None = None) -> None:
    """Register all that is shipped here; passes are imported when first used."""
    registerAffinePasses(registry)
    registerAffinePipelines(registry)
    registerTransformsPasses(registry)
