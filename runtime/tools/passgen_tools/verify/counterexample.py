"""Counterexamples: a pattern as IR, with values for which it is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from passgen_runtime.patterns import Node, OperationNode
from passgen_tools.verify.attributes import attribute_text
from passgen_tools.verify.semantics import Truth, Type, Value

Key: TypeAlias = tuple[Node, int | str]
"""An operand, a result by its number, or an attribute by its name."""

POISON: Final = "poison"
_MAX_COMBINATIONS: Final = 16
"""So many combinations of flags are listed."""


class EvaluatedOperation(NamedTuple):
    """An operation of a pattern, for all values at once."""

    operation: OperationNode
    operands: list[Key]
    attributes: list[Key]
    results: list[Key]

    undefined: Truth
    """Whether its behavior is undefined."""


class KnownValue(NamedTuple):
    """The value of an operand, a result or an attribute in a counterexample."""

    text: str
    """An attribute, empty if there is none, or `poison`."""

    type: Type


@dataclass(frozen=True)
class KnownOperation:
    """An operation in a counterexample."""

    name: str
    is_new: bool
    operands: Sequence[Key]
    attributes: Mapping[str, str]
    """The texts of the attributes that it has."""

    results: Sequence[Key]
    is_undefined: bool
    """Whether its behavior is undefined."""


@dataclass(frozen=True)
class WrongFlags:
    """The combinations of flags and predicates for which a pattern is wrong."""

    names: Sequence[str]
    combinations: Sequence[Sequence[str]]
    """Flags in the order of `names`, those with few flags first."""

    num_all: int
    """The number of all combinations."""

    @property
    def are_all(self) -> bool:
        """Whether the pattern is wrong whatever the flags are."""
        return len(self.combinations) == self.num_all

    def __str__(self) -> str:
        """Return a sentence."""
        number = len(self.combinations)
        listed = "; ".join(
            ", ".join(
                f"{name}: {flags}"
                for name, flags in zip(self.names, combination, strict=True)
            )
            for combination in self.combinations[:_MAX_COMBINATIONS]
        )
        more = "; ..." if number > _MAX_COMBINATIONS else ""
        return f"wrong for {number} of {self.num_all} choices of flags: {listed}{more}"


@dataclass(frozen=True)
class Counterexample:
    """The operations of a pattern, with values for which it is wrong."""

    operations: Sequence[KnownOperation]
    values: Mapping[Key, KnownValue]
    replaced: Sequence[tuple[Key, Key]]
    """Results of the root, each with the value that replaces it."""

    problem: str = ""
    """Why the IR that is made is invalid; empty if it is not."""

    flags: WrongFlags | None = None
    """The flags for which the pattern is wrong on these types, if flags vary."""

    @property
    def text(self) -> str:
        """The operations as IR, with their results as comments."""
        lines = list(_Printer(self).lines())
        if self.problem:
            lines.append(f"// {self.problem}")
        if self.flags and not self.flags.are_all:
            lines.append(f"// {self.flags}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Assignment:
    """Values of all free bits, which an engine found."""

    find: Callable[[Any], Any]
    """Returns what bits or a truth are in the assignment."""

    is_true: Callable[[Any], bool]
    """Returns whether such a truth is true."""

    def holds(self, truth: Truth) -> bool:
        """Return whether `truth` is true."""
        return self.is_true(self.find(truth))

    def value(self, value: Value) -> KnownValue:
        """Return a value as a text."""
        if self.holds(value.poison):
            return KnownValue(POISON, value.type)
        number = self.find(value.bits).as_signed_long()
        return KnownValue(attribute_text(number, value.type), value.type)

    def operation(
        self, evaluated: EvaluatedOperation, values: Mapping[Key, KnownValue]
    ) -> KnownOperation:
        """Return an operation with the attributes that it has."""
        shown: dict[str, str] = {}
        for key in evaluated.attributes:
            if text := values[key].text:
                shown[str(key[1])] = text
        return KnownOperation(
            name=evaluated.operation.operation,
            is_new=evaluated.operation.is_new,
            operands=evaluated.operands,
            attributes=shown,
            results=evaluated.results,
            is_undefined=self.holds(evaluated.undefined),
        )


class _Printer:
    """Prints a counterexample; values are numbered as they come."""

    def __init__(self, shown: Counterexample) -> None:
        self._shown = shown
        self._names: dict[Key, str] = {}

    def lines(self) -> Iterator[str]:
        """Yield the operations, each behind its operands, then what is replaced."""
        for operation in self._shown.operations:
            for key in operation.operands:
                if key not in self._names:
                    yield self._operand(key)
            yield self._operation(operation)
        for old, new in self._shown.replaced:
            yield f"// {self._names[new]} replaces {self._names[old]}"

    def _new_name(self) -> str:
        return f"%{len(self._names)}"

    def _operand(self, key: Key) -> str:
        """Return an operation that defines an operand."""
        value = self._shown.values[key]
        self._names[key] = self._new_name()
        if value.text == POISON:
            return f"{self._names[key]} = ub.poison : {value.type.text}"
        return f"{self._names[key]} = arith.constant {value.text}"

    def _operation(self, operation: KnownOperation) -> str:
        operands = ", ".join(self._names[key] for key in operation.operands)
        attributes = ", ".join(
            f"{name} = {text}" for name, text in operation.attributes.items()
        )
        types = (
            f"({self._types(operation.operands)}) -> {self._result_types(operation)}"
        )
        return (
            f'{self._name_results(operation)} = "{operation.name}"({operands})'
            f" {{{attributes}}} : {types}  // {self._outcome(operation)}"
        )

    def _name_results(self, operation: KnownOperation) -> str:
        """Name the results of an operation; return their definition."""
        name, count = self._new_name(), len(operation.results)
        if count == 1:
            self._names[operation.results[0]] = name
            return name
        for index, key in enumerate(operation.results):
            self._names[key] = f"{name}#{index}"
        return f"{name}:{count}"

    def _result_types(self, operation: KnownOperation) -> str:
        types = self._types(operation.results)
        return types if len(operation.results) == 1 else f"({types})"

    def _types(self, keys: Sequence[Key]) -> str:
        return ", ".join(self._shown.values[key].type.text for key in keys)

    def _outcome(self, operation: KnownOperation) -> str:
        """Return what an operation returns, or that its behavior is undefined."""
        if operation.is_undefined:
            return "undefined behavior"
        return ", ".join(self._shown.values[key].text for key in operation.results)
