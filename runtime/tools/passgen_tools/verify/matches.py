"""The constants for which the functions in Python of a pattern let it match.

They need constants: they are called with one after the other. Functions of the pattern
language are terms, see `constant_terms`; they are called only where a function in
Python depends on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple, NoReturn

from passgen_runtime.errors import text_of
from passgen_runtime.patterns import (
    AttributeNode,
    Call,
    Condition,
    EqualsLiteral,
    HasUses,
    LacksAttribute,
    Native,
    NativeFunctions,
    Node,
    PatternGraph,
)
from passgen_tools.verify import attributes
from passgen_tools.verify.attribute_values import checked_number
from passgen_tools.verify.attributes import AttributeNumbers
from passgen_tools.verify.counterexample import Key
from passgen_tools.verify.judgements import JudgedError
from passgen_tools.verify.semantics import Bits, Type, Value


class KnownBits(NamedTuple):
    """The bits of an attribute, and the number that they are."""

    bits: Bits
    number: int
    width: int


class _NoRewriter:
    """The rewriter that functions get, of which they must not use anything."""

    def __getattr__(self, name: str) -> NoReturn:
        raise JudgedError("not-checked", f"a rewrite uses '{name}' of its rewriter")


@dataclass
class Matches:
    """The matches of a pattern on chosen types: one if it calls nothing in Python."""

    graph: PatternGraph
    functions: NativeFunctions
    types: Mapping[Node, Type]
    values: Mapping[Key, Value]
    """What the pattern was evaluated to."""

    numbers: AttributeNumbers
    check_time: Callable[[], None]
    """Raises an exception once the time limit is met; called before each match."""

    @property
    def are_all(self) -> bool:
        """Whether all constants are tried, not some of many."""
        return all(
            type_.width <= attributes.FULL_WIDTH
            for node, type_ in self._tried.items()
            if node not in self._literals
        )

    def __iter__(self) -> Iterator[list[KnownBits]]:
        """Yield the attributes of each match that functions get or make.

        Raises:
            JudgedError: a function fails, or makes an attribute of a wrong kind.
        """
        constants = self._constants()
        choices = [
            self.numbers.attributes(self._candidates(node), type_)
            for node, type_ in self._tried.items()
        ]
        for chosen in product(*choices):
            self.check_time()
            objects = {**constants, **dict(zip(self._tried, chosen, strict=True))}
            if self._matches(objects):
                yield self._known_bits(objects)

    def _constants(self) -> dict[Node, Any]:
        """Return the attributes and types that are the same in each match."""
        constants: dict[Node, Any] = {}
        for node in self.graph.all_nodes:
            if isinstance(node, AttributeNode) and node.constant is not None:
                constants[node] = node.constant
        for node, type_ in self.types.items():
            constants[node] = self.numbers.library.parse_type(type_.text)
        return constants

    # The constants to try.

    @cached_property
    def _calls(self) -> list[Condition | Call]:
        """The calls of functions in Python, and of others that get or give the same.

        Constraints come first.
        """
        needed: set[Node] = set()
        for _, _, native_call in self.graph.natives:
            needed.update(native_call.arguments)
        kept_calls: list[Condition | Call] = []
        for call in reversed(list(self.graph.calls)):
            is_native = isinstance(call.function, Native)
            if is_native or needed.intersection(call.results):
                needed.update(call.arguments)
                kept_calls.insert(0, call)
        constraints = [
            condition
            for condition in self.graph.conditions
            if isinstance(condition.test, Native)
            or (
                not isinstance(condition.test, HasUses | LacksAttribute)
                and needed.issuperset(condition.arguments)
            )
        ]
        return [*constraints, *kept_calls]

    @cached_property
    def _tried(self) -> dict[Node, Type]:
        """The types of the attributes that functions in Python get."""
        given = {argument for call in self._calls for argument in call.arguments}
        return {
            source: value.type
            for (source, _), value in self.values.items()
            if source in given
            and isinstance(source, AttributeNode)
            and source.constant is None
        }

    @cached_property
    def _literals(self) -> dict[Node, int]:
        """The numbers of the attributes that a literal stands for."""
        return {
            condition.arguments[0]: condition.test.number
            for condition in self.graph.conditions
            if isinstance(condition.test, EqualsLiteral)
            and isinstance(condition.test.number, int)
        }

    def _candidates(self, node: Node) -> Sequence[int]:
        """Return the numbers to try for an attribute."""
        return attributes.candidates(self._tried[node], self._literals.get(node))

    # The calls of functions.

    def _matches(self, objects: dict[Node, Any]) -> bool:
        """Return whether all constraints hold; keep what rewrites return."""
        return all(self._call(call, objects) for call in self._calls)

    def _call(self, call: Condition | Call, objects: dict[Node, Any]) -> bool:
        """Return whether a constraint holds; keep what a rewrite returns.

        Raises:
            JudgedError: the function fails.
        """
        name = call.test if isinstance(call, Condition) else call.function
        given = [objects.get(argument) for argument in call.arguments]
        if any(argument is None for argument in given):
            reason = f"'{name}' gets more than attributes and types"
            raise JudgedError("not-checked", reason)
        try:
            if isinstance(call, Condition):
                holds = self.functions.test(call.test)(*given)
                return bool(holds) != call.is_negated
            results = self._results(call, given)
        except JudgedError:
            raise
        except (Exception, SystemExit) as error:
            what = f"'{name}' fails for {', '.join(map(str, given))}"
            reason = f"{what}: {type(error).__name__}: {text_of(error)}"
            raise JudgedError("wrong", reason) from error
        objects |= zip(call.results, results, strict=False)
        return True

    def _results(self, call: Call, given: Sequence[Any]) -> Sequence[Any]:
        """Return the results of a rewrite, of whatever class; `None` becomes a text."""
        if not isinstance(call.function, Native):
            return [call.function.apply(self.numbers.library, *given)]
        function = self.functions.rewrites[call.function.name]
        returned = function(_NoRewriter(), *given)
        results = returned if isinstance(returned, tuple) else (returned,)
        return ["None" if result is None else result for result in results]

    def _known_bits(self, objects: Mapping[Node, Any]) -> list[KnownBits]:
        """Return the bits of the attributes that are known, with their numbers."""
        known: list[KnownBits] = []
        for (source, _), value in self.values.items():
            if source not in objects or source in self._constant_nodes:
                continue
            is_made = source not in self.graph.nodes
            number = checked_number(
                self.numbers, objects[source], value.type, is_made=is_made
            )
            known.append(KnownBits(value.bits, number, value.type.width))
        return known

    @cached_property
    def _constant_nodes(self) -> set[Node]:
        """The attributes whose bits are known from the start."""
        terms = {
            made
            for call in self.graph.calls
            if not isinstance(call.function, Native)
            for made in call.results
        }
        return terms | self._constants().keys()
