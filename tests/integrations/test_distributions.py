"""The three distributions: built from their sources, each works alone."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.integrations.example_builds import needs, run

ROOT = Path(__file__).parents[2]
FOLDERS = {
    "passgen": ROOT,
    "passgen_runtime": ROOT / "runtime",
    "passgen_tools": ROOT / "runtime" / "tools",
}
SPEC = """\
name: Marks
summary: Passes that mark functions
passes:
  Mark:
    argument: mark
    summary: Mark each function
    description: |
      ```mlir
      func.func @f() attributes {seen} { ... }
      ```
    anchor: func.func
    statistics:
      - {name: numMarked, displayName: num-marked, description: Number of functions.}
pipelines:
  MarkAll:
    argument: mark-all
    summary: Mark each function
    elements:
      - nest: func.func
        elements: [mark]
"""
COMPILER = """\
import sys
from marks_passes import (
    MarkPassBase, registerMarksPasses, registerMarksPipelines
)
from passgen_runtime import PassManager, parse_pass_manager
from passgen_runtime.instrumentations.ir_printing import (
    IRPrintingConfig, enable_ir_printing, every_pass
)
from passgen_runtime.instrumentations.pass_timing import enable_timing

class Mark(MarkPassBase):
    def run_on_operation(self) -> None:
        self.operation.attributes["seen"] = unit()
        self.num_marked += 1

if sys.argv[1] == "xdsl":
    from xdsl.dialects.builtin import UnitAttr as unit
    from passgen_runtime.ir.xdsl import XDSLContext
    context = XDSLContext()
else:
    from passgen_runtime.ir.mlir import MLIRContext
    context = MLIRContext()
    unit = lambda: context.bindings.ir.UnitAttr.get(context.mlir)

registerMarksPasses()
registerMarksPipelines()
module = context.parse("module { func.func @f() { return } }", "in.mlir")
manager = parse_pass_manager("builtin.module(mark-all)", context)
enable_ir_printing(manager, IRPrintingConfig(after=every_pass))
enable_timing(manager)
manager.run(module)
print(context.print(module))
print(manager.statistics_report())
print([name for name in sys.modules if name.startswith(("passgen_tools", "passgen."))])
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The contents of each wheel, which is built from the unpacked sources alone."""
    needs("hatchling")
    unpacked = {}
    for package, folder in FOLDERS.items():
        top = tmp_path_factory.mktemp(package)
        run("hatchling", "build", "-t", "sdist", "-d", str(top), at=folder)
        (sources,) = top.glob("*.tar.gz")
        with tarfile.open(sources) as archive:
            archive.extractall(top / "sources", filter="data")
        (project,) = (top / "sources").iterdir()
        run("hatchling", "build", "-t", "wheel", "-d", str(top), at=project)
        (wheel,) = top.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive_of_wheel:
            archive_of_wheel.extractall(top / "wheel")  # noqa: S202 - our own
        unpacked[package] = top / "wheel"
    return unpacked


def python(
    *arguments: str, at: Path, paths: list[Path]
) -> subprocess.CompletedProcess[str]:
    """Run Python with `paths` and the libraries that are installed, not our packages.

    Ours are installed for editing, by files that the module `site` reads.
    """
    libraries = sysconfig.get_path("purelib")
    path = os.pathsep.join(map(str, (*paths, libraries)))
    return subprocess.run(
        [sys.executable, "-S", *arguments],
        cwd=at,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("package", FOLDERS)
def test_a_distribution_has_its_package_alone(
    package: str, wheels: dict[str, Path]
) -> None:
    folders = {path.name for path in wheels[package].iterdir()}

    assert {name for name in folders if not name.endswith(".dist-info")} == {package}


@pytest.mark.bindings
@pytest.mark.parametrize("library", ["xdsl", "mlir"])
def test_a_compiler_runs_without_generator_and_tools(
    library: str, wheels: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "marks.yaml").write_text(SPEC)
    (tmp_path / "compiler.py").write_text(COMPILER)
    command = ("-m", "passgen.cli", "marks.yaml", "-o", ".")
    generated = python(*command, at=tmp_path, paths=[wheels["passgen"]])
    assert generated.returncode == 0, generated.stderr

    paths = [wheels["passgen_runtime"]]
    done = python("compiler.py", library, at=tmp_path, paths=paths)

    assert done.returncode == 0, done.stderr
    assert "attributes {seen}" in done.stdout
    assert "num-marked" in done.stdout
    assert "IR Dump After Mark (mark)" in done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_driver_runs_with_runtime_and_tools(
    wheels: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "in.mlir").write_text("func.func @f() { return }")
    paths = [wheels["passgen_runtime"], wheels["passgen_tools"]]

    done = python(
        "-m", "passgen_tools.opt", "in.mlir", "--cse", at=tmp_path, paths=paths
    )

    assert (done.returncode, "func.func @f" in done.stdout) == (0, True), done.stderr


def test_a_playground_says_which_distribution_it_lacks(
    wheels: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "marks.yaml").write_text(SPEC)
    # A Python that finds no package of ours, also where the generator starts it.
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)
    flags = ["site", "marks.yaml", "--playground=marks", "--pyodide=p", "-o", "site"]
    script = f"import sys; sys.executable = {str(bare)!r}; from passgen.cli import main"

    done = python(
        "-c", f"{script}; main({flags})", at=tmp_path, paths=[wheels["passgen"]]
    )

    assert "--playground needs passgen_tools, which cannot be imported" in done.stderr
    assert "note: install mlir-passgen-tools" in done.stderr
