"""The changelog's table of modules that moved names modules that are there."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOVED = re.findall(
    r"^\| `([\w.]+)` \| `([\w.]+)` \|$",
    (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)


def exists(module: str) -> bool:
    """Return whether there is a module: a folder alone has no origin."""
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:  # of the package around it
        return False
    return spec is not None and spec.origin is not None


@pytest.mark.parametrize(("before", "now"), MOVED)
def test_a_module_that_moved_is_imported_by_its_new_name_alone(
    before: str, now: str
) -> None:
    import_module(now)
    assert not exists(before)
