"""The passes of this package; `generated` is generated from their specs."""

from passgen_runtime.passes.shipped import (
    PASSES_NAMESPACE,
    register_all_passes,
    register_pattern_passes,
    shipped_registry,
    universe_of,
    with_shipped,
)

__all__ = [
    "PASSES_NAMESPACE",
    "register_all_passes",
    "register_pattern_passes",
    "shipped_registry",
    "universe_of",
    "with_shipped",
]
