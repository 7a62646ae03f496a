"""Suggestions for misspelt names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest_name(name: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate most similar to `name`, ignoring case, if any is."""
    by_lowered: dict[str, list[str]] = {}
    for candidate in candidates:
        by_lowered.setdefault(candidate.lower(), []).append(candidate)
    matches = difflib.get_close_matches(name.lower(), by_lowered, n=1, cutoff=0.6)
    if not matches:
        return None
    same_but_case = by_lowered[matches[0]]
    return difflib.get_close_matches(name, same_but_case, n=1, cutoff=0)[0]
