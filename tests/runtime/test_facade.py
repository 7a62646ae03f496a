"""What `passgen_runtime` holds, and what importing it costs: the core, and no more."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.process
@pytest.mark.parametrize(
    "imports", ["import passgen_runtime", "from passgen_runtime import *"]
)
def test_the_package_imports_neither_ir_library_nor_driver(imports: str) -> None:
    code = f"{imports}\nimport sys\nprint(*sys.modules)"

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    unwanted = (
        "xdsl",
        "mlir",
        "jaxlib",
        "passgen_runtime.ir",
        "passgen_runtime.opt",
        "passgen_runtime.passes",
        "passgen_runtime.extensions",
        "passgen_runtime.testing",
        "passgen_runtime.instrumentations",
    )
    found = [
        each
        for each in done.stdout.split()
        if any(each == name or each.startswith(f"{name}.") for name in unwanted)
    ]
    assert found == []
