"""Why a pattern does not match an operation of xDSL's IR.

The steps are those of `CompiledPattern`, in the same order.
"""

from __future__ import annotations

from typing import Any

from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from passgen_runtime.ir.xdsl.compiled_pattern import constant_of, name_of, reads
from passgen_runtime.patterns import (
    AttributeNode,
    Condition,
    Native,
    NativeFunctions,
    NearMiss,
    Node,
    OperationNode,
    PatternGraph,
    ResultNode,
    TypeNode,
)


class MatchExplainer:
    """Explains why a pattern does not match."""

    def __init__(self, graph: PatternGraph, functions: NativeFunctions) -> None:
        """Prepare to explain `graph`."""
        self._graph = graph
        self._functions = functions
        results = [node for node in graph.nodes if isinstance(node, ResultNode)]
        self._reads = reads(graph.root, results)

    def explain(self, root: Operation) -> NearMiss | None:
        """Return why the pattern does not match at `root`; `None` if it does."""
        frame: dict[Node, Any] = {
            node: constant
            for node in self._graph.all_nodes
            if (constant := constant_of(node)) is not None
        }
        frame[self._graph.root] = root
        origins: dict[Node, tuple[OperationNode, Operation]] = {
            self._graph.root: (self._graph.root, root)
        }
        for number, (whole, part, get, _) in enumerate(self._reads):
            node, operation = origins[whole]
            found, known = get(frame[whole]), frame.get(part)
            if part is not whole and isinstance(part, OperationNode):
                is_operation = isinstance(found, Operation)
                origins[part] = part, found if is_operation else operation
            else:
                origins.setdefault(part, (node, operation))
            if known is None and found is not None:
                frame[part] = found
            elif found is None or (found is not known and found != known):
                problem = _problem(whole, part, frame[whole], found, known)
                return NearMiss(root, number, problem, node.place, operation)
        for number, condition in enumerate(self._graph.conditions, len(self._reads)):
            given = [frame[node] for node in condition.arguments]
            holds = bool(self._functions.test(condition.test)(*given))
            if holds is condition.is_negated:
                first = condition.arguments[0] if condition.arguments else None
                _, operation = origins.get(first or self._graph.root, (None, root))
                problem = _problem_of_condition(condition, given)
                return NearMiss(root, number, problem, condition.place, operation)
        return None


def _problem(
    whole: Node, part: Node, owner: object, found: object, known: object
) -> str:
    """Return why a part of what was found does not fit."""
    match part:
        case OperationNode() if part is whole:
            return _problem_of_operation(part, owner)
        case OperationNode():
            return "a value is the result of another operation than before"
        case AttributeNode():
            names = [name for name, one in _attributes(whole) if one is part]
            name = f"attribute '{names[0]}'" if names else "an attribute"
            if found is None:
                return f"{name} is not there"
            return f"{name} is {found}, expected {known}"
        case TypeNode():
            return f"the type is {found}, expected {known}"
    return f"an operand is {_value(found)}, expected {_value(known)} as before"


def _problem_of_operation(node: OperationNode, found: object) -> str:
    expected = f"expected '{node.operation}'"
    if not isinstance(found, Operation):
        return f"an operand is the argument of a block, {expected}"
    if node.operation and name_of(found) != node.operation:
        return f"found '{name_of(found)}', {expected}"
    for what, number, wanted in (
        ("operands", len(found.operands), len(node.operands)),
        ("results", len(found.results), len(node.types)),
    ):
        if number != wanted:
            return f"'{name_of(found)}' has {number} {what}, expected {wanted}"
    return f"found another '{name_of(found)}'"


def _attributes(node: Node) -> tuple[tuple[str, Node], ...]:
    return node.attributes if isinstance(node, OperationNode) else ()


def _value(value: object) -> str:
    """Return a description of a value."""
    if not isinstance(value, SSAValue):
        return str(value)
    if value.name_hint:
        return f"%{value.name_hint}"
    if isinstance(value, OpResult):
        return f"result {value.index} of '{name_of(value.op)}'"
    return f"argument {value.index}" if isinstance(value, BlockArgument) else "a value"


def _problem_of_condition(condition: Condition, given: list[Any]) -> str:
    """Return why a condition does not hold."""
    texts = [_value(argument) for argument in given]
    if not isinstance(condition.test, Native):
        return condition.test.why_not(*texts)
    holds = "holds" if condition.is_negated else "does not hold"
    return f"constraint '{condition.test}' {holds} of {', '.join(texts)}"
