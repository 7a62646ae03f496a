"""The search for a counterexample to a pattern on chosen types, by an engine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import islice
from math import prod
from operator import or_
from time import monotonic
from typing import Any, Final, NamedTuple

from passgen_runtime.patterns import OperandNode
from passgen_tools.verify.attributes import NUM_CHOICES, flags_text
from passgen_tools.verify.counterexample import Assignment, Counterexample, WrongFlags
from passgen_tools.verify.graph_evaluation import GraphEvaluation
from passgen_tools.verify.judgements import JudgedError
from passgen_tools.verify.matches import KnownBits, Matches
from passgen_tools.verify.semantics import Truth, Value

TIME_IS_OVER: Final = "the time limit is met"

_MATCHES_AT_ONCE: Final = 64
_SMALL_NUMBERS: Final = 2, 4, 16, 256, 1 << 16
"""The bounds within which a counterexample on types of many bits is looked for."""

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

    is_narrow: bool
    """Whether all types have few bits, so that searches take no time."""

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
            truths = [question.is_wrong, *constants]
            model = self._model(*truths)
            if model is not None:
                found = self._smallest(model, truths)
                raise JudgedError("wrong", found.text, found)

    def _smallest(
        self, model: Any, truths: Sequence[Truth]  # noqa: ANN401 - it may be z3's
    ) -> Counterexample:
        """Return the counterexample with the fewest flags.

        On types of many bits, it is one with small numbers; without time for either,
        it is that of `model`.

        Args:
            model: an assignment for which the pattern is wrong.
            truths: what holds of each such assignment.
        """
        if not self.is_narrow:
            return self._counterexample(self._small_model(truths) or model)
        flags = self.evaluation.attributes.free_flags
        if not flags:
            return self._counterexample(model)
        try:
            models = self._models_by_flags(model, truths)
        except JudgedError:
            return self._counterexample(model)
        in_order = sorted(models, key=_number_of_flags)
        smallest = self._counterexample(models[in_order[0]])
        return replace(smallest, flags=_wrong_flags(flags, in_order))

    def _small_model(
        self, truths: Sequence[Truth]
    ) -> Any:  # noqa: ANN401 - it may be z3's
        """Return an assignment in which operands and attributes are small numbers.

        `None` if there is none, or if the time limit is met before one is found.
        """
        inputs = [
            value.bits
            for (node, part), value in self.evaluation.values.items()
            if isinstance(node, OperandNode) or isinstance(part, str)
        ]
        for bound in _SMALL_NUMBERS:
            limits = [
                limit
                for bits in inputs
                if bits.size() > bound.bit_length()
                for limit in (bits < bound, bits >= -bound)
            ]
            with suppress(JudgedError):
                model = self._model(*truths, *limits)
                if model is not None:
                    return model
        return None

    def _models_by_flags(
        self, model: Any, truths: Sequence[Truth]  # noqa: ANN401 - it may be z3's
    ) -> dict[tuple[int, ...], Any]:
        """Return an assignment for all flags for which the pattern is wrong.

        Raises:
            JudgedError: the time limit is met.
        """
        flags = [value for _, value in self.evaluation.attributes.free_flags]
        models: dict[tuple[int, ...], Any] = {}
        other_flags: list[Truth] = []
        while model is not None:
            numbers = self._numbers(model, flags)
            models[numbers] = model
            is_same = self.engine.BoolVal(1)
            for value, number in zip(flags, numbers, strict=True):
                is_same &= value.bits == number
            other_flags.append(self.engine.Not(is_same))
            model = self._model(*truths, *other_flags)
        return models

    def _numbers(
        self, model: Any, values: Sequence[Value]  # noqa: ANN401 - it may be z3's
    ) -> tuple[int, ...]:
        """Return the numbers, without signs, that values have in an assignment."""
        return tuple(
            model.eval(value.bits, model_completion=True).as_signed_long()
            % (1 << value.type.width)
            for value in values
        )

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


def _number_of_flags(numbers: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """Return a key by which combinations with few flags come first."""
    return sum(number.bit_count() for number in numbers), numbers


def _wrong_flags(
    flags: Sequence[tuple[str, Value]], combinations: Sequence[tuple[int, ...]]
) -> WrongFlags:
    """Return the flags for which a pattern is wrong, given their numbers."""
    types = [value.type for _, value in flags]
    texts = [
        [
            flags_text(number, type_)
            for number, type_ in zip(numbers, types, strict=True)
        ]
        for numbers in combinations
    ]
    num_all = prod(NUM_CHOICES[type_.text] for type_ in types)
    return WrongFlags([label for label, _ in flags], texts, num_all)
