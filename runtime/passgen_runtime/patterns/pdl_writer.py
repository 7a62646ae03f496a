"""Writes a pattern in PDL, MLIR's language for patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from textwrap import indent

from passgen_runtime.instrumentations.file_metadata import quote
from passgen_runtime.patterns.functions import RewriteFunction, Test
from passgen_runtime.patterns.graph import (
    AttributeNode,
    Call,
    Condition,
    Create,
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


@dataclass
class PDLWriter:
    """Writes a pattern in PDL."""

    graph: PatternGraph
    counter: str = ""
    """A function that the rewrite calls first, with the root; empty for none."""

    tests: dict[str, Test] = field(default_factory=dict)
    """What the constraints in the text test, by name."""

    functions: dict[str, RewriteFunction] = field(default_factory=dict)
    """What the rewrite calls, by name."""

    _lines: list[str] = field(default_factory=list)
    _names: dict[Node, str] = field(default_factory=dict)

    def write(self) -> str:
        """Return the text of a `pdl.pattern`."""
        graph, conditions = self.graph, list(self.graph.conditions)
        for node in graph.nodes:
            self._name(node)
            known = [one for one in conditions if self._are_named(one.arguments)]
            for condition in known:
                conditions.remove(condition)
                self._write_condition(condition)
        matched = len(self._lines)
        root = self._name(graph.root)
        self._lines.append(f"pdl.rewrite {root} {{")
        if self.counter:
            call = f"pdl.apply_native_rewrite {quote(self.counter)}"
            self._lines.append(f"{call} ({root} : !pdl.operation)")
        for step in graph.steps:
            self._write_step(step)
        match, rewrite = self._lines[: matched + 1], self._lines[matched + 1 :]
        lines = *match, *(f"  {line}" for line in rewrite), "}"
        body = indent("\n".join(lines), "  ")
        return f"pdl.pattern : benefit({graph.benefit}) {{\n{body}\n}}"

    def _are_named(self, nodes: Iterable[Node]) -> bool:
        return all(node in self._names for node in nodes)

    def _name(self, node: Node) -> str:
        """Return the name of the value that stands for a node, written if it is new."""
        if node not in self._names:
            self._define(node, self._definition(node))
        return self._names[node]

    def _define(self, node: Node, definition: str) -> None:
        name = f"{_identifier(node.label)}_{len(self._lines)}"
        self._names[node] = name
        self._lines.append(f"{name} = {definition}")

    def _definition(  # noqa: PLR0911 - a row for each kind of node
        self, node: Node
    ) -> str:
        """Return the operation of PDL that defines a node."""
        match node:
            case TypeNode(is_range=True):
                listed = node.constant and ", ".join(map(str, node.constant))
                return "pdl.types" + (f" : [{listed}]" if listed is not None else "")
            case TypeNode():
                shown = "" if node.constant is None else f" : {node.constant}"
                return f"pdl.type{shown}"
            case AttributeNode():
                shown = "" if node.constant is None else f" = {node.constant}"
                return f"pdl.attribute{self._typed(node.type)}{shown}"
            case OperandNode():
                plural = "s" * node.is_range
                return f"pdl.operand{plural}{self._typed(node.type)}"
            case ResultNode():
                owner = self._name(node.operation)
                index = "" if node.index is None else f"{node.index} "
                if not node.is_range:
                    return f"pdl.result {index}of {owner}"
                kind = f" -> !pdl.{node.kind}" if index else ""
                return f"pdl.results {index}of {owner}{kind}"
            case RangeNode():
                return f"pdl.range {self._listed(node.parts)} : !pdl.{node.kind}"
            case OperationNode():
                return self._operation(node)
        raise TypeError(f"{node!r} is defined by a step")

    def _typed(self, type_: Node | None) -> str:
        return "" if type_ is None else f" : {self._name(type_)}"

    def _operation(self, node: OperationNode) -> str:
        text = "pdl.operation"
        text += f" {quote(node.operation)}" if node.operation else ""
        text += f" ({self._listed(node.operands)})" if node.operands else ""
        attributes = ", ".join(
            f"{quote(name)} = {self._name(attribute)}"
            for name, attribute in node.attributes
        )
        text += f" {{{attributes}}}" if attributes else ""
        text += f" -> ({self._listed(node.types)})" if node.types else ""
        return text

    def _listed(self, nodes: Sequence[Node]) -> str:
        names = ", ".join(self._name(node) for node in nodes)
        types = ", ".join(f"!pdl.{node.kind}" for node in nodes)
        return f"{names} : {types}" if nodes else ""

    def _write_condition(self, condition: Condition) -> None:
        name = str(condition.test)
        self.tests[name] = condition.test
        negation = " {isNegated = true}" * condition.is_negated
        given = self._listed(condition.arguments)
        text = f'pdl.apply_native_constraint "{name}" ({given}){negation}'
        self._lines.append(text)

    def _write_step(self, step: Step) -> None:
        match step:
            case Create():
                self._name(step.operation)
            case Call():
                self._write_rewrite(step)
            case Replace():
                old, *new = [self._name(node) for node in step.arguments]
                with_ = new[0] if step.is_by_operation else f"({self._listed(step.by)})"
                self._lines.append(f"pdl.replace {old} with {with_}")
            case _:
                self._lines.append(f"pdl.erase {self._name(step.operation)}")

    def _write_rewrite(self, call: Call) -> None:
        given = f" ({self._listed(call.arguments)})" if call.arguments else ""
        name = str(call.function)
        self.functions[name] = call.function
        results = ", ".join(f"!pdl.{made.kind}" for made in call.results)
        text = f'pdl.apply_native_rewrite "{name}"{given}'
        if not results:
            self._lines.append(text)
            return
        name = f"{_identifier(call.results[0].label)}_{len(self._lines)}"
        for number, made in enumerate(call.results):
            self._names[made] = f"{name}#{number}" if call.results[1:] else name
        pack = f":{len(call.results)}" if call.results[1:] else ""
        self._lines.append(f"{name}{pack} = {text} : {results}")


def _identifier(label: str) -> str:
    """Return the beginning of the name of a value."""
    text = re.sub(r"[^\w$.-]", "_", label, flags=re.ASCII)
    return f"%{'_' * text[0].isdigit()}{text}"


def pdl_text(graph: PatternGraph) -> str:
    """Return a pattern in PDL."""
    return PDLWriter(graph).write()
