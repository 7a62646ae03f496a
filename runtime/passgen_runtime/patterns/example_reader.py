"""Reads patterns that are shown as the IR before and after them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from passgen_runtime.context import Operation
from passgen_runtime.errors import IRError
from passgen_runtime.patterns.example_conditions import (
    require_lacks,
    require_scalars,
    restrict,
)
from passgen_runtime.patterns.example_ir import ExampleIR, before_of, choices
from passgen_runtime.patterns.example_pairs import ExamplePairs
from passgen_runtime.patterns.example_parts import ExampleParts
from passgen_runtime.patterns.functions import HasUses
from passgen_runtime.patterns.graph import (
    Create,
    Erase,
    OperandNode,
    OperationNode,
    PatternGraph,
    Replace,
    ResultNode,
    ValueNode,
)
from passgen_runtime.patterns.library import PatternLibrary
from passgen_runtime.patterns.rewrite_pattern import RewritePattern, pattern_error


def read_example(
    library: PatternLibrary, pattern: RewritePattern
) -> list[PatternGraph]:
    """Return a graph for each choice of listed types that the IR allows.

    Raises:
        IRError: the IR of all choices is wrong.
        PatternError: the texts show no pattern.
    """
    graphs, errors, num_excluded = list[PatternGraph](), list[IRError](), 0
    for choice in choices(pattern):
        try:
            found = _ExampleReader(library, pattern, choice).read()
        except IRError as error:
            errors.append(error)
        else:
            num_excluded += found is None
            graphs += [found] if found is not None else []
    if errors and not graphs and not num_excluded:
        raise errors[0]
    if not graphs:
        place, message = before_of(pattern).place, "no choice of types is possible"
        raise pattern_error(pattern, place, message)
    return graphs


class _ExampleReader:
    """Reads a pattern, with a choice of its listed types."""

    def __init__(
        self,
        library: PatternLibrary,
        pattern: RewritePattern,
        choice: Mapping[str, str],
    ) -> None:
        """Parse the texts."""
        self._pattern = pattern
        place = before_of(pattern).place
        self._parts = ExampleParts(library, pattern, choice, place)
        self._pairs = ExamplePairs(self._parts)
        self._values: dict[str, OperandNode | tuple[OperationNode, int]] = {}
        """Operands, and operations with the numbers of results, by name."""

    def read(self) -> PatternGraph | None:
        """Return the graph; `None` if a condition excludes the choice of types."""
        parts, pairs = self._parts, self._pairs
        root = self._match(pairs.befores)
        if not restrict(parts):
            return None
        require_lacks(parts, pairs)
        require_scalars(parts, pairs)
        self._require_uses()
        self._rewrite(pairs.afters, root, pairs.replaced)
        place = parts.place
        self._check_variables()
        return PatternGraph(
            pattern=self._pattern,
            benefit=self._pattern.benefit,
            root=root,
            nodes=tuple(parts.nodes),
            conditions=tuple(parts.conditions),
            steps=tuple(parts.steps),
            place=place,
            values=parts.choice,
        )

    def _require_uses(self) -> None:
        """Require that results have no uses or one, as the declaration says."""
        for name in self._pattern.unused:
            self._parts.require(HasUses(0), self._result(name, "unused"))
        for name in self._pattern.one_use:
            self._parts.require(HasUses(1), self._result(name, "used once"))

    def _result(self, name: str, condition: str) -> ValueNode:
        """Return the result in `before` that a condition names."""
        self._parts.place = self._pairs.before_text.place
        value_name = f"%{name.removeprefix('%')}"
        if not isinstance(self._values.get(value_name), tuple):
            self._parts.refuse(f"'{name}' that is {condition}, as it is no result")
        return self._value(value_name)

    def _check_variables(self) -> None:
        """Check that a part depends on each variable."""
        known = {*self._parts.attributes, *self._parts.types}
        for variable in self._parts.open:
            if variable.name not in known:
                self._parts.place = self._pairs.before_text.place
                self._parts.refuse(f"'${variable.name}', by which no part differs")

    def _match(self, befores: Sequence[ExampleIR]) -> OperationNode:
        first = befores[0]
        uses = {token.text: token for token in reversed(first.text.tokens)}
        for name in first.free:
            self._parts.place = first.text.place
            if name not in uses:
                self._parts.refuse(f"'{name}', which no operation uses")
            self._parts.place = first.text.place_of(uses[name])
            type_ = self._parts.type([example.types[name] for example in befores])
            node = OperandNode(label=name[1:], place=self._parts.place, type=type_)
            self._values[name] = self._parts.keep(node)
        alike = zip(self._alike(befores), self._pairs.flags, strict=True)
        for operations, flags in alike:
            root = self._operation(operations, first, flags)
        return root

    def _rewrite(
        self, afters: Sequence[ExampleIR], root: OperationNode, results: Sequence[str]
    ) -> None:
        self._parts.is_after = True
        for name in results:
            del self._values[name]
        after = afters[0]
        for operations in self._alike(afters):
            self._operation(operations, after, ())
        self._parts.place = after.text.place
        names = [after.text.resolve(name) for name in results]
        values = tuple(self._value(name) for name in names)
        if values:
            step = Replace(operation=root, by=values, place=self._parts.place)
            self._parts.steps.append(step)
        else:
            self._parts.steps.append(Erase(operation=root, place=self._parts.place))

    def _alike(self, examples: Sequence[ExampleIR]) -> Iterator[Sequence[Operation]]:
        """Yield the operations of examples, side by side."""
        context = self._parts.library.context
        counts = {len(example.operations) for example in examples}
        names = [map(context.name, example.operations) for example in examples]
        if len(counts) > 1 or any(
            len({*same}) > 1 for same in zip(*names, strict=True)
        ):
            self._parts.place = examples[0].text.place
            self._parts.refuse("operations that depend on a variable")
        return zip(*(example.operations for example in examples), strict=True)

    def _operation(
        self,
        operations: Sequence[Operation],
        example: ExampleIR,
        flags: Collection[str],
    ) -> OperationNode:
        first, name = operations[0], self._parts.library.context.name(operations[0])
        self._parts.place = example.place(first)
        if len(first.regions) or len(first.successors):
            self._parts.refuse("an operation with regions or successors")
        operands = tuple(
            self._value(example.names.get(value, "")) for value in first.operands
        )
        attributes = tuple(self._parts.attributes_of(operations, flags))
        results = zip(*(parsed.results for parsed in operations), strict=True)
        types = tuple(
            self._parts.type([value.type for value in same]) for same in results
        )
        node = OperationNode(
            label=name.rpartition(".")[2],
            place=self._parts.place,
            operation=name,
            operands=operands,
            attributes=attributes,
            types=types,
            is_new=self._parts.is_after,
            is_verified=True,
        )
        if self._parts.is_after:
            self._parts.steps.append(Create(operation=node))
        else:
            self._parts.keep(node)
        for number, result in enumerate(first.results):
            self._values[example.names.get(result, "")] = node, number
        return node

    def _value(self, name: str) -> ValueNode:
        found = self._values.get(name)
        if found is None:
            self._parts.refuse("the use of a value before its definition")
        if isinstance(found, OperandNode):
            return found
        # MLIR compares a result only where it is used first: each use has a node.
        operation, index = found
        place = self._parts.place
        return self._parts.keep(
            ResultNode(label="value", place=place, operation=operation, index=index)
        )
