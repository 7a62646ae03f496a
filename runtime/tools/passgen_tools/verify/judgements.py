"""Judgements about patterns: their verdicts, and how they are reported."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import indent
from typing import Final, Literal, NamedTuple

Verdict = Literal[
    "proved",
    "proved-for-constants",
    "may-not-end-by-greedy",
    "not-checked",
    "unknown",
    "wrong",
]
FAILURES: Final[tuple[Verdict, ...]] = "wrong", "unknown", "not-checked"
"""The verdicts that a program or a test fails for, unless it is told others.

After one of them, a pattern is not tried on more types.
"""


class Judgement(NamedTuple):
    """The verdict about a pattern on some types, and its reason: a counterexample."""

    pattern: str
    types: str
    verdict: Verdict
    reason: str = ""


class JudgedError(Exception):
    """The pattern may be wrong; the arguments are the verdict and its reason."""


def report(judgements: Iterable[Judgement]) -> str:
    """Return lines with the verdicts, one for all types that have the same."""
    found: dict[tuple[str, str], list[str]] = {}
    for pattern, types, verdict, reason in judgements:
        title = f"  {pattern}: {verdict.replace('-', ' ')}"
        note = reason and indent(f"{reason}\n", "    ")
        found.setdefault((title, note), []).append(types)
    return "".join(
        f"{title}{': ' * any(types)}{', '.join(types)}\n{note}"
        for (title, note), types in found.items()
    )
