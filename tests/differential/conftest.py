"""LLVM's tools as fixtures; `llvm_tools` finds them, or skips or fails the test."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cpp_compiler import CppCompiler
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


@pytest.fixture(scope="session")
def cpp(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CppCompiler]:
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # which all workers share
    compiler = CppCompiler(folder / "precompiled")
    compiler.precompile()
    yield compiler
    # Should another worker still compile, it reads the header itself.
    compiler.precompiled_header.unlink(missing_ok=True)
