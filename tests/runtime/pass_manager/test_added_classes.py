from __future__ import annotations

from abc import ABCMeta

import pytest

from passgen_runtime import PassManager
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes.cse import CSE


def test_a_class_that_is_added_gives_its_metaclass_no_annotations() -> None:
    """XDSL cannot load a dialect any more if `ABCMeta` has some."""
    with pytest.raises(TypeError, match=r"write CSE\(\)"):
        PassManager(XDSLContext()).add_pass(CSE)  # type: ignore[arg-type]
    assert "__annotations__" not in vars(ABCMeta)
