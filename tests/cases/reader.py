"""Tables of cases that a test of passgen and a test of the runtime read alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml


def read_cases(name: str) -> Any:  # noqa: ANN401 - each table has a form of its own
    """Return what the table `name` of this folder holds."""
    text = Path(__file__).with_name(f"{name}.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)
