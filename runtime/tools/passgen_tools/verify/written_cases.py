"""The counterexamples that a test shows: the pattern is applied to them.

Before the greedy driver applies patterns, it folds: what a counterexample of one bit
matches may be gone by then. Others are tried in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby
from operator import attrgetter
from time import monotonic
from typing import Final

from passgen_runtime.context import Context
from passgen_runtime.patterns import PatternApplier, PatternGraph, Patterns
from passgen_tools.verify.counterexample_tests import WrittenCase
from passgen_tools.verify.judgements import JudgedError, Judgement
from passgen_tools.verify.pattern_verdicts import PatternVerdicts
from passgen_tools.verify.verification import PassCheck

_IS_NOT_APPLIED: Final = (
    "the pattern is not applied here, so that its fault does not show: what it matches"
    " folds, or another pattern changes it first; no other counterexample was found"
)


def written_cases(
    verdicts: Iterable[PatternVerdicts], context: Context, timeout_s: float
) -> Iterator[WrittenCase]:
    """Yield a case for each counterexample, another one where it folds, each once.

    Args:
        verdicts: about patterns; those that are not wrong have no counterexample.
        context: of the IR library.
        timeout_s: the time limit for the search for another counterexample.

    Raises:
        PassError: a function is missing.
    """
    for pass_class, rows in groupby(verdicts, attrgetter("pass_class")):
        finder = _CaseFinder(pass_class, PassCheck.of(pass_class, context, timeout_s))
        seen: set[str] = set()
        for row in rows:
            for judgement in row.judgements:
                if judgement.counterexample is None:
                    continue
                case = finder.case(row, judgement)
                if case.name not in seen:
                    yield case
                seen.add(case.name)


@dataclass
class _CaseFinder:
    """Finds counterexamples to which the driver of a pass applies its patterns."""

    pass_class: type[Patterns]
    check: PassCheck

    def case(self, row: PatternVerdicts, judgement: Judgement) -> WrittenCase:
        """Return the case of a wrong judgement."""
        assert judgement.counterexample is not None
        first = WrittenCase(row.place, judgement, judgement.counterexample)
        for case in chain([first], self._other_cases(row, judgement)):
            if self._is_applied(case):
                return case
        return first._replace(note=_IS_NOT_APPLIED)

    def _other_cases(
        self, row: PatternVerdicts, judgement: Judgement
    ) -> Iterator[WrittenCase]:
        end_s = monotonic() + self.check.timeout_s
        for graph in self._graphs:
            check = self.check.check(graph, end_s)
            if graph.name != row.name or check.flags != judgement.flags:
                continue
            with suppress(JudgedError):  # the first judgement says what is wrong
                for other in check.unfolded_counterexamples():
                    assert other.counterexample is not None
                    yield WrittenCase(row.place, other, other.counterexample)

    def _is_applied(self, case: WrittenCase) -> bool:
        """Return whether the driver of the pass applies the pattern to a case."""
        counts = {graph.name: 0 for graph in self._graphs}
        # A function in Python may fail, and what is made may be invalid.
        with suppress(Exception, SystemExit):
            module = self.check.library.context.parse(case.function, "a counterexample")
            self._applier.apply(module, counts, None)
        return counts[case.judgement.pattern] > 0

    @cached_property
    def _graphs(self) -> list[PatternGraph]:
        """The graphs of the patterns that can be read."""
        graphs: list[PatternGraph] = []
        for pattern in self.pass_class.patterns:
            with suppress(Exception):
                graphs += self.check.read(pattern)
        return graphs

    @cached_property
    def _applier(self) -> PatternApplier:
        return self.check.applier(self._graphs, self.pass_class.pattern_driver)
