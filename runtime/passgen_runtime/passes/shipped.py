"""Registries that find the passes shipped here, and xDSL's.

Passes are imported when a registry is asked for one: starting is measured.
"""

from importlib.util import find_spec

from passgen_runtime.pass_registry import PassRegistry, default_registry


def shipped_registry() -> PassRegistry:
    """Return the default registry, which finds the passes shipped here and xDSL's."""
    return with_shipped(default_registry)


def with_shipped(registry: PassRegistry) -> PassRegistry:
    """Let `registry` find the passes shipped here and xDSL's; return it."""
    registry.add_source(register_all_passes)
    registry.add_source(_register_xdsl_passes)
    return registry


def register_all_passes(registry: PassRegistry | None = None) -> None:
    """Register all that is shipped here; passes are imported when first used."""
    from passgen_runtime.passes.generated.affine_passes import (
        registerAffinePasses,
        registerAffinePipelines,
    )
    from passgen_runtime.passes.generated.transforms_passes import (
        registerTransformsPasses,
    )

    registerAffinePasses(registry)
    registerAffinePipelines(registry)
    registerTransformsPasses(registry)


def _register_xdsl_passes(registry: PassRegistry) -> None:
    if find_spec("xdsl") is None:
        return  # the passes shipped here can be listed without it
    from passgen_runtime.ir.xdsl.module_passes import register_xdsl_passes

    register_xdsl_passes(registry)
