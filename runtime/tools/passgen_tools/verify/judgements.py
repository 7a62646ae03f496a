"""Judgements about patterns: their verdicts, and how they are reported."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
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
"""The verdicts that a program or a test fails for, unless it is told others."""


_INTEGER: Final = re.compile(r"i(\d+)")
_MAX_PAIR: Final = 2
_MAX_LISTED: Final = 12


class Judgement(NamedTuple):
    """The verdict about a pattern on some types, and its reason: a counterexample."""

    pattern: str
    types: str
    verdict: Verdict
    reason: str = ""
    counterexample: Counterexample | None = None
    duration_s: float = 0
    """How long it took."""

    flags: str = ""
    """The flags that the pattern lists, as they are here: `e: exact`."""


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


class JudgementGroup(NamedTuple):
    """Judgements about a pattern with the same verdict and reason, on some types."""

    pattern: str
    verdict: Verdict
    types: list[str]
    flags: str
    reason: str

    @property
    def title(self) -> str:
        """The verdict, the types, and the flags that the pattern lists."""
        title = self.verdict.replace("-", " ")
        if any(self.types):
            title += f": {types_text(self.types)}"
        return f"{title} ({self.flags})" if self.flags else title


def grouped(judgements: Iterable[Judgement]) -> list[JudgementGroup]:
    """Return the judgements in groups, in the order of the first of each."""
    found: dict[tuple[str, Verdict, str, str], JudgementGroup] = {}
    for judgement in judgements:
        pattern, verdict, reason = (
            judgement.pattern,
            judgement.verdict,
            judgement.reason,
        )
        flags = judgement.flags if reason else ""
        group = found.setdefault(
            (pattern, verdict, flags, reason),
            JudgementGroup(pattern, verdict, [], flags, reason),
        )
        group.types.append(judgement.types)
    return list(found.values())


def report(judgements: Iterable[Judgement]) -> str:
    """Return lines with the verdicts, one for all types that have the same."""
    lines: list[str] = []
    for group in grouped(judgements):
        lines.append(f"  {group.pattern}: {group.title}\n")
        if group.reason:
            lines.append(indent(f"{group.reason}\n", "    "))
    return "".join(lines)


def types_text(types: Sequence[str]) -> str:
    """Return types as a text: one behind the other as a range, many as a number."""
    choices = [text.split("/") for text in dict.fromkeys(types)]
    runs: list[list[list[str]]] = []
    for choice in choices:
        if runs and _continues(runs[-1], choice):
            runs[-1].append(choice)
        else:
            runs.append([choice])
    if len(runs) > _MAX_LISTED:
        smallest, largest = "/".join(choices[0]), "/".join(choices[-1])
        return f"{len(choices)} choices of types, {smallest} to {largest}"
    return ", ".join(map(_run_text, runs))


def _run_text(run: Sequence[Sequence[str]]) -> str:
    texts = list(map("/".join, run))
    return f"{texts[0]} to {texts[-1]}" if len(texts) > _MAX_PAIR else ", ".join(texts)


def _continues(run: Sequence[Sequence[str]], choice: Sequence[str]) -> bool:
    """Return whether a choice of types goes on where those of a run end.

    In each of them, the same type has one bit more than in the one before.
    """
    place = _place_of_next(run[-1], choice)
    is_first = len(run) == 1
    return place is not None and (is_first or place == _place_of_next(run[0], run[1]))


def _place_of_next(one: Sequence[str], other: Sequence[str]) -> int | None:
    """Return which type alone has one bit more in the second choice, if one has."""
    if len(one) != len(other):
        return None
    pairs = list(zip(one, other, strict=True))
    places = [place for place, pair in enumerate(pairs) if pair[0] != pair[1]]
    if len(places) != 1:
        return None
    narrow, wide = map(_INTEGER.fullmatch, pairs[places[0]])
    if narrow is None or wide is None or int(wide[1]) != int(narrow[1]) + 1:
        return None
    return places[0]
