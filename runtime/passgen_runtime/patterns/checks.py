"""Checks of a pattern that are the same for both IR libraries.

A pattern that can be read may still end the process when MLIR applies it: an operation
erased while it has uses, replaced twice, or of a dialect that is not loaded.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from passgen_runtime.context import Context
from passgen_runtime.errors import nearest_note
from passgen_runtime.patterns.graph import (
    Erase,
    Node,
    OperationNode,
    PatternGraph,
    Replace,
    ResultNode,
    owner_of,
)
from passgen_runtime.patterns.rewrite_pattern import PatternDriver, pattern_error


def check_pattern(
    graph: PatternGraph,
    context: Context,
    natives: Mapping[str, Collection[str]],
    driver: PatternDriver,
) -> None:
    """Check what would end the process, or silently never match.

    Args:
        graph: the pattern.
        context: it knows the operations.
        natives: the names of declared functions: of each `constraint` and `rewrite`.
        driver: applies the pattern.

    Raises:
        PatternError: something is wrong.
    """
    for node in graph.operations:
        name = node.operation
        if name and not context.allow_unregistered and context.lookup(name) is None:
            message = f"there is no operation '{name}'"
            dialect = name.partition(".")[0]
            notes = nearest_note(name, context.operation_names(dialect))
            raise pattern_error(graph.pattern, node.place, message, notes)
    for kind, function, call in graph.natives:
        if function.name not in natives[kind]:
            message = f"no {kind} '{function.name}' is declared"
            notes = nearest_note(function.name, natives[kind])
            raise pattern_error(graph.pattern, call.place, message, notes)
    _check_results(graph)
    _check_steps(graph, driver)


def _check_results(graph: PatternGraph) -> None:
    """Check that the results exist of which a pattern speaks."""
    steps = (node for step in graph.steps for node in step.arguments)
    for node in (*graph.nodes, *steps):
        if not isinstance(node, ResultNode) or node.index is None or node.is_range:
            continue
        owner = node.operation
        if not isinstance(owner, OperationNode) or _has_unknown_results(owner):
            continue
        if node.index >= len(owner.types):
            problem = f"result {node.index} of an operation with "
            problem += f"{len(owner.types)} results"
            raise pattern_error(graph.pattern, node.place, problem)


def _has_unknown_results(node: OperationNode) -> bool:
    """Return whether the number of results is not known."""
    is_inferred = node.is_new and not node.types
    return is_inferred or any(type_.kind == "range<type>" for type_ in node.types)


def _check_steps(graph: PatternGraph, driver: PatternDriver) -> None:
    """Check the order and the operands of replacements and erasures."""
    gone: list[Node] = []
    for step in graph.steps:
        problem = ""
        if any(owner_of(node) in gone for node in step.arguments):
            problem = "an operation is used after it was replaced or erased"
        if isinstance(step, Replace | Erase):
            changed = step.operation
            others = {other for other in (*gone, changed) if other is not graph.root}
            if len(others) > 1:
                problem = "two operations besides the root are gone; they may be one"
            gone.append(changed)
            problem = problem or _problem_of_change(step)
            if driver.name == "walk" and changed is not graph.root:
                problem = (
                    "the driver 'walk' allows to replace or erase the root alone: "
                    "write `driver: greedy`"
                )
        if problem:
            raise pattern_error(graph.pattern, step.place, problem)


def _problem_of_change(step: Replace | Erase) -> str:
    types = step.operation.types if isinstance(step.operation, OperationNode) else ()
    if isinstance(step, Erase):
        problem = "erases an operation with results, which may be used"
        return f"{problem}: replace it by values" if types else ""
    if any(owner_of(value) is step.operation for value in step.by):
        return "replaces an operation by itself"
    num_values, ranges = len(step.by), {"range<type>", "range<value>"}
    is_known = ranges.isdisjoint(node.kind for node in (*types, *step.by))
    if step.is_by_operation:
        (new,) = step.by
        new_types = new.types if isinstance(new, OperationNode) else ()
        num_values = len(new_types)
        # The number of results that are inferred is not known.
        is_known = is_known and bool(new_types)
        is_known = is_known and ranges.isdisjoint(type_.kind for type_ in new_types)
    if not is_known or num_values == len(types):
        return ""
    return f"replaces {len(types)} results by {num_values} values"
