"""Binary search for the first bad state among states that are judged one by one."""

from __future__ import annotations

from collections.abc import Callable
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


class Search:
    """A search among the states 0, which is good, to `last`, which is bad."""

    def __init__(self, judge: Judge, last: int) -> None:
        """Search with `judge`, which judges each state at most once."""
        self._judge = judge
        self.verdicts: dict[int, Verdict] = {0: "good", last: "bad"}
        self.good, self.bad = 0, last
        self._max_probes = int(log2(last)) if last else 0

    def run(self, *, max_skips: int | None = None) -> bool:
        """Search until good and bad are neighbours; return whether they are.

        Args:
            max_skips: gives up after so many states that cannot be judged.
        """
        skips: set[int] = set()
        while candidates := [
            state for state in range(self.good + 1, self.bad) if state not in skips
        ]:
            if max_skips is not None and len(skips) >= max_skips:
                return False
            middle = (self.good + self.bad) / 2
            state = min(candidates, key=lambda state: abs(state - middle))
            verdict = self._verdict(state)
            if verdict == "good":
                self.good = state
            elif verdict == "bad":
                self.bad = state
            else:
                skips.add(state)
        return self.good + 1 == self.bad

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
