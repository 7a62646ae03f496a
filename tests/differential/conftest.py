"""LLVM's tools as fixtures; `llvm_tools` finds them, or skips or fails the test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.llvm_tools import find_include, find_tool, missing


@pytest.fixture(scope="session")
def mlir_opt() -> Path:
    return find_tool("mlir-opt") or missing("mlir-opt")


@pytest.fixture(scope="session")
def mlir_tblgen() -> Path:
    return find_tool("mlir-tblgen") or missing("mlir-tblgen")


@pytest.fixture(scope="session")
def llvm_tblgen() -> Path:
    return find_tool("llvm-tblgen") or missing("llvm-tblgen")


@pytest.fixture(scope="session")
def mlir_include() -> Path:
    return find_include() or missing("the include directory")
