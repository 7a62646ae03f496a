"""Registries that find the passes of this package and those of xDSL.

Passes are imported on first use, to keep start-up short.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from passgen_runtime.pass_registry import PassRegistry, default_registry

if TYPE_CHECKING:
    from xdsl.ir import Dialect
    from xdsl.passes import ModulePass
    from xdsl.universe import Universe


PASSES_NAMESPACE: Final = "passgen"
"""The prefix of a pass of this package whose name another pass has."""


def shipped_registry() -> PassRegistry:
    """Return the default registry, made to find the passes of this package and xDSL."""
    return with_shipped(default_registry)


def with_shipped(registry: PassRegistry) -> PassRegistry:
    """Let `registry` find the passes of this package and of xDSL; return it."""
    registry.add_source(register_all_passes)
    registry.add_source(_register_xdsl_passes)
    return registry


def register_pattern_passes(registry: PassRegistry | None = None) -> None:
    """Register those passes of this package that also run on MLIR's IR."""
    from passgen_runtime.passes.generated.arith_passes import registerArithPasses

    registerArithPasses(registry)


def register_all_passes(registry: PassRegistry | None = None) -> None:
    """Register all passes of this package; they are imported on first use."""
    from passgen_runtime.passes.generated import affine_passes, transforms_passes

    affine_passes.registerAffinePasses(registry)
    affine_passes.registerAffinePipelines(registry)
    transforms_passes.registerTransformsPasses(registry)
    register_pattern_passes(registry)


def universe_of(
    *sources: PassRegistry | Callable[[PassRegistry], object],
    all_dialects: dict[str, Callable[[], Dialect]] | None = None,
) -> Universe:
    """Return the xDSL universe with the passes and pipelines of `sources`.

    If a package has the universe as an entry point in the group `xdsl.universe`,
    `xdsl-opt` has these passes, with their names and options. Pipelines that functions
    register may also name the passes of this package and of xDSL.

    Args:
        sources: registries, or functions that register passes, such as generated ones.
        all_dialects: dialects, as xDSL's own `Universe` takes them.
    """
    from xdsl.universe import Universe

    from passgen_runtime.ir.xdsl.universe import EmbeddedPassFactory

    registered = PassRegistry()
    registries = [registered]
    for source in sources:
        if isinstance(source, PassRegistry):
            registries.append(source)
        else:
            source(registered)
    found: dict[str, Callable[[], type[ModulePass]]] = {}
    for registry in registries:
        for entry in registry.passes():
            found[entry.argument] = EmbeddedPassFactory(entry, registry)
        for pipeline in registry.pipelines():
            found[pipeline.argument] = EmbeddedPassFactory(pipeline, registry)
    with_shipped(registered)
    return Universe(all_dialects=all_dialects, all_passes=found)


def _register_xdsl_passes(registry: PassRegistry) -> None:
    if find_spec("xdsl"):  # without it, the passes of this package can be listed
        from passgen_runtime.ir.xdsl.module_passes import register_xdsl_passes

        register_xdsl_passes(registry)
