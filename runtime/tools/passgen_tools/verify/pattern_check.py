"""The check of a pattern on all types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib import import_module
from time import monotonic
from typing import Any, Final

from passgen_rules.pattern_functions import ABSENT
from passgen_runtime.patterns import (
    NativeFunctions,
    PatternGraph,
    PatternLibrary,
    TypeNode,
)
from passgen_tools.verify.all_widths import (
    ALL_WIDTHS,
    has_one_open_type,
    is_proof_for_all_widths,
)
from passgen_tools.verify.attributes import AttributeNumbers
from passgen_tools.verify.exhaustion import TooManyBitsError, exhaustion
from passgen_tools.verify.graph_evaluation import GraphEvaluation
from passgen_tools.verify.judgements import (
    JudgedError,
    Judgement,
    NoMatchError,
    Verdict,
)
from passgen_tools.verify.matches import Matches
from passgen_tools.verify.search import Search, check_time
from passgen_tools.verify.type_choices import NARROW_WIDTH, TypeChoice, type_choices

EXHAUSTED_WIDTH: Final = 4
"""The width of types up to which all values are tried."""

WIDE_LIMIT_S: Final = 5
"""The time limit of types of many bits, which solvers may not decide."""

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

    is_alone: bool = True
    """Whether the pattern has no other graphs, which need time, too."""

    wants_unlike_constants: bool = False
    """Whether counterexamples have constants on which nothing folds."""

    _evaluation: GraphEvaluation = field(init=False)
    """The last one."""

    def run(self) -> Iterator[Judgement]:
        """Yield a judgement for all types that match anything.

        After a wrong one, only types with another width of `index` are tried. What is
        not decided on some types may be so on others.

        Raises:
            JudgedError: a type has no semantics.
        """
        choices = type_choices(self.graph, self.library)
        if for_all := self._judgement_of_all_widths(choices):
            yield for_all
            return
        wrong_index_widths: set[int | None] = set()
        for choice in choices:
            if not wrong_index_widths.isdisjoint({None, choice.index_width}):
                continue
            judgement = self._judgement(choice)
            if judgement is None:
                continue
            yield judgement
            if judgement.verdict == "wrong":
                wrong_index_widths.add(choice.index_width)
            if judgement.verdict == "not-checked" or monotonic() > self.end_s:
                return

    def unfolded_counterexamples(self) -> Iterator[Judgement]:
        """Yield wrong judgements for each choice of types of few bits.

        Their counterexamples have constants on which nothing folds, if there are some.
        """
        for choice in type_choices(self.graph, self.library):
            if choice.largest_width > NARROW_WIDTH:
                return
            for self.wants_unlike_constants in (True, False):
                judgement = self._judgement(choice)
                if judgement is not None and judgement.counterexample is not None:
                    yield judgement

    def _judgement_of_all_widths(
        self, choices: Sequence[TypeChoice]
    ) -> Judgement | None:
        """Return the judgement that the pattern is proved for all widths, if it is."""
        if not has_one_open_type(self.graph):
            return None
        for choice in choices:
            if choice.largest_width == 1:
                continue  # the open type must differ from single bits
            judgement = self._judgement(choice)
            if judgement is None:
                continue
            is_proved = judgement.verdict == "proved"
            if is_proved and is_proof_for_all_widths(self._evaluation):
                return judgement._replace(types=ALL_WIDTHS)
            return None
        return None

    def _judgement(self, choice: TypeChoice) -> Judgement | None:
        """Return the judgement about chosen types, `None` if they match nothing."""
        start_s = monotonic()
        verdict: Verdict | None
        reason, counterexample = "", None
        try:
            verdict = self._judge(choice, start_s + self._limit_s(choice))
        except JudgedError as error:
            verdict, reason = error.verdict, error.reason
            counterexample = error.counterexample
        if verdict is None:
            return None
        return Judgement(
            self.graph.name,
            choice.title,
            verdict,
            reason,
            counterexample,
            monotonic() - start_s,
            self.flags,
        )

    @cached_property
    def flags(self) -> str:
        """The flags that the pattern lists, as they are in this graph."""
        shown = [
            f"{variable.name}: {self.graph.values[variable.name] or 'none'}"
            for variable in self.graph.pattern.variables
            if variable.is_flag and variable.where != ABSENT
        ]
        return ", ".join(shown)

    def _limit_s(self, choice: TypeChoice) -> float:
        """Return the time limit for chosen types, so that others have some left."""
        left_s = self.end_s - monotonic()
        if self.is_alone and not self._has_open_types:
            return left_s
        if choice.largest_width > NARROW_WIDTH:
            return min(WIDE_LIMIT_S, left_s)
        return left_s / 2

    @cached_property
    def _has_open_types(self) -> bool:
        nodes = self.graph.all_nodes
        return any(
            isinstance(node, TypeNode) and node.constant is None for node in nodes
        )

    def _judge(self, choice: TypeChoice, end_s: float) -> Verdict | None:
        """Return the verdict about chosen types, `None` if they match nothing.

        Args:
            choice: of the types.
            end_s: the monotonic time at which their time limit is met.

        Raises:
            JudgedError: it is not proved.
        """
        if choice.largest_width <= EXHAUSTED_WIDTH:
            for num_free_bits in NUM_FREE_BITS:
                with suppress(TooManyBitsError):
                    return self._judge_by(exhaustion(num_free_bits), choice, end_s)
        return self._judge_by(_import_z3(), choice, end_s)

    def _judge_by(
        self,
        engine: Any,  # noqa: ANN401 - it may be z3
        choice: TypeChoice,
        end_s: float,
    ) -> Verdict | None:
        check_this_time = partial(check_time, end_s)
        numbers = AttributeNumbers(self.library)
        evaluation = GraphEvaluation(
            engine,
            self.graph,
            choice.types,
            self.semantics,
            numbers,
            check_this_time,
        )
        self._evaluation = evaluation
        try:
            is_wrong = evaluation.is_wrong()
            if self.wants_unlike_constants:
                is_wrong &= evaluation.has_unlike_constants()
            matches = Matches(
                self.graph,
                self.functions,
                choice.types,
                evaluation.values,
                numbers,
                check_this_time,
            )
            is_narrow = choice.largest_width <= NARROW_WIDTH
            search = Search(engine, evaluation, matches, end_s, is_narrow)
            has_match = search.run(is_wrong)
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
