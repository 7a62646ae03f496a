"""The documentation as a site."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def documentation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site that `make docs` builds."""
    folder = tmp_path_factory.mktemp("documentation")
    options = ["--fail-on-warning", "--quiet", "-d", str(folder / "trees")]
    command = [sys.executable, "-m", "sphinx", *options, "docs", str(folder / "site")]
    subprocess.run(command, cwd=ROOT, check=True)
    return folder / "site"
