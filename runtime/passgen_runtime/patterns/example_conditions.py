"""The conditions of patterns by example: of types, flags, and results without uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from passgen_rules.pattern_functions import (
    ABSENT,
    SCALAR,
    WIDTH_DIFFERENCE,
    WIDTH_RELATIONS,
)
from passgen_runtime.errors import IRError
from passgen_runtime.patterns.constant_functions import IsWidthDifference
from passgen_runtime.patterns.example_ir import ExampleIR, before_of
from passgen_runtime.patterns.example_pairs import ExamplePairs
from passgen_runtime.patterns.example_parts import ExampleParts
from passgen_runtime.patterns.functions import (
    HasWidths,
    IsScalar,
    LacksAttribute,
    Native,
    Test,
)
from passgen_runtime.patterns.graph import Kind, Node, OperationNode, TypeNode
from passgen_runtime.patterns.library import UnknownTypeError
from passgen_runtime.patterns.rewrite_pattern import PatternVariable

_NUM_COMPARED: Final = 2
_TESTS: Final[Mapping[str, tuple[tuple[Kind, ...], Test]]] = {
    SCALAR: (("type",), IsScalar()),
    WIDTH_DIFFERENCE: (("attribute", "type", "type"), IsWidthDifference()),
}
"""The kinds of the arguments of functions of the language, and what they test."""


def restrict(parts: ExampleParts) -> bool:
    """Add the conditions that variables have; return whether all may hold."""
    restricted = [
        variable
        for variable in parts.pattern.variables
        if variable.where
        and (
            not variable.is_attribute
            or variable.is_flag
            or variable.name in parts.attributes
        )
    ]
    return all(_restrict(parts, variable) for variable in restricted)


def _restrict(parts: ExampleParts, variable: PatternVariable) -> bool:
    """Add the condition that a variable has; return whether it may hold."""
    if variable.is_flag:
        parts.place = before_of(parts.pattern).place
        if variable.where != ABSENT:
            parts.refuse(f"`{variable.where}` for the flag '${variable.name}'")
        return not parts.choice[variable.name]
    known: Node | None = parts.attributes.get(variable.name)
    if not variable.is_attribute:
        known = parts.types.get(variable.name)
    parts.place = known.place if known else parts.place
    function, given = parts.arguments(variable, variable.where)
    if function in WIDTH_RELATIONS:
        return _compare(parts, variable.where, given)
    kinds = tuple(node.kind for node in given)
    expected, test = _TESTS.get(function, (kinds, Native(function)))
    if kinds != expected:
        parts.refuse(f"`{variable.where}`, which takes: {', '.join(expected)}")
    parts.require(test, *given)
    return True


def _compare(parts: ExampleParts, where: str, given: Sequence[Node]) -> bool:
    """Add the condition that types have such widths; return whether it may hold."""
    function = where.partition("(")[0]
    types = [node.constant for node in given if isinstance(node, TypeNode)]
    if len(types) != len(given) or len(given) != _NUM_COMPARED:
        parts.refuse(f"`{where}`, which compares two types")
    if any(type_ is None for type_ in types):
        parts.require(HasWidths(function), *given)
        return True
    return HasWidths(function).holds(parts.library, *types)


def require_scalars(parts: ExampleParts, pairs: ExamplePairs) -> None:
    """Require scalars where vectors of them need other types, as `arith.cmpi` does.

    The texts are parsed with vectors: what is constant must stay so.
    """
    before, after = pairs.befores[0], pairs.afters[0]
    numbers = [free for free in parts.open if free.any in {"integer", "float"}]
    nodes = [parts.types[free.name] for free in numbers if free.name in parts.types]
    if not nodes:
        return
    vectors = {free.name: f"vector<2x{parts.choice[free.name]}>" for free in numbers}
    values = {**parts.choice, **vectors}
    try:
        before_text = before.text.with_splats(vectors)
        wide = ExampleIR(parts.library, before_text, values, {})
        known = {name: wide.types[name] for name in after.text.known or ()}
        after_text = after.text.with_splats(vectors)
        examples = wide, ExampleIR(parts.library, after_text, values, known)
    except (IRError, UnknownTypeError, KeyError):
        is_alike = False
    else:
        own = {parts.library.parse_type(parts.choice[free.name]) for free in numbers}
        is_alike = all(
            type_ in own or type_ == other.types.get(name)
            for one, other in zip((before, after), examples, strict=True)
            for name, type_ in one.types.items()
        )
    for node in () if is_alike else nodes:
        parts.require(IsScalar(), node)


def require_lacks(parts: ExampleParts, pairs: ExamplePairs) -> None:
    """Require that operations lack the flags that the choice leaves out."""
    matched = [node for node in parts.nodes if isinstance(node, OperationNode)]
    triples = zip(pairs.befores[0].operations, pairs.flags, matched, strict=True)
    for operation, flags, node in triples:
        for name in sorted(flags - parts.library.attributes(operation).keys()):
            parts.place = node.place
            parts.require(LacksAttribute(name), node)
