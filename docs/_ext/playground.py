"""The playground of the documentation, if `make pyodide` has installed Pyodide.

`passgen_tools.opt.playground` writes it beside the pages, whose links lead there.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError

from passgen_tools.opt.playground import PlaygroundError, write_playground

PYODIDE: Final = Path(__file__).parents[2] / "build/pyodide/node_modules/pyodide"


def _find(_: Sphinx, config: Config) -> None:
    if PYODIDE.is_dir():
        config.passgen_playground = "playground"
        return
    print(  # noqa: T201 - no warning, which would fail the build
        "docs: without the playground: `make pyodide` installs what it needs",
        file=sys.stderr,
    )


def _write(app: Sphinx, error: Exception | None) -> None:
    if error is not None or not app.config.passgen_playground:
        return
    folder = Path(app.outdir, app.config.passgen_playground)
    try:
        write_playground(folder, PYODIDE)
    except PlaygroundError as problem:
        raise ExtensionError(str(problem)) from problem


def setup(app: Sphinx) -> dict[str, bool]:
    """Find Pyodide before the pages are read; write the playground after them."""
    app.connect("config-inited", _find)
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
