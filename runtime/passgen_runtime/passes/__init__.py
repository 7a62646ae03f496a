"""The passes shipped here; `generated` holds what comes from their specs."""

from passgen_runtime.pass_registry import PassRegistry
from passgen_runtime.passes.generated.affine_passes import registerAffinePasses
from passgen_runtime.passes.generated.transforms_passes import (
    registerTransformsPasses,
)


def register_all_passes(registry: PassRegistry | None = None) -> None:
    """Register all passes shipped here; they are imported when first used."""
    registerAffinePasses(registry)
    registerTransformsPasses(registry)
