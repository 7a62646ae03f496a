"""Tables of cases that tests of both passgen and the runtime read."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import yaml

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""That of libyaml, where PyYAML has it: the other one takes ten times as long."""


def read_cases(name: str) -> Any:  # noqa: ANN401 - each table has a form of its own
    """Return the content of the table `name` of this folder."""
    return read_yaml(Path(__file__).with_name(f"{name}.yaml"))


def read_yaml(path: Path) -> Any:  # noqa: ANN401 - as above
    """Return the content of a file."""
    return yaml.load(path.read_text(encoding="utf-8"), _LOADER)  # noqa: S506 - is safe
