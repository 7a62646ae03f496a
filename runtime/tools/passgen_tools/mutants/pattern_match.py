"""What patterns match, as values that are equal if they match the same."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from passgen_runtime.patterns import (
    AttributeNode,
    Node,
    OperandNode,
    OperationNode,
    PatternGraph,
    ResultNode,
    TypeNode,
    owner_of,
)


def match_of(graphs: Sequence[PatternGraph]) -> Hashable:
    """Return what the graphs of a pattern match, whatever its values are called."""
    return tuple(map(_match_of_graph, graphs))


def _match_of_graph(graph: PatternGraph) -> Hashable:
    numbers: dict[Node, int] = {}
    root = _shape(graph.root, numbers)
    others = tuple(
        _shape(node, numbers) for node in graph.nodes if owner_of(node) not in numbers
    )
    conditions = frozenset(
        (
            condition.test,
            condition.is_negated,
            tuple(_shape(node, numbers) for node in condition.arguments),
        )
        for condition in graph.conditions
    )
    return root, others, conditions


def _shape(node: Node, numbers: dict[Node, int]) -> Hashable:
    """Return what a node is; one that is known is its number.

    Nodes are numbered as they are reached from the root, so that names do not count.
    A result is its operation and its index: several nodes may stand for it.
    """
    if isinstance(node, ResultNode):
        return _shape(node.operation, numbers), node.index, node.is_range
    if node in numbers:
        return numbers[node]
    numbers[node] = len(numbers)
    parts: tuple[Hashable, ...] = (id(node),)
    match node:
        case OperationNode():
            operands = tuple(_shape(operand, numbers) for operand in node.operands)
            attributes = tuple(
                (name, _shape(attribute, numbers))
                for name, attribute in node.attributes
            )
            types = tuple(_shape(type_, numbers) for type_ in node.types)
            parts = node.operation, operands, attributes, types
        case OperandNode():
            parts = _shape_of_type(node.type, numbers), node.is_range
        case AttributeNode():
            parts = str(node.constant), _shape_of_type(node.type, numbers)
        case TypeNode():
            parts = str(node.constant), node.is_range
    return type(node).__name__, parts


def _shape_of_type(node: TypeNode | None, numbers: dict[Node, int]) -> Hashable:
    return None if node is None else _shape(node, numbers)
