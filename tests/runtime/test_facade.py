"""The names that a program needs are in `passgen_runtime`, and cost nothing unused."""

from __future__ import annotations

import subprocess
import sys

import pytest

import passgen_runtime

WHEN_USED = (
    "IRPrintingConfig",
    "MLIRContext",
    "XDSLContext",
    "enable_audit",
    "enable_crash_reproducer_generation",
    "enable_ir_printing",
    "enable_timing",
    "ir_printing",
    "observing",
    "passes_called",
    "Report",
    "RunRecord",
    "record",
    "shipped_registry",
    "statistics",
    "timing",
)


@pytest.mark.parametrize("name", WHEN_USED)
def test_a_program_imports_all_it_needs_from_one_place(name: str) -> None:
    assert getattr(passgen_runtime, name).__name__ == name
    assert name in dir(passgen_runtime)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'XDLSContext'"):
        getattr(passgen_runtime, "XDLSContext")  # noqa: B009 - type checkers know it


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
        "passgen_runtime.run_record",
        "passgen_runtime.instrumentations",
    )
    found = [
        each
        for each in done.stdout.split()
        if any(each == name or each.startswith(f"{name}.") for name in unwanted)
    ]
    assert found == []
