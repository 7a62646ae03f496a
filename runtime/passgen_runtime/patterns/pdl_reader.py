"""Reads patterns that a spec declares in PDL."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from passgen_runtime.context import Operation
from passgen_runtime.patterns.functions import Native
from passgen_runtime.patterns.graph import (
    AttributeNode,
    Call,
    Condition,
    Create,
    Erase,
    Kind,
    MadeNode,
    Node,
    OperandNode,
    OperationNode,
    PatternGraph,
    RangeNode,
    Replace,
    ResultNode,
    Step,
    TypeNode,
)
from passgen_runtime.patterns.library import PatternLibrary
from passgen_runtime.patterns.rewrite_pattern import (
    PatternError,
    RewritePattern,
    pattern_error,
)


def read_pdl(library: PatternLibrary, pattern: RewritePattern) -> PatternGraph:
    """Return the graph of a pattern in PDL.

    Raises:
        IRError: the text does not parse.
        PatternError: the module has anything but one pattern, or it has no root.
    """
    context = library.context
    module = library.parse_pdl(pattern.module(), pattern.file)
    found = context.children(module)
    if [context.name(operation) for operation in found] != ["pdl.pattern"]:
        names = ", ".join(map(context.name, found)) or "nothing"
        place = context.location(found[-1] if found else module)
        raise pattern_error(pattern, place, f"expected one pdl.pattern, found {names}")
    graph = _PDLReader(library, pattern).read(found[0])
    context.verify(module)
    return graph


@dataclass
class _PDLReader:
    """Reads the operations of a `pdl.pattern`."""

    library: PatternLibrary
    pattern: RewritePattern
    place: str = ""
    is_rewrite: bool = False
    known: dict[object, Node] = field(default_factory=dict)
    """Nodes by the values of PDL."""

    nodes: list[Node] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def read(self, whole: Operation) -> PatternGraph:
        """Return the graph of a `pdl.pattern`."""
        context, rewrite = self.library.context, None
        for operation in context.children(whole):
            if context.name(operation) == "pdl.rewrite":
                rewrite = operation
            else:
                self._read(operation)
        self.place = context.location(rewrite or whole)
        if rewrite is None or self._field(rewrite, "name") or not rewrite.operands:
            raise self._error(
                "expected `pdl.rewrite %root { ... }`, which names the root"
            )
        root = self._node(rewrite.operands[0])
        place, self.is_rewrite = self.place, True
        changes = context.children(rewrite)
        for operation in changes:
            self._read(operation)
        self.place = place
        if not changes:
            raise self._error("the rewrite changes nothing")
        return PatternGraph(
            pattern=self.pattern,
            benefit=self._field(whole, "benefit"),
            root=cast("OperationNode", root),
            nodes=tuple(self.nodes),
            conditions=tuple(self.conditions),
            steps=tuple(self.steps),
            place=place,
        )

    def _read(self, operation: Operation) -> None:
        """Read an operation that defines nodes, or a condition, or a step."""
        context, name = self.library.context, self.library.context.name(operation)
        self.place = context.location(operation)
        given = [self._node(value) for value in operation.operands]
        match name, self.is_rewrite:
            case "pdl.apply_native_constraint", False:
                self._condition(operation, given)
            case "pdl.apply_native_rewrite", True:
                self._call(operation, given)
            case "pdl.replace", True:
                replaced, *values = given
                step = Replace(
                    operation=cast("OperationNode", replaced),
                    by=tuple(values),
                    place=self.place,
                )
                self.steps.append(step)
            case "pdl.erase", True:
                erased = cast("OperationNode", given[0])
                self.steps.append(Erase(operation=erased, place=self.place))
            case _:
                self._define(operation, self._made(operation, name, given))

    def _condition(self, operation: Operation, given: list[Node]) -> None:
        if len(operation.results):
            raise self._error("a constraint has no results: a rewrite may have some")
        condition = Condition(
            test=Native(self._field(operation, "name")),
            arguments=tuple(given),
            is_negated=bool(self._field(operation, "isNegated")),
            place=self.place,
        )
        self.conditions.append(condition)

    def _call(self, operation: Operation, given: list[Node]) -> None:
        results = []
        for value in operation.results:
            made = MadeNode(label="made", place=self.place, of=_kind(value))
            self.known[self.library.key(value)] = made
            results.append(made)
        call = Call(
            function=Native(self._field(operation, "name")),
            arguments=tuple(given),
            results=tuple(results),
            place=self.place,
        )
        self.steps.append(call)

    def _define(self, operation: Operation, node: Node) -> None:
        self.known[self.library.key(operation.results[0])] = node
        if not self.is_rewrite:
            self.nodes.append(node)
        elif isinstance(node, OperationNode):
            self.steps.append(Create(operation=node))

    def _made(  # noqa: PLR0911 - a row for each operation of PDL
        self, operation: Operation, name: str, given: list[Node]
    ) -> Node:
        """Return the node that an operation stands for."""
        label, place = name.removeprefix("pdl."), self.place  # PDL's own names
        first: Any = given[0] if given else None
        match name:
            case "pdl.type":
                constant = self._field(operation, "constantType")
                return TypeNode(label=label, place=place, constant=constant)
            case "pdl.types":
                listed = self._field(operation, "constantTypes")
                types = (
                    None if listed is None else tuple(map(self.library.plain, listed))
                )
                return TypeNode(label=label, place=place, constant=types, is_range=True)
            case "pdl.attribute":
                value = self._attribute(operation, "value")
                return AttributeNode(
                    label=label, place=place, constant=value, type=first
                )
            case "pdl.operand" | "pdl.operands":
                is_range = name == "pdl.operands"
                return OperandNode(
                    label=label, place=place, type=first, is_range=is_range
                )
            case "pdl.result" | "pdl.results":
                return ResultNode(
                    label=label,
                    place=place,
                    operation=first,
                    index=self._field(operation, "index"),
                    is_range=_kind(operation.results[0]) == "range<value>",
                )
            case "pdl.range":
                of = _kind(operation.results[0])
                return RangeNode(label=label, place=place, parts=tuple(given), of=of)
            case "pdl.operation":
                return self._operation(operation, given)
            case _:
                where = "a rewrite" if self.is_rewrite else "a match"
                raise self._error(f"'{name}' has no meaning in {where}")

    def _operation(self, operation: Operation, given: list[Any]) -> OperationNode:
        names = self._field(operation, "attributeValueNames") or ()
        num_operands = sum(node.kind in {"value", "range<value>"} for node in given)
        operands, rest = given[:num_operands], given[num_operands:]
        attributes, types = rest[: len(names)], rest[len(names) :]
        return OperationNode(
            label="operation",
            place=self.place,
            operation=self._field(operation, "opName") or "",
            operands=tuple(operands),
            attributes=tuple(
                (self.library.plain(name), attribute)
                for name, attribute in zip(names, attributes, strict=True)
            ),
            types=tuple(types),
            is_new=self.is_rewrite,
        )

    def _node(self, value: Any) -> Node:  # noqa: ANN401 - of the library
        node = self.known.get(self.library.key(value))
        if node is None:
            raise self._error("uses an argument of a block")
        return node

    def _attribute(self, operation: Operation, name: str) -> Any:  # noqa: ANN401
        return self.library.attributes(operation).get(name)

    def _field(self, operation: Operation, name: str) -> Any:  # noqa: ANN401
        """Return a string, number, type or sequence that an operation of PDL has."""
        found = self._attribute(operation, name)
        return None if found is None else self.library.plain(found)

    def _error(self, problem: str) -> PatternError:
        return pattern_error(self.pattern, self.place, problem)


def _kind(value: Any) -> Kind:  # noqa: ANN401 - of the library
    """Return the kind that a value of PDL stands for, by its type."""
    text = str(value.type).removeprefix("!pdl.")
    return cast("Kind", text)
