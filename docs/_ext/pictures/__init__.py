"""The drawings of the documentation, made from the pages and the code that they show.

`make pictures` writes them; the tests compare them with what they are made from.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from passgen.source import SourceFile
from pictures.architecture import architecture, layers
from pictures.processes import run_over_processes
from pictures.runs import analyses, pipeline_over_ir
from pictures.specs import order_in_a_pipeline, way_of_a_spec

__all__ = ["DRAWINGS", "LAYERS"]

_DOCS: Final = Path(__file__).parents[2]
LAYERS: Final = layers(_DOCS.parent / "pyproject.toml")
"""The import contract: the layers of each package."""


def _block(page: str, name: str) -> str:
    """Return the block of `page` that a reader writes in the file `name`."""
    text = (_DOCS / page).read_text(encoding="utf-8")
    return _found(rf"in `{re.escape(name)}`:\n\n```\w+\n(.*?)```", text)


def _pipeline(page: str) -> str:
    """Return the first pipeline that `page` runs."""
    text = (_DOCS / page).read_text(encoding="utf-8")
    return _found(r"--pass-pipeline='([^']+)'", text)


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.DOTALL)
    if match is None:
        message = f"no page text is like {pattern}"
        raise ValueError(message)
    return match[1]


def _phases() -> list[str]:
    """Return the names of the phases in the list of the page on architecture."""
    text = (_DOCS / "architecture.md").read_text(encoding="utf-8")
    section = _found(r"\n## The way of a spec\n(.*?)\n## ", text)
    return re.findall(r"^\d\. `(\w+)`", section, re.MULTILINE)


DRAWINGS: Final[dict[str, Callable[[], str]]] = {
    "architecture": lambda: architecture(LAYERS),
    "pictures/pipeline": lambda: pipeline_over_ir(
        _pipeline("index.md"), _block("index.md", "powers.mlir")
    ),
    "pictures/analyses": lambda: analyses(
        _pipeline("how-to/analyses.md"), _block("how-to/analyses.md", "square.mlir")
    ),
    "pictures/spec": lambda: way_of_a_spec(
        SourceFile("loops.yaml", _block("architecture.md", "loops.yaml")), _phases()
    ),
    "pictures/processes": run_over_processes,
    "pictures/order": lambda: order_in_a_pipeline(
        SourceFile("kernels.yaml", _block("pipelines.md", "kernels.yaml"))
    ),
}
"""Every drawing by its file below `_static`, without the suffix."""
