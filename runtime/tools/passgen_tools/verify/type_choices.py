"""The types on which a pattern is tried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final

from passgen_runtime.patterns import (
    Node,
    OperandNode,
    OperationNode,
    PatternGraph,
    PatternLibrary,
    TypeNode,
)
from passgen_tools.verify.graph_evaluation import check_kind
from passgen_tools.verify.judgements import JudgedError
from passgen_tools.verify.semantics import Type

_OPEN_TYPES: Final = ("i1", "i2", "i3", "i4", "i8", "i16", "i32", "i64", "index")
_INDEX_WIDTHS: Final = 32, 64


@dataclass(frozen=True)
class TypeChoice:
    """A choice of a type for each type of a pattern."""

    types: dict[Node, Type]
    of_values: list[Type]
    """The types of operands and results."""

    @property
    def title(self) -> str:
        """The types of operands and results, each once."""
        return "/".join(dict.fromkeys(map(str, self.of_values)))

    @property
    def largest_width(self) -> int:
        """The width of the widest operand or result."""
        return max((type_.width for type_ in self.of_values), default=0)


def type_choices(graph: PatternGraph, library: PatternLibrary) -> Iterator[TypeChoice]:
    """Yield the choices of types to try.

    Raises:
        JudgedError: a type has no semantics.
    """
    nodes = [node for node in graph.all_nodes if isinstance(node, TypeNode)]
    nodes_of_values = _type_nodes_of_values(graph)
    candidates = [_candidates(node, library) for node in nodes]
    for chosen in product(*candidates):
        indices = {type_ for type_ in chosen if type_.text == "index"}
        if len(indices) > 1:
            continue  # it has one width in a program
        types: dict[Node, Type] = dict(zip(nodes, chosen, strict=True))
        yield TypeChoice(types, [types[node] for node in nodes_of_values])


def _type_nodes_of_values(graph: PatternGraph) -> list[TypeNode]:
    """Return the types that an operand or a result has, in the order of the pattern."""
    used = set[Node]()
    for node in graph.all_nodes:
        if isinstance(node, OperationNode):
            used.update(node.types)
        elif isinstance(node, OperandNode) and node.type:
            used.add(node.type)
    return [
        node for node in graph.all_nodes if isinstance(node, TypeNode) and node in used
    ]


def _candidates(node: TypeNode, library: PatternLibrary) -> list[Type]:
    """Return the types to try for a type of the pattern.

    Raises:
        JudgedError: it is no integer.
    """
    check_kind(node)
    if node.constant is None:
        tried = {text: library.parse_type(text) for text in _OPEN_TYPES}
    else:
        tried = {str(node.constant): node.constant}
    found: list[Type] = []
    for text, type_ in tried.items():
        kind, width, is_shaped = library.element(type_)
        if kind != "integer" or is_shaped or width == 0:
            reason = f"the type '{text}' has no semantics"
            raise JudgedError("not-checked", reason)
        widths = _INDEX_WIDTHS if width is None else (width,)
        found += [Type(text, one_width) for one_width in widths]
    return found
