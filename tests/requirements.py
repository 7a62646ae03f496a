"""Tools that a test needs and a machine may lack.

Such a test has the mark `llvm`, `bindings`, `browser`, `builds` or `executors`. It is
skipped where the tool is missing, and fails there under PASSGEN_REQUIRE_LLVM=1,
PASSGEN_REQUIRE_BROWSER=1, PASSGEN_REQUIRE_BUILDS=1 or PASSGEN_REQUIRE_EXECUTORS=1,
which `make test` and `make check` set.
"""

from __future__ import annotations

import os
from typing import Literal, NoReturn, TypeAlias

import pytest

Need: TypeAlias = Literal["LLVM", "BROWSER", "BUILDS", "EXECUTORS"]


def missing(what: str, need: Need) -> NoReturn:
    """Skip the test that needs `what`, or fail it where it must not be missing."""
    if os.environ.get(f"PASSGEN_REQUIRE_{need}") == "1":
        pytest.fail(what, pytrace=False)
    pytest.skip(what, allow_module_level=True)
