"""The search for a counterexample to a pattern on chosen types, by an engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import islice
from operator import or_
from time import monotonic
from typing import Any, Final, NamedTuple

from passgen_tools.verify.counterexample import Assignment, Counterexample
from passgen_tools.verify.graph_evaluation import GraphEvaluation
from passgen_tools.verify.judgements import JudgedError
from passgen_tools.verify.matches import KnownBits, Matches
from passgen_tools.verify.semantics import Truth

TIME_IS_OVER: Final = "the time limit is met"

_MATCHES_AT_ONCE: Final = 64
_DELAY_OF_Z3_S: Final = 1
"""About how long z3 goes on after its own time limit, on products of 64 bits."""


class _Question(NamedTuple):
    """Whether a match is wrong."""

    is_wrong: Truth
    known: list[KnownBits]
    """The attributes of the match."""


@dataclass
class Search:
    """The search for values for which a pattern is wrong."""

    engine: Any
    """z3, or what stands in its place."""

    evaluation: GraphEvaluation
    matches: Matches
    end_s: float
    """The monotonic time at which the time limit is met."""

    def run(self, is_wrong: Truth) -> bool:
        """Search in all matches; return whether there is one.

        Raises:
            NoMatchError: the types match nothing.
            JudgedError: a counterexample was found, or the time limit is met.
        """
        has_match = False
        questions = (self._question(is_wrong, known) for known in self.matches)
        # One question about many matches takes less time than many questions.
        while batch := [*islice(questions, _MATCHES_AT_ONCE)]:
            has_match = True
            self._search_in(batch)
        return has_match

    def _question(self, is_wrong: Truth, known: list[KnownBits]) -> _Question:
        """Return the question whether a match is wrong."""
        # Products of variables that equal constants would be hard to decide.
        pairs = [
            (attribute.bits, self.engine.BitVecVal(attribute.number, attribute.width))
            for attribute in known
        ]
        return _Question(self.engine.substitute(is_wrong, *pairs), known)

    def _search_in(self, batch: Sequence[_Question]) -> None:
        """Search in some matches.

        Raises:
            JudgedError: a counterexample was found, or the time limit is met.
        """
        is_any_wrong = reduce(or_, (question.is_wrong for question in batch))
        if self._model(is_any_wrong) is None:
            return
        for question in batch:
            constants = [
                attribute.bits
                == self.engine.BitVecVal(attribute.number, attribute.width)
                for attribute in question.known
            ]
            model = self._model(question.is_wrong, *constants)
            if model is not None:
                found = self._counterexample(model)
                raise JudgedError("wrong", found.text, found)

    def _model(self, *truths: Truth) -> Any:  # noqa: ANN401 - it may be z3's
        """Return an assignment that makes all true; `None` if there is none.

        Raises:
            JudgedError: the time limit is met.
        """
        check_time(self.end_s)
        solver = self.engine.SolverFor("QF_BV")
        left_s = self.end_s - monotonic()
        asked_s = left_s - min(left_s / 3, _DELAY_OF_Z3_S)
        solver.set("timeout", max(int(asked_s * 1000), 1))
        solver.add(*truths)
        answer = solver.check()
        if answer == self.engine.unknown:
            raise JudgedError("unknown", TIME_IS_OVER)
        return solver.model() if answer == self.engine.sat else None

    def _counterexample(
        self, model: Any  # noqa: ANN401 - it may be z3's
    ) -> Counterexample:
        """Return the pattern with the values of an assignment."""
        evaluation = self.evaluation
        find = partial(model.eval, model_completion=True)
        assignment = Assignment(find, self.engine.is_true)
        values = {
            key: assignment.value(value) for key, value in evaluation.values.items()
        }
        operations = [
            assignment.operation(evaluated, values)
            for evaluated in evaluation.evaluated.values()
        ]
        return Counterexample(
            operations, values, evaluation.replaced, evaluation.problem
        )


def check_time(end_s: float) -> None:
    """Check that a monotonic time is not over.

    Raises:
        JudgedError: it is.
    """
    if monotonic() > end_s:
        raise JudgedError("unknown", TIME_IS_OVER)
