"""LLVM's tools as fixtures; `llvm_tools` finds them, or skips or fails the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cpp_compiler import CppCompiler
from tests.llvm_tools import find_include, find_tool, missing
from tests.once_for_workers import make_once


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
    def precompile(folder: Path) -> None:
        CppCompiler(folder).precompile()

    compiler = CppCompiler(make_once(tmp_path_factory, "precompiled", precompile))
    yield compiler
    # Should another worker still compile, it reads the header itself.
    compiler.precompiled_header.unlink(missing_ok=True)
