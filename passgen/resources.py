"""Where the templates and the schemas are: data that ships beside the code.

In a wheel they lie inside the package, in a source checkout (and so in an editable
install) beside it, where they are in plain sight.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).resolve().parent
"""The folder of this module."""


@cache
def templates() -> Path:
    """Return the folder with one folder of templates a target."""
    return _find("templates")


@cache
def schema() -> Path:
    """Return the JSON Schema of a spec."""
    return _find("schemas") / "pass-group.schema.json"


def lint_page(rule: str) -> Path:
    """Return the page on a rule of `passgen lint`; other rules have none."""
    return _find("docs/lint") / f"{rule}.md"


def cmake() -> Path:
    """Return the folder with the package file that CMake finds."""
    return PACKAGE / "cmake"


def _find(folder: str) -> Path:
    for parent in (PACKAGE, PACKAGE.parent):
        if (parent / folder).is_dir():
            return parent / folder
    message = (
        f"the folder '{folder}' is neither in {PACKAGE} nor beside it: "
        "the installation of passgen is incomplete"
    )
    raise FileNotFoundError(message)
