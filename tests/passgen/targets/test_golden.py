"""Specs and what they become, side by side under `golden/`; one folder a feature."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import black
import pytest

from passgen.generation import Options, generate
from passgen.targets import TARGETS
from tests.generated_python import mypy_strict

GOLDEN = Path(__file__).parents[1] / "golden"
FEATURES = sorted(path.parent.name for path in GOLDEN.glob("*/spec.yaml"))
MODULES = sorted(GOLDEN.glob("*/*_passes.py"))


@pytest.mark.parametrize("feature", FEATURES)
def test_spec_becomes_what_stands_beside_it(
    feature: str,
    golden: Callable[[Path, str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = GOLDEN / feature
    monkeypatch.chdir(folder)

    targets = (feature,) if feature in TARGETS else ()
    generated = generate(["spec.yaml"], Options(targets))

    assert [each.message for each in generated.warnings] == []
    for file in generated.files:
        golden(folder / file.path, file.text)
    expected = {"spec.yaml", *(file.path.name for file in generated.files)}
    assert {path.name for path in folder.iterdir() if path.is_file()} == expected


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.parent.name)
def test_black_leaves_it_as_it_is(path: Path) -> None:
    text = path.read_text("utf-8")

    assert black.format_str(text, mode=black.Mode()) == text


@pytest.mark.process
def test_ruff_finds_nothing_in_generated_python(tmp_path: Path) -> None:
    # In an author's project: the runtime is installed, the foreign types are the
    # author's. Hostile text breaks rules of style.
    for path in MODULES:
        if path.parent.name != "hostile-text":
            shutil.copy(path, tmp_path)
    command = [
        sys.executable, "-m", "ruff", "check", "--isolated", "--select", "ALL",
        "--ignore", "COM812,CPY001,D203,D213,E501,INP001,N802,RUF009,SIM117",
        "--config", 'lint.isort.known-first-party=["my_dialect"]',
        "--config", 'lint.isort.known-third-party=["passgen_runtime"]',
        "--config", 'lint.pydocstyle.convention="google"',
        "--target-version", "py311", "--output-format", "concise", str(tmp_path),
    ]  # fmt: skip

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.stdout + done.stderr == "All checks passed!\n"


@pytest.mark.slow
@pytest.mark.process
def test_mypy_strict_accepts_generated_python(tmp_path: Path) -> None:
    for path in MODULES:
        # These import a package that is made up.
        if path.parent.name not in {"foreign-type", "operation-class"}:
            shutil.copy(path, tmp_path)
    (tmp_path / "uses_them.py").write_text(
        "from affine_passes import AffineLoopUnrollOptions, AffineLoopUnrollPassBase\n"
        "\n"
        "class AffineLoopUnroll(AffineLoopUnrollPassBase):\n"
        "    def run_on_operation(self) -> None:\n"
        "        factor: int = self.options.unroll_factor\n"
        "        depths: list[int] = self.options.loop_depths\n"
        "        self.num_unrolled += factor + len(depths)\n"
        "\n"
        "AffineLoopUnrollOptions(unroll_factor=2, loop_depths=[1])\n"
        "reveal_type(AffineLoopUnroll().options)\n"
        "\n"
        "from ir_xdsl_passes import *\n"
        "def operations(a: OnFunctionPassBase, b: OnKernelPassBase) -> None:\n"
        "    reveal_type(a.operation)\n"
        "    reveal_type(b.operation)\n"
    )

    assert mypy_strict(tmp_path).splitlines() == [
        f'uses_them.py:{line}: note: Revealed type is "{type_}"'
        for line, type_ in (
            (10, "affine_passes.AffineLoopUnrollOptions"),
            (14, "xdsl.dialects.func.FuncOp"),
            (15, "xdsl.ir.core.Operation"),
        )
    ]
