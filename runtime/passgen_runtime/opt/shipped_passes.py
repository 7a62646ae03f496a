"""The passes that `passgen-opt` offers: those shipped here, and xDSL's own.

Each group is imported when a name is not found before it: a run pays for what it uses.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from passgen_runtime.pass_registry.pass_registry import PassRegistry, default_registry


def shipped_registry() -> PassRegistry:
    """Return the default registry, which finds the passes shipped here and xDSL's."""
    return _with_shipped(default_registry)


def scratch_registry() -> PassRegistry:
    """Return a new registry that finds the same, to try something out in."""
    return _with_shipped(PassRegistry())


def _with_shipped(registry: PassRegistry) -> PassRegistry:
    registry.add_source(register_own_passes)
    registry.add_source(_register_xdsl_passes)
    return registry


def register_own_passes(registry: PassRegistry) -> None:
    """Register the passes shipped here."""
    import_module("passgen_runtime.passes").register_all_passes(registry)


def _register_xdsl_passes(registry: PassRegistry) -> None:
    if find_spec("xdsl") is None:
        return  # what is shipped here can be listed without it
    module = import_module("passgen_runtime.ir.xdsl.module_passes")
    module.register_xdsl_passes(registry)
