"""The bindings that are taken if none are named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from passgen_runtime.ir.mlir import BindingsError, MLIRContext, mlir_registry
from passgen_runtime.ir.mlir.bindings import bindings_of
from tests.mlir_bindings_needed import require_bindings

RUNTIME = Path(__file__).parents[4] / "runtime"

pytestmark = pytest.mark.process


def found(folder: Path, *packages: str, announced: str = "") -> str:
    """Return what is found in `folder`, where `packages` have empty bindings."""
    for package in packages:
        path = folder.joinpath(*package.split("."))
        path.mkdir(parents=True)
        (path / "ir.py").touch()
    metadata = folder / "project-1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Name: project\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(f"[passgen.mlir_bindings]\n{announced}")
    code = (
        "from passgen_runtime.ir.mlir.bindings import BindingsError, default_package\n"
        "try:\n    print(default_package())\n"
        "except BindingsError as error:\n    print(error)\n"
    )
    # Without site packages: those of this environment have bindings.
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={"PYTHONPATH": f"{folder}:{RUNTIME}"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


@pytest.mark.parametrize(
    "packages",
    [(), ("mlir",), ("mlir", "jaxlib.mlir"), ("mlir", "circt", "iree.compiler")],
)
def test_upstreams_package_comes_first(
    tmp_path: Path, packages: tuple[str, ...]
) -> None:
    assert found(tmp_path, *packages) == "mlir\n"


@pytest.mark.parametrize(
    "package", ["jaxlib.mlir", "iree.compiler", "torch_mlir", "circt"]
)
def test_the_only_other_package_is_taken(tmp_path: Path, package: str) -> None:
    assert found(tmp_path, package) == f"{package}\n"


def test_an_announced_package_is_found(tmp_path: Path) -> None:
    announced = "project = project.mlir\n"

    assert found(tmp_path, "project.mlir", announced=announced) == "project.mlir\n"


def test_several_are_an_error_that_lists_them(tmp_path: Path) -> None:
    announced = "project = project.mlir\n"

    assert found(tmp_path, "circt", "project.mlir", announced=announced) == (
        "several packages have bindings of MLIR: circt, project.mlir\n"
        "note: name one: MLIRContext('circt'), or --ir=mlir:circt\n"
    )


def test_a_context_of_mlir_says_its_package(package: str) -> None:
    mlir = bindings_of(package).new_context()

    assert MLIRContext(mlir=mlir).bindings.package == package


def test_a_wrong_package_of_a_context_is_named() -> None:
    require_bindings("jaxlib.mlir")
    mlir = bindings_of("mlir").new_context()

    with pytest.raises(BindingsError, match=r"not a context of .* 'jaxlib\.mlir'"):
        MLIRContext("jaxlib.mlir", mlir=mlir)


def test_what_is_no_context_is_refused() -> None:
    with pytest.raises(BindingsError, match="int is not a context of the bindings"):
        MLIRContext(mlir=3)


def test_the_registry_takes_the_same_package() -> None:
    require_bindings("mlir")

    assert mlir_registry().lookup_pass("cse") is not None
