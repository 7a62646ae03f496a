"""What `pytest --differential` says at its end: the counts of tests as sentences.

pytest loads its plugin in every project; this module, where there are counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from passgen_tools.testing.function_results import (
    EVALUATED,
    FUNCTIONS,
    OTHER_TYPES,
    UNCOMPARED,
)
from passgen_tools.testing.settings import COMPARED, UNWATCHED

_WITH_SENTENCES: Final = {
    FUNCTIONS,
    EVALUATED,
    COMPARED,
    UNCOMPARED,
    OTHER_TYPES,
    UNWATCHED,
}


def summary(counts: Counter[str]) -> Iterator[str]:
    """Yield the sentences; counts without one of their own are reasons."""
    calls = _number(counts[COMPARED], "call")
    yield f"{calls} gave the same results before and after passes."
    functions = _number(counts[FUNCTIONS], "function")
    yield f"{counts[EVALUATED]} of {functions} could be called."
    if count := counts[UNCOMPARED]:
        yield f"{_number(count, 'changed function')} could not be compared."
    if count := counts[OTHER_TYPES]:
        yield f"The type of {_number(count, 'function')} has changed."
    if count := counts[UNWATCHED]:
        yield f"{_number(count, 'test')} ran no driver in this process."
    reasons = [
        f"{reason} ({count})"
        for reason, count in sorted(counts.items())
        if count and reason not in _WITH_SENTENCES
    ]
    if reasons:
        yield f"Calls and functions that were left out: {', '.join(reasons)}."


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
