"""The parts of patterns by example that may vary: types and attributes.

A part is given as it is in all examples: with the first texts of variables, and with
another text of each open variable. What differs is the variable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar

from passgen_rules.pattern_functions import CONSTANT_FUNCTIONS
from passgen_runtime.context import Operation
from passgen_runtime.patterns.constant_functions import AreConstants, MakeConstant
from passgen_runtime.patterns.example_ir import after_of, before_of
from passgen_runtime.patterns.functions import (
    EqualsLiteral,
    FitsLiteral,
    IsOfKind,
    MakeLiteral,
    Native,
    RewriteFunction,
    Test,
)
from passgen_runtime.patterns.graph import (
    AttributeNode,
    Call,
    Condition,
    MadeNode,
    Node,
    Step,
    TypeNode,
)
from passgen_runtime.patterns.ir_reader import Attribute, IRReader, Type
from passgen_runtime.patterns.library import PatternLibrary
from passgen_runtime.patterns.rewrite_pattern import (
    PatternError,
    PatternVariable,
    RewritePattern,
    pattern_error,
)

N = TypeVar("N", bound=Node)


@dataclass
class ExampleParts:
    """The nodes, conditions and steps of a pattern, while it is read."""

    library: PatternLibrary
    pattern: RewritePattern
    choice: Mapping[str, str]
    """The first texts of variables."""

    place: str
    """The place of what is being read."""

    nodes: list[Node] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    is_after: bool = False
    """Whether `after` is being read."""

    types: dict[object, TypeNode] = field(default_factory=dict)
    """Constants by themselves, others by the names of their variables."""

    attributes: dict[str, AttributeNode | MadeNode] = field(default_factory=dict)
    """The nodes by the names of their variables."""

    shown: dict[str, Sequence[Attribute]] = field(default_factory=dict)
    """The attributes that variables stand for, by their names."""

    @property
    def open(self) -> list[PatternVariable]:
        """The variables whose examples are two of many."""
        return [variable for variable in self.pattern.variables if variable.is_open]

    def type(self, types: Sequence[Type]) -> TypeNode:
        """Return the node of a type, given as it is in all examples."""
        variable = self._variable(types)
        if variable is None:
            return self.constant_type(types[0])
        name = variable.name
        if variable.is_attribute or not self._is_whole(variable, types):
            self.refuse(f"'${name}' as a part of {types[0]}")
        if name in self.types:
            return self.types[name]
        if self.is_after:
            self.refuse(f"'${name}' in 'after' alone")
        node = TypeNode(label=name, place=self.place)
        self.types[name] = self.keep(node)
        if variable.any != "type":
            self.require(IsOfKind(variable.any), node)
        return node

    def _is_whole(self, variable: PatternVariable, types: Sequence[Type]) -> bool:
        """Return whether the examples of a variable are types, not parts of them."""
        number = 1 + self.open.index(variable)
        parsed = [self.library.parse_type(text) for text in variable.examples[:2]]
        return bool(parsed == [types[0], types[number]])

    def constant_type(self, type_: Type) -> TypeNode:
        """Return the node of a type that does not vary."""
        if type_ not in self.types:
            node = TypeNode(label="type", place=self.place, constant=type_)
            self.types[type_] = self.keep(node)
        return self.types[type_]

    def attributes_of(
        self, operations: Sequence[Operation], flags: Collection[str]
    ) -> Iterator[tuple[str, AttributeNode | MadeNode]]:
        """Yield the attributes of an operation that it does not have by default.

        Args:
            operations: the operation in each example.
            flags: attributes to yield although they are the default.
        """
        readings = [self.library.attributes(operation) for operation in operations]
        for name in sorted({name for reading in readings for name in reading}):
            found = [reading.get(name) for reading in readings]
            if any(attribute is None for attribute in found):
                self.refuse(f"the attribute '{name}' with some examples alone")
            if all(_is_same(attribute, found[0]) for attribute in found):
                default = self.library.default(operations[0], name)
                if name not in flags and _is_same(default, found[0]):
                    continue
                node = AttributeNode(label=name, place=self.place, constant=found[0])
                yield name, self.keep(node)
            else:
                yield name, self._attribute(name, found)

    def _attribute(
        self, name: str, found: Sequence[Attribute]
    ) -> AttributeNode | MadeNode:
        """Return an attribute that depends on variables."""
        library, first = self.library, found[0]
        types = [library.type_of(attribute) for attribute in found]
        is_typed = all(type_ is not None for type_ in types)
        type_ = self.type(types) if is_typed else None
        number = _same_number(library, found, types)
        if number is not None and type_ is not None:
            return self._literal(name, number, type_)
        changing = found
        if type_ is not None:  # what varies by the type alone is the same literal
            changing = [
                (
                    attribute
                    if _same_number(library, (first, attribute), (types[0], own))
                    is None
                    else first
                )
                for attribute, own in zip(found, types, strict=True)
            ]
        variable = self._variable(changing)
        is_part = (
            variable is None
            or not variable.is_attribute
            or library.is_composite(first)
            or self._is_listed(variable)
        )
        if is_part or variable is None:
            self.refuse(f"a variable as a part of {first}")
        return self._varying(variable, found, type_)

    def _is_listed(self, variable: PatternVariable) -> bool:
        texts = before_of(self.pattern), after_of(self.pattern, None)
        return texts[self.is_after].lists_variable(variable.name)

    def _literal(
        self, name: str, number: float, type_: TypeNode
    ) -> AttributeNode | MadeNode:
        """Return a literal whose type varies."""
        if not self.is_after:
            node = self.keep(AttributeNode(label=name, place=self.place, type=type_))
            self.require(EqualsLiteral(number), node)
            return node
        self.require(FitsLiteral(number), type_)
        return self.call(name, MakeLiteral(number), (type_,))

    def _varying(
        self,
        variable: PatternVariable,
        found: Sequence[Attribute],
        type_: TypeNode | None,
    ) -> AttributeNode | MadeNode:
        """Return the attribute that `variable` stands for."""
        name = variable.name
        known = self.shown.setdefault(name, found)
        if not all(map(_is_same, known, found)):
            self.refuse(f"'${name}' for {known[0]} and for {found[0]}")
        if name in self.attributes:
            return self.attributes[name]
        if self.is_after:
            if not variable.make:
                self.refuse(f"'${name}' in 'after' without 'make'")
            self.attributes[name] = self._made(variable)
            return self.attributes[name]
        node = self.keep(AttributeNode(label=name, place=self.place, type=type_))
        self.attributes[name] = node
        return node

    def _made(self, variable: PatternVariable) -> MadeNode:
        """Return the attribute that the rewrite makes for `variable`."""
        name, given = self.arguments(variable, variable.make)
        if name not in CONSTANT_FUNCTIONS:
            return self.call(variable.name, Native(name), given)
        number = CONSTANT_FUNCTIONS[name].num_arguments
        matched = [node for node in given if isinstance(node, AttributeNode)]
        if len(matched) != len(given) or len(given) != number:
            expected = f"attributes of 'before', {number} of them"
            self.refuse(f"`{variable.make}`: '{name}' takes {expected}")
        self.require(AreConstants(name), *given)
        return self.call(variable.name, MakeConstant(name), given)

    def arguments(
        self, variable: PatternVariable, call: str
    ) -> tuple[str, tuple[Node, ...]]:
        """Return the function that a text calls, and its arguments."""
        function, _, listed = call.removesuffix(")").partition("(")
        names = listed.replace(",", " ").split() or [variable.name]
        return function, tuple(self._argument(name, call) for name in names)

    def _argument(self, name: str, call: str) -> Node:
        if name in self.attributes:
            return self.attributes[name]
        if name in self.types:
            return self.types[name]
        listed = {known.name for known in self.pattern.variables if not known.is_open}
        if name not in listed:
            self.refuse(f"`{call}`, as nothing matched is called '{name}'")
        return self.constant_type(self.library.parse_type(self.choice[name]))

    def _variable(self, parts: Sequence[Any]) -> PatternVariable | None:
        """Return the variable by which `parts` differ, if they do."""
        pairs = zip(self.open, parts[1:], strict=True)
        found = [variable for variable, part in pairs if not _is_same(part, parts[0])]
        if len(found) > 1:
            names = " and ".join(f"'${variable.name}'" for variable in found)
            self.refuse(f"{parts[0]}, which depends on {names}")
        return found[0] if found else None

    def keep(self, node: N) -> N:
        """Return a node; before the rewrite, it is matched."""
        if not self.is_after:
            self.nodes.append(node)
        return node

    def require(self, test: Test, *given: Node) -> None:
        """Add a condition."""
        self.conditions.append(Condition(test=test, arguments=given, place=self.place))

    def call(
        self, name: str, function: RewriteFunction, given: tuple[Node, ...]
    ) -> MadeNode:
        """Add a call to the rewrite; return the attribute that it makes."""
        made = MadeNode(label=name, place=self.place, of="attribute")
        self.steps.append(
            Call(function=function, arguments=given, results=(made,), place=self.place)
        )
        return made

    def refuse(self, what: str) -> NoReturn:
        """Raise the error that only PDL can say something."""
        raise self.error(f"an example cannot show {what}: say it in PDL")

    def error(self, message: str) -> PatternError:
        """Return an error at the current place."""
        return pattern_error(self.pattern, self.place, message)


def _is_same(one: Any, other: Any) -> bool:  # noqa: ANN401 - of the library
    """Return whether parts of IR, or lacks of one, are equal."""
    # MLIR's refuse to be compared with `None`.
    is_lacking = one is None or other is None
    return one is other or (not is_lacking and bool(one == other))


def _same_number(
    library: IRReader,
    found: Sequence[Attribute],
    types: Sequence[Type | None],
) -> float | None:
    """Return the number that all attributes are, in their types, if there is one.

    The most exact one counts: types of fewer bits round it.
    """
    if any(part is None for part in (*found, *types)):
        return None
    for attribute in found:
        number = library.number(attribute)
        if number is not None and all(
            _is_same(library.constant(number, type_), other)
            for other, type_ in zip(found, types, strict=True)
        ):
            return number
    return None
