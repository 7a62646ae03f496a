"""The passes shipped here; `generated` holds what comes from their specs."""

from passgen_runtime.passes.shipped import (
    register_all_passes,
    shipped_registry,
    universe_of,
    with_shipped,
)

__all__ = [
    "register_all_passes",
    "shipped_registry",
    "universe_of",
    "with_shipped",
]
