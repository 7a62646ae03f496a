"""The functions of the pattern language on bits, for all constants at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from passgen_rules.pattern_functions import CONSTANT_FUNCTIONS, ConstantFunction
from passgen_runtime.patterns import (
    AreConstants,
    Call,
    Condition,
    EqualsLiteral,
    HasUses,
    IsWidthDifference,
    LacksAttribute,
    MakeConstant,
    MakeLiteral,
    Native,
    Node,
    PatternLibrary,
    integer_fits,
)
from passgen_tools.verify.judgements import JudgedError, NoMatchError
from passgen_tools.verify.semantics import Bits, Truth, Type, Value


@dataclass
class ConstantTerms:
    """What the functions of the pattern language make, and when they let it match."""

    engine: Any
    library: PatternLibrary
    types: Mapping[Node, Type]
    attribute: Callable[[Node], Value]
    """Returns the value of an attribute."""

    def made(self, call: Call) -> Value:
        """Return the attribute that a function of the language makes."""
        function = call.function
        if isinstance(function, MakeLiteral):
            (type_node,) = call.arguments
            type_ = self.types[type_node]
            bits = self.engine.BitVecVal(function.number, type_.width)
        elif isinstance(function, MakeConstant):
            arguments = [self.attribute(argument) for argument in call.arguments]
            type_ = arguments[0].type
            bits = self._applied(
                CONSTANT_FUNCTIONS[function.name],
                [argument.bits for argument in arguments],
            )
        else:
            raise JudgedError("not-checked", f"'{function}' has no semantics")
        return Value(bits, self.engine.BoolVal(0), type_)

    def _applied(self, function: ConstantFunction, arguments: Sequence[Bits]) -> Bits:
        """Return what a function of constants makes of bits."""
        if not function.cases:
            return function.apply(*arguments)
        (case,) = arguments
        result = case  # no case is left
        for number, of_number in enumerate(function.cases):
            made = self.engine.BitVecVal(of_number, case.size())
            result = self.engine.If(case == number, made, result)
        return result

    def holds(self, condition: Condition) -> Truth:
        """Return whether a condition of the language holds.

        Raises:
            NoMatchError: the types exclude it.
        """
        match condition.test:
            case EqualsLiteral(number=number):
                (attribute,) = condition.arguments
                truth = self._equals(self.attribute(attribute), number)
            case IsWidthDifference():
                attribute, wide, narrow = condition.arguments
                difference = self._width(wide) - self._width(narrow)
                truth = self._equals(self.attribute(attribute), difference)
            case AreConstants(name=name):
                arguments = [self.attribute(node) for node in condition.arguments]
                truth = self._are_of_one_type(name, arguments)
            case _:
                truth = self.engine.BoolVal(self._holds_of_types(condition))
        return self.engine.Not(truth) if condition.is_negated else truth

    def _equals(self, attribute: Value, number: float) -> Truth:
        """Return whether an attribute is a number, which may not fit in its type."""
        is_integer = isinstance(number, int) and attribute.type.is_integer
        if not is_integer or not integer_fits(number, attribute.type.width):
            raise NoMatchError
        return attribute.bits == number

    def _width(self, type_node: Node) -> int:
        """Return the width of a type; that of `index` is not known."""
        type_ = self.types[type_node]
        if type_.text == "index":
            raise NoMatchError
        return type_.width

    def _are_of_one_type(self, name: str, arguments: Sequence[Value]) -> Truth:
        """Return whether a function of constants can be applied to attributes.

        Those of an operation are of the kind that the operation gives them.
        """
        types = {argument.type for argument in arguments}
        is_of_integers = CONSTANT_FUNCTIONS[name].kind == "integer"
        if len(types) != 1 or any(
            type_.is_integer is not is_of_integers for type_ in types
        ):
            raise NoMatchError
        return self.engine.BoolVal(1)

    def _holds_of_types(self, condition: Condition) -> bool:
        """Return whether a condition holds of types.

        Raises:
            NoMatchError: it does not.
        """
        types = [
            self.library.parse_type(self.types[node].text)
            for node in condition.arguments
        ]
        assert not isinstance(condition.test, Native | HasUses | LacksAttribute)
        holds = condition.test.holds(self.library, *types)
        if holds is condition.is_negated:
            raise NoMatchError
        return holds
