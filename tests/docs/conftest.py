"""The documentation as a site."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.docs.built_sites import ROOT, built_site


@pytest.fixture(scope="session")
def documentation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site that `make docs` builds.

    PASSGEN_DOCUMENTATION names a folder that holds it already.
    """
    if built := os.environ.get("PASSGEN_DOCUMENTATION"):
        return ROOT / built
    command = ["-m", "sphinx", "--fail-on-warning", "--quiet", "docs"]
    return built_site(tmp_path_factory, "documentation", *command)
