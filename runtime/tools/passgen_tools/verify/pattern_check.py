"""The check of a pattern on all types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Final

from passgen_runtime.patterns import NativeFunctions, PatternGraph, PatternLibrary
from passgen_tools.verify.attributes import AttributeNumbers
from passgen_tools.verify.exhaustion import TooManyBitsError, exhaustion
from passgen_tools.verify.graph_evaluation import GraphEvaluation
from passgen_tools.verify.judgements import (
    FAILURES,
    JudgedError,
    Judgement,
    NoMatchError,
    Verdict,
)
from passgen_tools.verify.matches import Matches
from passgen_tools.verify.search import Search, check_time
from passgen_tools.verify.type_choices import TypeChoice, type_choices

EXHAUSTED_WIDTH: Final = 4
"""The width of types up to which all values are tried."""

NUM_FREE_BITS: Final = 12, 16, 20, 24
"""How many bits may be free then: few in short tables first."""


@dataclass
class PatternCheck:
    """The check of a pattern."""

    library: PatternLibrary
    graph: PatternGraph
    functions: NativeFunctions
    semantics: Mapping[str, Callable[..., object]]
    """The functions of operations of its own, by name."""

    end_s: float
    """The monotonic time at which the time limit of the pattern is met."""

    def run(self) -> Iterator[Judgement]:
        """Yield a judgement for all types that match anything; a wrong one is last.

        Raises:
            JudgedError: a type has no semantics.
        """
        for choice in type_choices(self.graph, self.library):
            judgement = self._judgement(choice)
            if judgement is None:
                continue
            yield judgement
            if judgement.verdict in FAILURES:
                return

    def _judgement(self, choice: TypeChoice) -> Judgement | None:
        """Return the judgement about chosen types, `None` if they match nothing."""
        name, types = self.graph.name, choice.title
        try:
            verdict = self._judge(choice)
        except JudgedError as error:
            return Judgement(
                name, types, error.verdict, error.reason, error.counterexample
            )
        return Judgement(name, types, verdict) if verdict else None

    def _judge(self, choice: TypeChoice) -> Verdict | None:
        """Return the verdict about chosen types, `None` if they match nothing.

        Raises:
            JudgedError: it is not proved.
        """
        if choice.largest_width <= EXHAUSTED_WIDTH:
            for num_free_bits in NUM_FREE_BITS:
                with suppress(TooManyBitsError):
                    return self._judge_by(exhaustion(num_free_bits), choice)
        return self._judge_by(_import_z3(), choice)

    def _judge_by(
        self, engine: Any, choice: TypeChoice  # noqa: ANN401 - it may be z3
    ) -> Verdict | None:
        check_this_time = partial(check_time, self.end_s)
        numbers = AttributeNumbers(self.library)
        evaluation = GraphEvaluation(
            engine,
            self.graph,
            choice.types,
            self.semantics,
            numbers,
            check_this_time,
        )
        try:
            is_wrong = evaluation.is_wrong()
            matches = Matches(
                self.graph,
                self.functions,
                choice.types,
                evaluation.values,
                numbers,
                check_this_time,
            )
            has_match = Search(engine, evaluation, matches, self.end_s).run(is_wrong)
        except NoMatchError:
            return None
        if not has_match:
            return None
        return "proved" if matches.are_all else "proved-for-constants"


def _import_z3() -> Any:  # noqa: ANN401 - z3 has no types
    """Return the module.

    Raises:
        JudgedError: it is not installed.
    """
    try:
        return import_module("z3")
    except Exception as error:
        what = f"types of more than {EXHAUSTED_WIDTH} bits, or too many operands,"
        reason = f"{what} need z3: install 'mlir-passgen-tools[verify]' ({error})"
        raise JudgedError("not-checked", reason) from error
