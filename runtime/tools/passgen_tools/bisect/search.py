"""Binary search for the first bad state among states that are judged one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from math import log2
from typing import TypeAlias

from passgen_runtime.errors import PassError
from passgen_tools.check_command import Verdict

Judge: TypeAlias = Callable[[int], Verdict]
"""Judges the state with this number."""


class BisectError(PassError):
    """The culprit cannot be found."""


class FlakyCheckError(BisectError):
    """The verdicts of a check contradict one another."""


def find_ends(judge: Judge, last: int) -> dict[int, Verdict]:
    """Return the verdicts about the first and the last state, and about others.

    If an end cannot be judged, states between are, those in the middle of the widest
    gaps first, until one is good and a later one bad, or all are judged.
    """
    verdicts: dict[int, Verdict] = {0: judge(0)}
    if verdicts[0] == "bad":
        return verdicts
    verdicts[last] = judge(last)
    low, high = 0, last
    while verdicts[high] != "good" and "skip" in {verdicts[low], verdicts[high]}:
        between = [state for state in sorted(verdicts) if low <= state <= high]
        gaps = pairwise(between)
        before, after = max(gaps, key=lambda gap: gap[1] - gap[0])
        if before + 1 == after:
            break
        state = (before + after) // 2
        verdicts[state] = judge(state)
        if verdicts[state] == "good":
            low = state
        elif verdicts[state] == "bad":
            high = state
    return verdicts


class Search:
    """A search among states, the first of which are good, and the last ones bad."""

    def __init__(
        self, judge: Judge, last: int, verdicts: Mapping[int, Verdict] | None = None
    ) -> None:
        """Search with `judge`, which judges each state at most once.

        Args:
            judge: judges states.
            last: the last state; the first is 0.
            verdicts: those that are known, a good one and a later bad one among them;
                by default, the first state is good and the last one bad.
        """
        self._judge = judge
        self.verdicts = dict(verdicts or {0: "good", last: "bad"})
        states = self.verdicts.items()
        self.good = max(state for state, verdict in states if verdict == "good")
        self.bad = min(state for state, verdict in states if verdict == "bad")
        self._max_probes = int(log2(last)) if last else 0

    def run(self, *, max_skips: int | None = None) -> bool:
        """Search until good and bad are neighbours; return whether they are.

        The next state is in the middle of the widest gap between states that cannot be
        judged, which are often next to each other.

        Args:
            max_skips: gives up after so many states that cannot be judged.
        """
        skips = {state for state in self.verdicts if self.verdicts[state] == "skip"}
        num_known = len(skips)
        while True:
            between = [state for state in skips if self.good < state < self.bad]
            width, state = max(
                (high - low, (low + high) // 2)
                for low, high in pairwise(sorted((self.good, *between, self.bad)))
            )
            if width == 1:
                return self.good + 1 == self.bad
            if max_skips is not None and len(skips) - num_known >= max_skips:
                return False
            verdict = self._verdict(state)
            if verdict == "good":
                self.good = state
            elif verdict == "bad":
                self.bad = state
            else:
                skips.add(state)

    def contradiction(self) -> int | None:
        """Return a state whose verdict contradicts the result, if one is found.

        The search judges few states far from the result. This judges at most as many
        further states, in the middle of the widest gaps.
        """
        for _ in range(self._max_probes):
            judged = sorted(self.verdicts)
            gaps = [
                (high - low, (high + low) // 2)
                for low, high in pairwise(judged)
                if (low, high) != (self.good, self.bad)
            ]
            width, state = max(gaps, default=(0, 0))
            if width < 2:  # noqa: PLR2004 - neighbours
                break
            expected = "good" if state < self.good else "bad"
            if self._verdict(state) not in {expected, "skip"}:
                return state
        return None

    def _verdict(self, state: int) -> Verdict:
        verdict = self.verdicts[state] = self._judge(state)
        return verdict
