"""Judgements about patterns: their verdicts, and how they are reported."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import indent
from typing import Final, Literal, NamedTuple

from passgen_tools.verify.counterexample import Counterexample

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
    counterexample: Counterexample | None = None


class NoMatchError(Exception):
    """The pattern matches nothing, or what it makes is invalid; the argument is why."""


class JudgedError(Exception):
    """The pattern may be wrong."""

    def __init__(
        self,
        verdict: Verdict,
        reason: str,
        counterexample: Counterexample | None = None,
    ) -> None:
        """Say why; `reason` is the text of the counterexample if there is one."""
        super().__init__(verdict, reason)
        self.verdict: Verdict = verdict
        self.reason = reason
        self.counterexample = counterexample


def report(judgements: Iterable[Judgement]) -> str:
    """Return lines with the verdicts, one for all types that have the same."""
    found: dict[tuple[str, str], list[str]] = {}
    for judgement in judgements:
        title = f"  {judgement.pattern}: {judgement.verdict.replace('-', ' ')}"
        note = judgement.reason and indent(f"{judgement.reason}\n", "    ")
        found.setdefault((title, note), []).append(judgement.types)
    lines: list[str] = []
    for (title, note), types in found.items():
        listed = f": {', '.join(types)}" if any(types) else ""
        lines.append(f"{title}{listed}\n{note}")
    return "".join(lines)
