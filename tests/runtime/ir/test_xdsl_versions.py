"""The range of versions of xDSL: what is too old, and what no test has run on."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from xdsl.dialects.builtin import IndexType, f16, i1, i8

from passgen_runtime import PassError
from passgen_runtime.ir.xdsl_versions import (
    NEWEST_XDSL,
    OLDEST_XDSL,
    number_of,
    require_supported,
    scalar_of,
)
from passgen_tools.opt import main

ROOT = Path(__file__).parents[3]
UNTRIED = f"xDSL 9.1.0 is newer than {NEWEST_XDSL}, the newest version tried\n"


def test_metadata_and_documentation_say_the_range() -> None:
    project = tomllib.loads((ROOT / "runtime/pyproject.toml").read_text())["project"]
    page = (ROOT / "docs/install.md").read_text()

    assert project["optional-dependencies"]["xdsl"] == [f"xdsl>={OLDEST_XDSL}"]
    assert f"\n- xDSL {OLDEST_XDSL} to {NEWEST_XDSL}. " in page


@pytest.mark.parametrize("version", ["0.71.3", "0.9.0", "0.71"])
def test_an_older_version_is_an_error(version: str) -> None:
    with pytest.raises(PassError) as error:
        require_supported(version)

    assert isinstance(error.value, ImportError)
    assert str(error.value) == (
        f"xDSL {version} is installed, expected {OLDEST_XDSL} or newer: "
        f"pip install 'xdsl>={OLDEST_XDSL}'"
    )


@pytest.mark.parametrize(
    "version", [OLDEST_XDSL, f"{NEWEST_XDSL}.0", "0.72.0+7.gabc", "1.0", "main", None]
)
def test_other_versions_are_accepted(version: str | None) -> None:
    require_supported(version)


@pytest.fixture
def newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the metadata of xDSL say a version that does not exist."""
    folder = tmp_path / "xdsl-9.1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Name: xdsl\nVersion: 9.1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_the_driver_names_a_newer_version(
    newer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del newer

    assert main(["--version"]) == 0

    assert capsys.readouterr().out.splitlines(keepends=True)[1:] == [UNTRIED]


def test_the_driver_names_no_version_that_was_tried(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--version"]) == 0

    assert capsys.readouterr().out.count("\n") == 1


@pytest.mark.process
def test_a_newer_version_is_in_the_header_of_pytest_and_warns_of_nothing(
    newer: Path,
) -> None:
    (newer / "some.mlir").write_text("// RUN: passgen-opt %s\n")
    paths = (newer, ROOT / "runtime", ROOT / "runtime" / "tools")
    plugin = "passgen_tools.testing.pytest_plugin"
    command = ["-W", "error", "-m", "pytest", "-p", plugin, "--mlir-tests"]

    done = subprocess.run(
        [sys.executable, *command, "some.mlir"],
        cwd=newer,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert UNTRIED in done.stdout


@pytest.mark.parametrize(
    ("number", "type_"), [(-1, i8), (-1, i1), (0, i1), (7, IndexType()), (0.5, f16)]
)
def test_a_scalar_of_the_interpreter_stands_for_its_number(
    number: float, type_: IndexType
) -> None:
    assert number_of(scalar_of(number, type_)) == number
