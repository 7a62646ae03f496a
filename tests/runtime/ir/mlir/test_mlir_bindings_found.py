"""The bindings that are found in what is installed, and taken if none are named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from passgen_runtime.ir.mlir import BindingsError, MLIRContext, mlir_registry
from passgen_runtime.ir.mlir.bindings import bindings_of
from passgen_runtime.ir.mlir.installed_bindings import installed_packages
from tests.mlir_bindings_needed import require_bindings

RUNTIME = Path(__file__).parents[4] / "runtime"


def add_bindings(folder: Path, place: str) -> list[str]:
    """Write the modules of empty bindings; return their names in a RECORD."""
    files = [f"{place}/ir.py", f"{place}/_mlir_libs/__init__.py"]
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).touch()
    return files


def add_distribution(
    folder: Path, *places: str, name: str = "project", announced: str = ""
) -> None:
    """Write a distribution that has bindings in `places`, which it records."""
    files = [file for place in places for file in add_bindings(folder, place)]
    metadata = folder / f"{name}-1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Name: {name}\nVersion: 1\n")
    (metadata / "RECORD").write_text("".join(f"{file},,\n" for file in files))
    (metadata / "entry_points.txt").write_text(f"[passgen.mlir_bindings]\n{announced}")


@pytest.fixture
def site_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one folder of the path."""
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    return tmp_path


@pytest.mark.parametrize(
    ("place", "package"),
    [
        ("circt", "circt"),
        ("iree/compiler", "iree.compiler"),
        ("flydsl/_mlir", "flydsl._mlir"),
        ("a/b/c/mlir", "a.b.c.mlir"),
        ("a, b/mlir", None),
        ("mlir/src/python/MLIRPythonSources.Core.Python", None),
    ],
)
def test_the_record_of_a_distribution_has_the_package(
    site_packages: Path, place: str, package: str | None
) -> None:
    add_distribution(site_packages, place)

    assert installed_packages() == ([] if package is None else [package])


def test_a_distribution_may_add_a_folder_of_its_own_to_the_path(
    site_packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_distribution(site_packages, "nvidia/packages/cutlass/_mlir")
    monkeypatch.setattr(sys, "path", [f"{site_packages}/nvidia/packages", *sys.path])

    assert installed_packages() == ["cutlass._mlir"]


@pytest.mark.parametrize("file", ["project/ir.py", "project/_mlir_libs/__init__.py"])
def test_a_package_with_one_of_the_two_modules_has_no_bindings(
    site_packages: Path, file: str
) -> None:
    add_distribution(site_packages)
    (site_packages / file).parent.mkdir(parents=True)
    (site_packages / file).touch()
    (site_packages / "project-1.dist-info" / "RECORD").write_text(f"{file},,\n")

    assert installed_packages() == []


@pytest.mark.parametrize("place", ["circt", "iree/compiler"])
def test_a_folder_of_the_path_may_have_no_distribution(
    site_packages: Path, place: str
) -> None:
    add_bindings(site_packages, place)

    assert installed_packages() == [place.replace("/", ".")]


def test_all_packages_are_found(
    site_packages: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    build = tmp_path_factory.mktemp("build")
    sys.path.append(str(build))
    add_distribution(site_packages, "torch_mlir", "aster")
    add_distribution(site_packages, "jaxlib/mlir", name="jaxlib")
    add_bindings(build, "circt")

    assert installed_packages() == ["aster", "circt", "jaxlib.mlir", "torch_mlir"]


def test_an_announced_package_is_found(site_packages: Path) -> None:
    add_distribution(site_packages, announced="project = project.mlir\n")
    (site_packages / "project" / "mlir").mkdir(parents=True)
    (site_packages / "project" / "mlir" / "ir.py").touch()

    assert installed_packages() == ["project.mlir"]


def default_in(folder: Path) -> str:
    """Return the package that is taken with the packages in `folder`, or the error."""
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


@pytest.mark.process
@pytest.mark.parametrize(
    ("places", "taken"),
    [
        ((), "mlir"),
        (("flydsl/_mlir",), "flydsl._mlir"),
        (("mlir", "iree/compiler", "circt"), "mlir"),
    ],
)
def test_upstreams_package_is_taken_or_else_the_only_one(
    tmp_path: Path, places: tuple[str, ...], taken: str
) -> None:
    add_distribution(tmp_path, *places)

    assert default_in(tmp_path) == f"{taken}\n"


@pytest.mark.process
def test_several_are_an_error_that_lists_them(tmp_path: Path) -> None:
    add_distribution(tmp_path, "torch_mlir", "flydsl/_mlir")

    assert default_in(tmp_path) == (
        "several packages have bindings of MLIR: flydsl._mlir, torch_mlir\n"
        "note: name one: MLIRContext('flydsl._mlir'), or --ir=mlir:flydsl._mlir\n"
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
