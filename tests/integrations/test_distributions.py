"""The three distributions: built from their sources, each works alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import jinja2
import pytest

from passgen.targets import TARGETS
from tests.integrations.example_builds import needs, run

ROOT = Path(__file__).parents[2]
FOLDERS = {
    "passgen": ROOT,
    "passgen_runtime": ROOT / "runtime",
    "passgen_tools": ROOT / "runtime" / "tools",
}
PACKAGES = {
    "passgen": {"passgen"},
    "passgen_runtime": {"passgen_runtime", "passgen_rules"},
    "passgen_tools": {"passgen_tools"},
}
"""What each distribution adds to `site-packages`, beside its own metadata."""

LINK = "passgen/passgen_rules"
"""The symbolic link of a checkout to the rules in the folder of the runtime."""

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
        unpacked[package] = build_wheel(project, top)
    return unpacked


def build_wheel(project: Path, top: Path) -> Path:
    """Return a folder in `top` with the contents of the wheel of `project`."""
    run("hatchling", "build", "-t", "wheel", "-d", str(top), at=project)
    (wheel,) = top.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(top / "wheel")  # noqa: S202 - our own
    return top / "wheel"


def files(folder: Path) -> set[str]:
    """Return the names of the files in an unpacked wheel."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix() for path in found}


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
def test_a_distribution_has_its_packages_alone(
    package: str, wheels: dict[str, Path]
) -> None:
    folders = {path.name for path in wheels[package].iterdir()}

    found = {name for name in folders if not name.endswith(".dist-info")}
    assert found == PACKAGES[package]


def test_no_two_wheels_have_a_file_in_common(wheels: dict[str, Path]) -> None:
    # So they are installed in any order, and one that is uninstalled leaves the others.
    names = [name for folder in wheels.values() for name in files(folder)]

    assert sorted(names) == sorted(set(names))


def test_generator_and_runtime_have_the_same_rules(wheels: dict[str, Path]) -> None:
    in_generator = wheels["passgen"] / "passgen" / "passgen_rules"
    in_runtime = wheels["passgen_runtime"] / "passgen_rules"

    names = files(in_runtime)
    assert "suggestions.py" in names
    assert files(in_generator) == names
    for name in names:
        assert (in_generator / name).read_bytes() == (in_runtime / name).read_bytes()


def test_the_program_prints_the_version_of_its_wheel(
    wheels: dict[str, Path], tmp_path: Path
) -> None:
    (metadata,) = wheels["passgen"].glob("mlir_passgen-*.dist-info")
    version = metadata.name.removeprefix("mlir_passgen-").removesuffix(".dist-info")

    done = python(
        "-m", "passgen.cli", "--version", at=tmp_path, paths=[wheels["passgen"]]
    )

    assert done.stdout == f"passgen {version}\n"


def test_a_wheel_has_compiled_templates_for_the_jinja_of_its_build(
    wheels: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "marks.yaml").write_text(SPEC)
    targets = [f"--target={target}" for target in TARGETS]
    wheel = tmp_path / "wheel"
    shutil.copytree(wheels["passgen"], wheel)
    (compiled,) = (wheel / "passgen" / "compiled_templates").iterdir()

    def outputs() -> dict[str, str]:
        command = ("-m", "passgen.cli", "marks.yaml", "-o", "out", *targets)
        done = python(*command, at=tmp_path, paths=[wheel])
        assert done.returncode == 0, done.stderr
        found = {path.name: path.read_text() for path in tmp_path.glob("out/*")}
        shutil.rmtree(tmp_path / "out")
        return found

    assert compiled.name == f"jinja-{jinja2.__version__}"
    with_both = outputs()
    assert len(with_both) >= len(TARGETS)  # and the list of them
    (wheel / "passgen" / "templates").rename(tmp_path / "templates")
    (wheel / "passgen" / "templates").mkdir()
    assert outputs() == with_both
    (wheel / "passgen" / "templates").rmdir()
    (tmp_path / "templates").rename(wheel / "passgen" / "templates")
    compiled.rename(compiled.with_name("jinja-0"))
    assert outputs() == with_both


@pytest.fixture
def checkout_without_links(tmp_path: Path) -> Path:
    """A checkout of the generator by git with `core.symlinks=false`."""
    checkout = tmp_path / "checkout"
    without = shutil.ignore_patterns("__pycache__", ".*", "build", "tests", "tools")
    shutil.copytree(ROOT, checkout, symlinks=True, ignore=without)
    link = checkout / LINK
    link.unlink()
    link.write_text("../runtime/passgen_rules")
    return checkout


def test_a_wheel_is_complete_where_git_makes_no_symbolic_links(
    wheels: dict[str, Path], checkout_without_links: Path, tmp_path: Path
) -> None:
    wheel = build_wheel(checkout_without_links, tmp_path)

    assert files(wheel) == files(wheels["passgen"])


def test_an_editable_install_without_symbolic_links_is_refused(
    checkout_without_links: Path, tmp_path: Path
) -> None:
    needs("hatchling")
    target = ("-t", "wheel:editable", "-d", str(tmp_path))

    printed = run("hatchling", "build", *target, at=checkout_without_links, code=1)

    assert "Traceback" not in printed
    assert printed.splitlines()[-1] == (
        "'passgen/passgen_rules' is no symbolic link, which an editable install"
        " needs: run `git config core.symlinks true`, delete it and run `git"
        " checkout passgen/passgen_rules`"
    )


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
