"""Tables of cases that tests of both passgen and the runtime read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml


def read_cases(name: str) -> Any:  # noqa: ANN401 - each table has a form of its own
    """Return the content of the table `name` of this folder."""
    text = Path(__file__).with_name(f"{name}.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)
