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

NARROW_WIDTH: Final = 8
"""The width up to which all types are tried."""

_WIDE_WIDTHS: Final = 16, 32, 64
_OPEN_TYPES: Final = (
    *(f"i{width}" for width in range(1, NARROW_WIDTH + 1)),
    *(f"i{width}" for width in _WIDE_WIDTHS),
    "index",
)
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

    @property
    def index_width(self) -> int | None:
        """The width of `index`, if it is one of the types."""
        for type_ in self.types.values():
            if type_.text == "index":
                return type_.width
        return None


def type_choices(graph: PatternGraph, library: PatternLibrary) -> list[TypeChoice]:
    """Return the choices of types to try, those with few bits first, `index` last.

    Raises:
        JudgedError: a type has no semantics.
    """

    def order(choice: TypeChoice) -> tuple[int, int]:
        return choice.index_width or 0, choice.largest_width

    return sorted(_type_choices(graph, library), key=order)


def _type_choices(graph: PatternGraph, library: PatternLibrary) -> Iterator[TypeChoice]:
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
