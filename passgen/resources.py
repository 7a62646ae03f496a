"""The installed templates, schemas and pages of rules.

In a wheel they are inside the package; in a checkout, which editable installations use,
they are beside it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).resolve().parent
"""The folder of this module."""


@cache
def templates() -> Path:
    """Return the folder with a folder of templates for each target."""
    return _find("templates")


def compiled_templates() -> Path:
    """Return the folder for compiled templates, which only an installation has."""
    return PACKAGE / "compiled_templates"


@cache
def schema() -> Path:
    """Return the JSON Schema of a spec."""
    return _find("schemas") / "pass-group.schema.json"


def mlir_classes() -> Path:
    """Return the table of the C++ classes of MLIR's dialects and operations."""
    return _find("schemas") / "mlir-classes.json"


def native_code() -> Path:
    """Return the table of what C++ in declarative rewrites means."""
    return _find("schemas") / "native-code.yaml"


def rules() -> Path:
    """Return the table of the rules of `passgen diff`, `lint` and `drift`."""
    return _find("schemas") / "rules.json"


@cache
def driver_flags() -> frozenset[str]:
    """Return the names of the flags of `passgen-opt`, which no pass can have as one."""
    return frozenset((_find("schemas") / "driver-flags.txt").read_text().split())


@cache
def reserved_names() -> dict[str, frozenset[str]]:
    """Return the names that generated code and its base classes use, by their use."""
    text = (_find("schemas") / "reserved-names.json").read_text("utf-8")
    return {use: frozenset(names) for use, names in json.loads(text).items()}


def lint_page(rule: str) -> Path:
    """Return the page of a rule of `passgen lint`."""
    return _find("docs/lint") / f"{rule}.md"


def agents_page() -> Path:
    """Return the page for agents that write passes."""
    return _find("docs/how-to") / "agents.md"


def completion_script(shell: str) -> Path:
    """Return the script that completes command lines in `shell`."""
    return PACKAGE / "commands" / "completion_scripts" / shell


def cmake() -> Path:
    """Return the folder with the package file that CMake finds."""
    return PACKAGE / "cmake"


def _find(folder: str) -> Path:
    for parent in (PACKAGE, PACKAGE.parent):
        if (parent / folder).is_dir():
            return parent / folder
    raise FileNotFoundError(
        f"the folder '{folder}' is neither in {PACKAGE} nor beside it: "
        "the installation of passgen is incomplete"
    )
