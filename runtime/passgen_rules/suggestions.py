"""Suggestions for misspelt names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest_name(name: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate most similar to `name`, ignoring case, if any is."""
    by_lowered = {candidate.lower(): candidate for candidate in candidates}
    matches = difflib.get_close_matches(name.lower(), by_lowered, n=1, cutoff=0.6)
    return by_lowered[matches[0]] if matches else None
