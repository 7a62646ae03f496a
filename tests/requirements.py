"""What a test needs and a machine may lack.

`make test` skips such a test; `make check` installs everything first, and says so by
PASSGEN_REQUIRE_LLVM, PASSGEN_REQUIRE_BROWSER and PASSGEN_REQUIRE_BUILDS, under which a
lack is a failure.
"""

from __future__ import annotations

import os
from typing import Literal, NoReturn

import pytest


def missing(what: str, need: Literal["LLVM", "BROWSER", "BUILDS"]) -> NoReturn:
    """Skip the test that needs `what`, or fail it where it must not be missing."""
    if os.environ.get(f"PASSGEN_REQUIRE_{need}") == "1":
        pytest.fail(what, pytrace=False)
    pytest.skip(what, allow_module_level=True)
