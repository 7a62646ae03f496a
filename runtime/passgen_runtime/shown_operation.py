"""The text of an operation in a note: loaded when a diagnostic shows one."""

from __future__ import annotations

from typing import Final

_MAX_SHOWN: Final = 100_000
"""The characters shown of an operation: a rewrite may have made millions of others."""


def shown_operation(text: str) -> str:
    """Return the text of an operation for a note: if long, its first lines alone."""
    if len(text) <= _MAX_SHOWN:
        return text
    end = text.rfind("\n", 0, _MAX_SHOWN)
    if end == -1:
        return f"{text[:_MAX_SHOWN]}..."
    more = text.count("\n", end)
    return f"{text[:end]}\n... {more:,} more lines"
