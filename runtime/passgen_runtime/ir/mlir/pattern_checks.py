"""Checks of patterns that MLIR is to apply: it would end the process, or match more."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import nearest_note
from passgen_runtime.instrumentations.file_metadata import quote
from passgen_runtime.ir.mlir import MLIRContext
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


def check_graph(context: MLIRContext, graph: PatternGraph) -> None:
    """Check that MLIR can apply a pattern.

    Raises:
        PatternError: it cannot.
    """
    _check_names(context, graph)
    _check_values(graph)
    _check_uses(graph)
    for node in graph.operations:
        if node.is_new and node.operation and not node.is_verified:
            _check_new_operation(context, graph, node)


def _check_names(context: MLIRContext, graph: PatternGraph) -> None:
    """Check that dialects have the operations that are said to be theirs.

    MLIR refuses any other operation of a dialect that it knows, also where it allows
    unregistered ones.

    Raises:
        PatternError: a dialect has no such operation.
    """
    for node in graph.operations:
        name = node.operation
        dialect = name.partition(".")[0]
        if name and context.lookup(name) is None and context.is_loaded(dialect):
            message = f"there is no operation '{name}'"
            notes = nearest_note(name, context.operation_names(dialect))
            raise pattern_error(graph.pattern, node.place, message, notes)


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
    context: MLIRContext, graph: PatternGraph, node: OperationNode
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
        error = _parser_error(context, text)
        if error is None:
            return
        messages.add(error)
    if len(messages) == 1:
        message = f"the new operation is malformed: {messages.pop()}"
        raise pattern_error(graph.pattern, node.place, message)


def _parser_error(context: MLIRContext, text: str) -> str | None:
    """Return the error of a text, which nothing reports; `None` if it has none."""
    found: list[Diagnostic] = []
    ir = context.bindings.ir
    try:
        with context.without_threads, context.collected_in(found):
            ir.Operation.parse(text, context=context.mlir)
    except ir.MLIRError:
        errors = (one.message for one in found if one.severity == "error")
        return next(errors, "it does not parse")
    return None


def _variants(graph: PatternGraph, node: OperationNode) -> Iterator[str]:
    """Yield the operation in the generic form, with all that may be unknown of it."""
    constants, unknown = [], []
    for name, attribute in node.attributes:
        if isinstance(attribute, AttributeNode) and attribute.constant is not None:
            constants.append(f"{quote(name)} = {attribute.constant}")
        else:
            unknown.append(name)
    operands = [_type_of(operand) for operand in node.operands]
    results = [[_constant_type(type_) for type_ in node.types]]
    if not node.types:  # they may be inferred
        used = (part for step in graph.steps for part in step.arguments)
        is_used = any(
            part is node or (isinstance(part, ResultNode) and part.operation is node)
            for part in used
        )
        counts = (0, 1, 2) if is_used else (0, 1)
        results = [[None] * count for count in counts]
    fillings = ("", "unit", "0 : i64", '"x"') if unknown else ("",)
    types = dict.fromkeys((*_types_in(graph), *_TYPES))
    for filling, known, type_ in product(fillings, results, types):
        given = [f"{quote(name)} = {filling}" for name in unknown] if filling else []
        operand_types = ", ".join(known or type_ for known in operands)
        names = [f"%0#{at}" for at in range(len(operands))]
        cast = '"builtin.unrealized_conversion_cast"() : () ->'
        first = f"%0:{len(operands)} = {cast} ({operand_types})\n" if operands else ""
        yield (
            f"module {{ {first}{quote(node.operation)}({', '.join(names)}) "
            f"{{{', '.join(constants + given)}}} : ({operand_types}) -> "
            f"({', '.join(known_type or type_ for known_type in known)}) }}"
        )


def _type_of(operand: Node) -> str | None:
    """Return the type of an operand, if it is a constant."""
    if isinstance(operand, OperandNode) and operand.type:
        return _constant_type(operand.type)
    if isinstance(operand, ResultNode) and isinstance(operand.operation, OperationNode):
        types, index = operand.operation.types, operand.index
        if index is not None and index < len(types):
            return _constant_type(types[index])
    return None


def _constant_type(node: Node) -> str | None:
    if isinstance(node, TypeNode) and node.constant is not None:
        return str(node.constant)
    return None


def _types_in(graph: PatternGraph) -> Iterator[str]:
    """Yield the types that the pattern names, and those of its attributes."""
    for node in graph.all_nodes:
        if isinstance(node, TypeNode) and node.constant is not None:
            yield str(node.constant)
        if isinstance(node, AttributeNode) and node.constant is not None:
            yield str(node.constant.type)
