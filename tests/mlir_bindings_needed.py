"""Tests that need MLIR's Python bindings, which the `bindings` extra installs."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final

from passgen_runtime.context import Operation
from passgen_runtime.ir.mlir.installed_bindings import folder_of
from passgen_runtime.pass_manager.pass_manager import PassManager
from tests.requirements import missing

RunPipeline = Callable[[str, Operation], PassManager]
"""Runs the pipeline in a text on an operation."""


OF_LLVM_24: Final = [
    package for package in ("torch_mlir", "flydsl._mlir") if folder_of(package)
]
"""Installed bindings of LLVM 24; no target of `make` installs one.

FlyDSL's need a process without `mlir`: `pytest -k flydsl`.
"""


def require_bindings(package: str) -> None:
    """Skip the test where the bindings are missing, or fail where they must not be."""
    try:
        import_module(f"{package}.ir")  # a folder `mlir` alone has MLIR's tools perhaps
    except ImportError:
        missing(f"no bindings of MLIR in '{package}': make llvm-tools", "LLVM")
