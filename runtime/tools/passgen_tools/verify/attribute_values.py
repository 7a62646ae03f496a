"""The values of the attributes of a pattern."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from passgen_runtime.patterns import (
    AttributeNode,
    Call,
    HasUses,
    LacksAttribute,
    MadeNode,
    Native,
    Node,
    OperationNode,
    PatternGraph,
)
from passgen_tools.verify.attributes import (
    OPTIONAL,
    PREDICATES,
    WIDTHS,
    AttributeNumbers,
)
from passgen_tools.verify.constant_terms import ConstantTerms
from passgen_tools.verify.counterexample import Key
from passgen_tools.verify.judgements import JudgedError, NoMatchError
from passgen_tools.verify.semantics import Bits, Truth, Type, Value


@dataclass
class AttributeValues:
    """The values of the attributes of a pattern on chosen types.

    Constants are known, functions of the pattern language are terms; what is left has
    any value, until a function in Python gets a constant or makes one.
    """

    engine: Any
    graph: PatternGraph
    types: Mapping[Node, Type]
    numbers: AttributeNumbers

    def __post_init__(self) -> None:
        """Note what conditions and functions say about attributes."""
        self.assumed: Truth = self.engine.BoolVal(1)
        """Whether attributes without a value are those of valid IR."""

        self.free_flags: list[tuple[str, Value]] = []
        """The flags and predicates that have any value, with their names."""

        self._values: dict[Node, Value] = {}
        self._terms = ConstantTerms(
            self.engine, self.numbers.library, self.types, self.__getitem__
        )
        self._lacking: set[Key] = {
            (condition.arguments[0], condition.test.name)
            for condition in self.graph.conditions
            if isinstance(condition.test, LacksAttribute)
        }
        """Attributes that operations must not have."""

        self._calls: dict[MadeNode, Call] = {
            made: call
            for call in self.graph.calls
            if not isinstance(call.function, Native)
            for made in call.results
        }
        """The calls of functions of the language, by what they make."""

    def __getitem__(self, source: Node) -> Value:
        """Return the value of an attribute that an operation has.

        Raises:
            JudgedError: no operation has it.
        """
        if source not in self._values:
            what = f"no operation has the attribute '{source.label}'"
            raise JudgedError("not-checked", what)
        return self._values[source]

    def holds(self) -> Truth:
        """Return whether the conditions of the language hold, and `assumed`.

        Raises:
            NoMatchError: the types exclude them.
        """
        truth = self.assumed
        for condition in self.graph.conditions:
            if not isinstance(condition.test, Native | HasUses | LacksAttribute):
                truth &= self._terms.holds(condition)
        return truth

    def of_operation(
        self, node: OperationNode, name: str, type_: Type
    ) -> tuple[Node, Value]:
        """Return an attribute of an operation: its node, and its value.

        One that the pattern does not show has the operation in place of a node.

        Raises:
            NoMatchError: no such IR is valid.
            JudgedError: an attribute is two things, or none that has semantics.
        """
        source = dict(node.attributes).get(name)
        if source is None:
            return node, self._not_shown(node, name, type_)
        if source not in self._values:
            self._values[source] = self._shown(source, name, type_)
        value = self._values[source]
        if value.type != type_:
            if {value.type.text, type_.text} == {"i64", "predicate"}:
                what = "an attribute is both a predicate and an i64"
                raise JudgedError("not-checked", what)
            user = node.operation
            raise NoMatchError(f"an attribute of {value.type} is '{name}' of '{user}'")
        return source, value

    def of_own_operation(
        self, node: OperationNode, name: str
    ) -> tuple[Node, Value] | None:
        """Return an attribute of an operation of a pass; `None` if it is not shown.

        Raises:
            JudgedError: it is no integer.
        """
        source = dict(node.attributes).get(name)
        if source is None:
            return None
        type_ = self._type_of(source)
        if type_ is None:
            what = f"the attribute '{name}' of '{node.operation}' is no integer"
            raise JudgedError("not-checked", what)
        return self.of_operation(node, name, type_)

    def _type_of(self, source: Node) -> Type | None:
        """Return the type of an attribute, `None` if it is no integer."""
        if source in self._values:
            return self._values[source].type
        if isinstance(source, MadeNode) and source in self._calls:
            return self._terms.made(self._calls[source]).type
        if isinstance(source, AttributeNode) and source.type is not None:
            return self.types[source.type]
        if isinstance(source, AttributeNode) and source.constant is not None:
            return self._integer_type(source.constant)
        return None

    def _integer_type(self, attribute: Any) -> Type | None:  # noqa: ANN401
        """Return the type of a constant, `None` if it is no integer."""
        library = self.numbers.library
        type_ = library.type_of(attribute)
        if type_ is None:
            return None
        kind, width, is_shaped = library.element(type_)
        if kind != "integer" or is_shaped or not width:
            return None
        return Type(str(type_), width)

    def _not_shown(self, node: OperationNode, name: str, type_: Type) -> Value:
        """Return the value of an attribute that the pattern does not show.

        Raises:
            NoMatchError: a new operation lacks an attribute that it needs.
        """
        if node.is_new and name not in OPTIONAL:
            raise NoMatchError(f"the new '{node.operation}' has no attribute '{name}'")
        if node.is_new or (node, name) in self._lacking:
            default = self.engine.BitVecVal(0, type_.width)
            return self._of_bits(default, type_)
        return self._any(node.operation, type_)

    def _shown(self, source: Node, name: str, type_: Type) -> Value:
        """Return the value of an attribute that the pattern shows."""
        if isinstance(source, MadeNode) and source in self._calls:
            return self._terms.made(self._calls[source])
        if isinstance(source, AttributeNode) and source.constant is not None:
            is_made = source not in self.graph.nodes
            number = checked_number(
                self.numbers, source.constant, type_, is_made=is_made
            )
            return self._of_bits(self.engine.BitVecVal(number, type_.width), type_)
        if isinstance(source, AttributeNode) and name == "isExact":
            # The attribute that is matched has one value where it is there.
            return self._of_bits(self.engine.BitVecVal(1, type_.width), type_)
        return self._any(source.label, type_)

    def _any(self, label: str, type_: Type) -> Value:
        bits = self.engine.FreshConst(self.engine.BitVecSort(type_.width))
        if type_.text == "predicate":
            self.assumed &= self.engine.ULT(bits, len(PREDICATES))
        value = self._of_bits(bits, type_)
        if type_.text in WIDTHS:
            self.free_flags.append((label, value))
        return value

    def _of_bits(self, bits: Bits, type_: Type) -> Value:
        return Value(bits, self.engine.BoolVal(0), type_)


def checked_number(
    numbers: AttributeNumbers,
    attribute: Any,  # noqa: ANN401 - of the library
    type_: Type,
    *,
    is_made: bool,
) -> int:
    """Return the number that stands for an attribute.

    Raises:
        NoMatchError: an attribute that is matched has another type.
        JudgedError: one that is made has, or it is no integer.
    """
    try:
        number = numbers.number(attribute, type_)
    except TypeError as error:
        # A function that returns `None` makes no attribute.
        if is_made and attribute != "None":
            reason = f"a new '{attribute}' is no {type_}"
            raise JudgedError("wrong", reason) from error
        reason = f"the attribute '{attribute}' is no integer"
        raise JudgedError("not-checked", reason) from error
    if number is not None:
        return number
    if is_made:
        raise JudgedError("wrong", f"a new '{attribute}' is no {type_}")
    raise NoMatchError
