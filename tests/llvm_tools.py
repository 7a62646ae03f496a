"""LLVM's own tools, which differential tests compare with.

The wheels of the `llvm` extra ship them; Debian's packages are looked for as well. A
test that needs a missing tool is skipped, or fails where PASSGEN_REQUIRE_LLVM=1 says
that the tools are expected.
"""

from __future__ import annotations

import shutil
import sysconfig
from pathlib import Path
from typing import NoReturn

from tests import requirements

VERSION = "22"

_SITE_PACKAGES = Path(sysconfig.get_path("platlib"))


def find_tool(name: str) -> Path | None:
    """Return the tool `name` of LLVM 22: the extra's, else that of the system."""
    for package in ("llvm", "mlir"):
        installed = _SITE_PACKAGES / package / "bin" / name
        if installed.is_file():
            return installed
    found = shutil.which(f"{name}-{VERSION}")
    return Path(found).resolve() if found else None


def _system_prefix() -> Path | None:
    """Return the system's installation, which the links to its tools point into."""
    tool = shutil.which(f"mlir-tblgen-{VERSION}")
    return Path(tool).resolve().parents[1] if tool else None


def _first_with_passes(*candidates: Path | None) -> Path | None:
    needed = "mlir/Pass/PassBase.td"
    return next(
        (each for each in candidates if each and (each / needed).is_file()), None
    )


def _includes() -> tuple[Path | None, Path]:
    """Return where the system's `.td` files are, if anywhere, and those of the wheel."""
    prefix = _system_prefix()
    return prefix and prefix / "include", _SITE_PACKAGES / "mlir" / "include"


def find_include() -> Path | None:
    """Return the directory that `mlir/Pass/PassBase.td` is included from."""
    system, wheel = _includes()
    return _first_with_passes(wheel, system)


def find_system_include() -> Path | None:
    """Return the system's directory of `.td` files, else that of `find_include`.

    The wheel's affine group has two passes more than LLVM's release.
    """
    return _first_with_passes(*_includes())


def find_prefix() -> Path | None:
    """Return the prefix that MLIR can be compiled and linked against."""
    prefix = _system_prefix() or Path("/")
    needed = ("include/mlir/Pass/Pass.h", "include/llvm/Support/Casting.h")
    found = all((prefix / name).exists() for name in (*needed, "lib/libMLIR.so"))
    return prefix if found else None


def missing(what: str) -> NoReturn:
    """Skip the test that needs `what`, or fail it where LLVM is required."""
    requirements.missing(
        f"{what} of LLVM {VERSION} not found: pip install -e '.[llvm]'", "LLVM"
    )
