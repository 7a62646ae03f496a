"""A rewrite pattern as a graph: what it matches, on which conditions, what it changes.

Nodes are compared by identity: two operands of one type are different operands.
Constants are objects of the IR library; nothing here looks into them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from passgen_runtime.patterns.functions import (
    Native,
    RewriteFunction,
    Test,
)
from passgen_runtime.patterns.rewrite_pattern import RewritePattern

Kind: TypeAlias = Literal[
    "attribute", "operation", "type", "value", "range<type>", "range<value>"
]
"""What a node stands for, as PDL's types call it."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Node:
    """A part of a pattern."""

    label: str
    """What a text about the pattern may call it; not unique."""

    place: str
    """`file:line:column` of what it was read from."""

    @property
    def kind(self) -> Kind:
        """The kind of what it stands for."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TypeNode(Node):
    """A type, or a range of types: constant, or any."""

    constant: Any = None
    """The constant; a tuple of constants for a range."""

    is_range: bool = False

    @property
    def kind(self) -> Kind:
        """A type or types."""
        return "range<type>" if self.is_range else "type"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AttributeNode(Node):
    """An attribute: constant, any, or any of a type."""

    constant: Any = None
    type: TypeNode | None = None

    @property
    def kind(self) -> Kind:
        """An attribute."""
        return "attribute"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OperandNode(Node):
    """A value, or a range of values, whoever defines it."""

    type: TypeNode | None = None
    is_range: bool = False

    @property
    def kind(self) -> Kind:
        """A value or values."""
        return "range<value>" if self.is_range else "value"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OperationNode(Node):
    """An operation that is matched, or created."""

    operation: str
    """The name of the operation; empty for any."""

    operands: tuple[ValueNode, ...] = ()
    attributes: tuple[tuple[str, AttributeNode | MadeNode], ...] = ()
    """Pairs of a name and an attribute; a name may stand twice."""

    types: tuple[TypeNode | MadeNode, ...] = ()
    """The types of the results."""

    is_new: bool = False
    """Whether the rewrite creates it."""

    is_verified: bool = False
    """Whether the IR library has verified an example of it."""

    @property
    def kind(self) -> Kind:
        """An operation."""
        return "operation"

    @property
    def has_ranges(self) -> bool:
        """Whether only a match knows the number of operands or results."""
        return any(part.kind.startswith("range") for part in self.parts)

    @property
    def parts(self) -> tuple[Node, ...]:
        """Operands, attributes and types."""
        attributes = (attribute for _, attribute in self.attributes)
        return *self.operands, *attributes, *self.types


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ResultNode(Node):
    """A result of an operation, or a range of its results."""

    operation: OperationNode | MadeNode
    index: int | None
    """The number of the result, or of the range; `None` for all results."""

    is_range: bool = False

    @property
    def kind(self) -> Kind:
        """A value or values."""
        return "range<value>" if self.is_range else "value"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RangeNode(Node):
    """Values or types of the rewrite, one behind the other."""

    parts: tuple[Node, ...]
    of: Kind

    @property
    def kind(self) -> Kind:
        """Values or types."""
        return self.of


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MadeNode(Node):
    """A result of a function that the rewrite calls."""

    of: Kind

    @property
    def kind(self) -> Kind:
        """The kind that the function declares."""
        return self.of


ValueNode: TypeAlias = OperandNode | ResultNode | RangeNode | MadeNode


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A condition of a match."""

    test: Test
    arguments: tuple[Node, ...]
    place: str
    is_negated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Create:
    """Creates an operation before the root."""

    operation: OperationNode

    @property
    def place(self) -> str:
        """The place of the operation."""
        return self.operation.place

    @property
    def arguments(self) -> tuple[Node, ...]:
        """The parts of the operation."""
        return self.operation.parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Calls a function."""

    function: RewriteFunction
    arguments: tuple[Node, ...]
    results: tuple[MadeNode, ...]
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replace:
    """Replaces the results of an operation by those of another one, or by values."""

    operation: OperationNode | MadeNode
    by: tuple[Node, ...]
    """One operation, or values."""

    place: str

    @property
    def arguments(self) -> tuple[Node, ...]:
        """The operation, and what replaces it."""
        return self.operation, *self.by

    @property
    def is_by_operation(self) -> bool:
        """Whether the results of another operation replace its own."""
        return [node.kind for node in self.by] == ["operation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Erase:
    """Erases an operation."""

    operation: OperationNode | MadeNode
    place: str

    @property
    def arguments(self) -> tuple[Node, ...]:
        """The operation."""
        return (self.operation,)


Step: TypeAlias = Create | Call | Replace | Erase


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternGraph:
    """A rewrite pattern; with listed types, for one choice of them."""

    pattern: RewritePattern
    """The declaration."""

    benefit: int
    root: OperationNode
    """The operation that a match starts from."""

    nodes: tuple[Node, ...]
    """What is matched, each node behind its parts."""

    conditions: tuple[Condition, ...]
    steps: tuple[Step, ...]
    """The rewrite, in order."""

    place: str
    """Where the rewrite stands."""

    values: Mapping[str, str] = field(default_factory=dict)
    """The texts of the variables in the example that it was read from."""

    @property
    def name(self) -> str:
        """The label."""
        return self.pattern.name

    @property
    def all_nodes(self) -> tuple[Node, ...]:
        """The nodes that are matched, then those of the rewrite, behind their parts."""
        known = dict.fromkeys(self.nodes)

        def add(node: Node) -> None:
            for part in parts_of(node):
                add(part)
            known.setdefault(node)

        for step in self.steps:
            for node in step.arguments:
                add(node)
            if isinstance(step, Create):
                add(step.operation)
        return tuple(known)

    @property
    def operations(self) -> tuple[OperationNode, ...]:
        """The operations that are matched, and those that are created."""
        return tuple(n for n in self.all_nodes if isinstance(n, OperationNode))

    @property
    def calls(self) -> Iterator[Call]:
        """The functions that the rewrite calls."""
        return (step for step in self.steps if isinstance(step, Call))

    @property
    def natives(self) -> Iterator[tuple[str, Native, Condition | Call]]:
        """The declared functions that it calls, each with its kind and its call."""
        for condition in self.conditions:
            if isinstance(condition.test, Native):
                yield "constraint", condition.test, condition
        for call in self.calls:
            if isinstance(call.function, Native):
                yield "rewrite", call.function, call


def owner_of(node: Node) -> Node:
    """Return the operation that a result belongs to, or the node."""
    return node.operation if isinstance(node, ResultNode) else node


def parts_of(node: Node) -> tuple[Node, ...]:
    """Return the direct parts of a node."""
    match node:
        case OperationNode() | RangeNode():
            return node.parts
        case ResultNode():
            return (node.operation,)
        case AttributeNode(type=Node() as type_) | OperandNode(type=Node() as type_):
            return (type_,)
    return ()
