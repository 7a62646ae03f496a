"""Patterns for which a proof on one width is a proof on all.

- *Bitwise* patterns: bit `k` of each value depends on bit `k` of others alone. If one
  is wrong for values of any width, it is wrong for values that repeat a bit of these.
- *Identities of rings*: sums, differences and products that are equal as polynomials
  over the integers are equal modulo each power of two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from passgen_rules.pattern_functions import CONSTANT_FUNCTIONS
from passgen_runtime.patterns import (
    AttributeNode,
    EqualsLiteral,
    IsWidthDifference,
    MadeNode,
    MakeConstant,
    MakeLiteral,
    Node,
    OperationNode,
    PatternGraph,
    TypeNode,
)
from passgen_tools.verify.counterexample import EvaluatedOperation, Key
from passgen_tools.verify.graph_evaluation import GraphEvaluation

ALL_WIDTHS: Final = "all widths"

_BIT: Final = "i1"
_BITWISE: Final = frozenset(
    f"arith.{name}" for name in ("andi", "bitcast", "ori", "select", "xori")
) | {"ub.poison"}
_REPEATED: Final = frozenset({0, -1})
"""The literals whose bits are equal."""


class NotGeneralError(Exception):
    """A proof on one width says nothing about others."""


def has_one_open_type(graph: PatternGraph) -> bool:
    """Return whether a pattern is about values of one open type, and of single bits.

    Functions in Python may look at the type, and so does `isWidthDifference`.
    """
    for condition in graph.conditions:
        if condition.is_negated or isinstance(condition.test, IsWidthDifference):
            return False
    types = [node for node in graph.all_nodes if isinstance(node, TypeNode)]
    are_open = [type_ for type_ in types if type_.constant is None]
    constant = {str(type_.constant) for type_ in types if type_.constant is not None}
    return len(are_open) == 1 and constant <= {_BIT} and not any(graph.natives)


def is_proof_for_all_widths(evaluation: GraphEvaluation) -> bool:
    """Return whether a pattern that is proved for a width is proved for all.

    Args:
        evaluation: of a pattern with one open type, on a type of two or more bits.
    """
    names = {operation.operation for operation in evaluation.evaluated}
    if not names.isdisjoint(evaluation.semantics):
        return False  # the pass gives them another meaning
    return _is_bitwise(evaluation) or _is_identity_of_rings(evaluation)


def _constants(graph: PatternGraph) -> Mapping[Node, int]:
    """Return the numbers that literals of the open type stand for."""
    numbers: dict[Node, int] = {}
    for condition in graph.conditions:
        if isinstance(condition.test, EqualsLiteral):
            numbers[condition.arguments[0]] = int(condition.test.number)
    for call in graph.calls:
        if isinstance(call.function, MakeLiteral):
            numbers[call.results[0]] = int(call.function.number)
    return numbers


# Bitwise patterns


def _is_bitwise(evaluation: GraphEvaluation) -> bool:
    """Return whether each bit of a value depends on the same bit of others alone."""
    literals = _constants(evaluation.graph)
    return all(
        _is_bitwise_operation(evaluation, operation, literals)
        for operation in evaluation.evaluated.values()
    )


def _is_bitwise_operation(
    evaluation: GraphEvaluation,
    operation: EvaluatedOperation,
    literals: Mapping[Node, int],
) -> bool:
    values = [*operation.operands, *operation.results]
    types = {evaluation.values[key].type.text for key in values}
    if types == {_BIT}:
        return True  # whatever the open type is
    if operation.operation.operation != "arith.constant":
        return operation.operation.operation in _BITWISE
    ((source, _),) = operation.attributes
    if source in literals:
        return literals[source] in _REPEATED
    return isinstance(source, AttributeNode) and source.constant is None


# Identities of rings


@dataclass(frozen=True)
class _Polynomial:
    """A polynomial over the integers."""

    terms: Mapping[tuple[int, ...], int]
    """The coefficients other than 0, by the sorted numbers of their variables."""

    @classmethod
    def of_number(cls, number: int) -> _Polynomial:
        return cls({(): number} if number else {})

    def __add__(self, other: _Polynomial) -> _Polynomial:
        total = Counter(self.terms)
        total.update(other.terms)
        return _Polynomial({term: number for term, number in total.items() if number})

    def __sub__(self, other: _Polynomial) -> _Polynomial:
        return self + other * _Polynomial.of_number(-1)

    def __mul__(self, other: _Polynomial) -> _Polynomial:
        total = Counter[tuple[int, ...]]()
        for term, number in self.terms.items():
            for other_term, other_number in other.terms.items():
                product = tuple(sorted((*term, *other_term)))
                total[product] += number * other_number
        return _Polynomial({term: number for term, number in total.items() if number})


_RING: Final[Mapping[str, Callable[[_Polynomial, _Polynomial], _Polynomial]]] = {
    "arith.addi": lambda one, other: one + other,
    "arith.addui_extended": lambda one, other: one + other,
    "arith.subi": lambda one, other: one - other,
    "arith.muli": lambda one, other: one * other,
    "arith.mulsi_extended": lambda one, other: one * other,
    "arith.mului_extended": lambda one, other: one * other,
}
"""What the first result of an operation is."""


@dataclass
class _Ring:
    """The values of a pattern as polynomials of its operands and constants."""

    evaluation: GraphEvaluation

    def __post_init__(self) -> None:
        """Prepare the constants."""
        graph = self.evaluation.graph
        self._literals = _constants(graph)
        self._calls = {made: call for call in graph.calls for made in call.results}
        self._variables: dict[object, int] = {}
        """The numbers of operands, and of attributes that vary."""

    def variable(self, part: object) -> _Polynomial:
        """Return the variable that stands for an operand or an attribute."""
        number = self._variables.setdefault(part, len(self._variables))
        return _Polynomial({(number,): 1})

    def value(self, key: Key) -> tuple[_Polynomial, frozenset[Key]]:
        """Return a value, and the operands whose poison it gets.

        Raises:
            NotGeneralError: it is no polynomial, or has flags that matter.
        """
        source, index = key
        if not isinstance(source, OperationNode):
            return self.variable(key), frozenset([key])
        operation = self.evaluation.evaluated[source]
        self._check_flags(operation)
        if source.operation == "arith.constant":
            ((attribute, _),) = operation.attributes
            return self.attribute(attribute), frozenset()
        if source.operation not in _RING or index != 0:
            raise NotGeneralError
        (one, of_one), (other, of_other) = map(self.value, operation.operands)
        return _RING[source.operation](one, other), of_one | of_other

    def _check_flags(self, operation: EvaluatedOperation) -> None:
        """Check that a new operation makes no poison.

        That of an operation that is matched only allows more.
        """
        for source, name in operation.attributes:
            is_shown = source is not operation.operation
            if operation.operation.is_new and is_shown and name == "overflowFlags":
                raise NotGeneralError

    def attribute(self, source: Node) -> _Polynomial:
        """Return a constant.

        Raises:
            NotGeneralError: it is one of a type.
        """
        if source in self._literals:
            return _Polynomial.of_number(self._literals[source])
        if isinstance(source, MadeNode):
            call = self._calls[source]
            if isinstance(call.function, MakeConstant):
                function = CONSTANT_FUNCTIONS[call.function.name]
                if function.kind == "integer":
                    made: _Polynomial = function.apply(
                        *map(self.attribute, call.arguments)
                    )
                    return made
        elif isinstance(source, AttributeNode) and source.constant is None:
            return self.variable(source)
        raise NotGeneralError


def _is_identity_of_rings(evaluation: GraphEvaluation) -> bool:
    """Return whether what replaces results are the same polynomials."""
    ring = _Ring(evaluation)
    try:
        for old_key, new_key in evaluation.replaced:
            old, poison_of_old = ring.value(old_key)
            new, poison_of_new = ring.value(new_key)
            if old != new or not poison_of_new <= poison_of_old:
                return False
    except (NotGeneralError, TypeError):  # functions that polynomials lack
        return False
    names = {node.operation for node in evaluation.evaluated if node.is_new}
    return names <= _RING.keys() | {"arith.constant"}
