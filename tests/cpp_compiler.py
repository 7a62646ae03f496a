"""The system's compiler for C++ that uses MLIR, of which one header is precompiled."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.llvm_tools import find_prefix, missing

_LIBLLVM: Final = "libLLVM.so.22.1"
_HEADER: Final = "mlir/Pass/Pass.h"
_LANGUAGE: Final = ("-std=c++17", "-fno-rtti")


def run(*command: str) -> str:
    """Return what `command` prints; it succeeds and has nothing to complain about."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@dataclass(frozen=True)
class CppCompiler:
    """Compiles C and C++, and fails on any warning."""

    _precompiled: Path
    """The folder of the precompiled `mlir/Pass/Pass.h`.

    The compiler reads it in place of the header if a file includes that header first.
    """

    @property
    def precompiled_header(self) -> Path:
        """The file, of 170 MB, that `precompile` writes."""
        return self._precompiled / f"{_HEADER}.gch"

    def precompile(self) -> None:
        """Precompile the header."""
        header = self._precompiled / _HEADER
        header.parent.mkdir(parents=True, exist_ok=True)
        header.unlink(missing_ok=True)
        header.symlink_to(_prefix() / "include" / _HEADER)
        run(_found("g++"), *_LANGUAGE, *self._includes(), str(header))

    def _includes(self) -> tuple[str, ...]:
        folders = self._precompiled, _prefix() / "include"
        return tuple(f"-isystem{folder}" for folder in folders)

    def compile(self, compiler: str, file: Path, *arguments: str) -> None:
        """Compile `file` with `gcc` or `g++`."""
        run(
            _found(compiler),
            *(_LANGUAGE if compiler == "g++" else ["-std=c11"]),
            # mlir-tblgen leaves the registry unused in a pass without dependent dialects.
            "-Wall", "-Wextra", "-Wno-unused-parameter", "-Winvalid-pch",
            *self._includes(), "-I", str(file.parent),
            str(file), *arguments,
        )  # fmt: skip

    def link(self, source: Path, *arguments: str) -> Path:
        """Compile `source`, link it with MLIR, and return the program beside it."""
        program, libraries = source.with_suffix(""), _prefix() / "lib"
        # `ld` takes two seconds to read the names in MLIR's library.
        linker = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []
        self.compile(
            "g++", source, *arguments, "-o", str(program), *linker,
            "-L", str(libraries), "-lMLIR", f"-l:{_LIBLLVM}", f"-Wl,-rpath,{libraries}",
        )  # fmt: skip
        return program


def _prefix() -> Path:
    return find_prefix() or missing("the headers of MLIR and LLVM, with libMLIR,")


def _found(compiler: str) -> str:
    return shutil.which(compiler) or missing(f"{compiler} for the headers")
