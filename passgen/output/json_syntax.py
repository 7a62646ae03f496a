"""JSON as programs read it: reports and lists, in UTF-8 as they are written."""

from __future__ import annotations

import json
import re
from typing import Any, Final

_NOT_UNICODE: Final = re.compile("[\ud800-\udfff]")
"""What stands for the bytes of a path that are no UTF-8."""


def json_text(data: dict[str, Any]) -> str:
    """Return `data` as JSON, indented, on lines of its own."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    return _NOT_UNICODE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"
