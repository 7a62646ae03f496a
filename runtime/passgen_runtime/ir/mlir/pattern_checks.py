"""Checks of patterns that MLIR is to apply: it would end the process, or match more."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from passgen_runtime.context import Context
from passgen_runtime.errors import IRError
from passgen_runtime.patterns import (
    AttributeNode,
    Node,
    OperandNode,
    OperationNode,
    PatternGraph,
    ResultNode,
    TypeNode,
    pattern_error,
)

_TYPES: Final = ("none", "i1", "i32", "f32", "index", "vector<2xi32>", "memref<2xf32>")
"""Types to try for operands and results that only a match knows."""


def check_graph(context: Context, graph: PatternGraph) -> None:
    """Check that MLIR can apply a pattern.

    Raises:
        PatternError: it cannot.
    """
    _check_values(graph)
    _check_uses(graph)
    for node in graph.operations:
        if node.is_new and node.operation and not node.is_verified:
            _check_new_operation(context, graph, node)


def _check_values(graph: PatternGraph) -> None:
    """Check that attributes and types have a value: MLIR needs it to compile them.

    Raises:
        PatternError: one is no constant, and nothing that is matched has it.
    """
    bound: set[Node] = set()
    for node in graph.nodes:
        if isinstance(node, OperationNode):
            bound.update(node.parts)
        elif isinstance(node, AttributeNode | OperandNode) and node.type:
            bound.add(node.type)
    for node in graph.nodes:
        is_free = isinstance(node, AttributeNode | TypeNode) and node.constant is None
        if is_free and node not in bound:
            message = f"'pdl.{node.label}' has no value: nothing that is matched has it"
            raise pattern_error(graph.pattern, node.place, message)


def _check_uses(graph: PatternGraph) -> None:
    """Check that MLIR compares all uses: of some kinds, it compares only the first.

    Raises:
        PatternError: anything would match where something is used again.
    """
    seen: set[Node] = set()
    for node in graph.nodes:
        used: tuple[Node, ...] = ()
        if isinstance(node, OperationNode):
            used = node.parts
        elif isinstance(node, OperandNode) and node.is_range and node.type:
            used = (node.type,)
        for part in used:
            is_range = isinstance(part, TypeNode) and part.is_range
            if not (is_range or isinstance(part, ResultNode)):
                continue
            if part in seen:
                message = (
                    f"MLIR compares a 'pdl.{part.label}' only where it is used first: "
                    "write one for each use"
                )
                raise pattern_error(graph.pattern, node.place, message)
            seen.add(part)


def _check_new_operation(
    context: Context, graph: PatternGraph, node: OperationNode
) -> None:
    """Check that an operation that a rewrite creates has what MLIR expects of it.

    MLIR folds or prints new operations before it verifies them, and ends the process
    where a region or an attribute is missing. Its parser reports the same operation:
    an error that does not depend on what is unknown here is about what is known.

    Raises:
        PatternError: something is missing, or an attribute is of the wrong kind.
    """
    names = [name for name, _ in node.attributes]
    if len(set(names)) < len(names):
        message = "the new operation is malformed: an attribute is given twice"
        raise pattern_error(graph.pattern, node.place, message)
    if node.has_ranges:
        return  # only the match knows the number of operands or results
    messages = set()
    for text in _variants(graph, node):
        try:
            context.parse(text, graph.name)
        except IRError as error:
            messages.add(error.diagnostic.message)
        else:
            return
    if len(messages) == 1:
        message = f"the new operation is malformed: {messages.pop()}"
        raise pattern_error(graph.pattern, node.place, message)


def _variants(graph: PatternGraph, node: OperationNode) -> Iterator[str]:
    """Yield the operation in the generic form, with all that may be unknown of it."""
    constants, unknown = [], []
    for name, attribute in node.attributes:
        if isinstance(attribute, AttributeNode) and attribute.constant is not None:
            constants.append(f'"{name}" = {attribute.constant}')
        else:
            unknown.append(name)
    counts = [len(node.types)]
    if not node.types:  # they may be inferred
        used = (part for step in graph.steps for part in step.arguments)
        is_used = any(
            part is node or (isinstance(part, ResultNode) and part.operation is node)
            for part in used
        )
        counts = [0, 1, 2] if is_used else [0, 1]
    fillings = ("", "unit", "0 : i64", '"x"') if unknown else ("",)
    for filling, count, type_ in product(fillings, counts, _TYPES):
        given = [f'"{name}" = {filling}' for name in unknown] if filling else []
        operands = ", ".join(["%0"] * len(node.operands))
        operand_types = ", ".join([type_] * len(node.operands))
        types = ", ".join([type_] * count)
        yield (
            f'module {{ %0 = "builtin.unrealized_conversion_cast"() : () -> {type_}\n'
            f'"{node.operation}"({operands}) {{{", ".join(constants + given)}}}'
            f" : ({operand_types}) -> ({types}) }}"
        )
