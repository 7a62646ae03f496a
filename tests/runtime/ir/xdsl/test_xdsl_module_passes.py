from __future__ import annotations

import pytest

from passgen_runtime import PassRegistry
from passgen_runtime.ir.xdsl.module_passes import register_xdsl_passes


@pytest.mark.process  # importing xDSL's interpreter calls `file`
def test_every_pass_has_options_and_a_place() -> None:
    registry = PassRegistry()
    register_xdsl_passes(registry)
    for entry in registry.passes():
        assert entry.options_class.declared_options() is not None
        assert entry.origin
        assert "\n" not in entry.summary
