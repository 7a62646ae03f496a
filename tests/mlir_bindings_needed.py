"""Tests that need MLIR's Python bindings, which the `bindings` extra installs."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module

import pytest

from passgen_runtime.context import Operation
from passgen_runtime.pass_manager import PassManager

RunPipeline = Callable[[str, Operation], PassManager]
"""Runs the pipeline in a text on an operation."""


def require_bindings(package: str) -> None:
    """Skip the test where the bindings are missing, or fail where they must not be."""
    try:
        import_module(f"{package}.ir")  # a folder `mlir` alone has MLIR's tools perhaps
    except ImportError:
        message = f"no bindings of MLIR in '{package}': make llvm-tools"
    else:
        return
    if os.environ.get("PASSGEN_REQUIRE_LLVM") == "1":
        pytest.fail(message)
    pytest.skip(message)
