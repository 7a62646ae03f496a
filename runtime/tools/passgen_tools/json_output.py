"""What programs print for other programs: an outcome, or errors, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping

from passgen_rules.json_messages import json_lines, messages_in


def json_text(outcome: Mapping[str, object]) -> str:
    """Return the outcome of a program, for its `--json`."""
    return f"{json.dumps(outcome, indent=2, ensure_ascii=False)}\n"


def json_errors(message: str) -> str:
    """Return a message as objects, in the form of `--diagnostics-format=json`."""
    return json_lines(messages_in(message))
