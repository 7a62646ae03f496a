"""Reads patterns that are shown as the IR before and after them.

The texts are parsed once more for each open variable, with another example of it: what
differs is the variable. So the parts of IR are sequences: as the first examples make
them, and as the others do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, TypeVar

from passgen_runtime.context import Operation
from passgen_runtime.errors import IRError
from passgen_runtime.patterns.example_ir import (
    ExampleIR,
    after_of,
    before_of,
    choices,
)
from passgen_runtime.patterns.example_text import ExampleText
from passgen_runtime.patterns.functions import (
    RELATIONS,
    EqualsLiteral,
    FitsLiteral,
    HasNoUses,
    HasWidths,
    IsOfKind,
    IsScalar,
    LacksAttribute,
    MakeLiteral,
    Native,
    RewriteFunction,
    Test,
)
from passgen_runtime.patterns.graph import (
    AttributeNode,
    Call,
    Condition,
    Create,
    Erase,
    MadeNode,
    Node,
    OperandNode,
    OperationNode,
    PatternGraph,
    Replace,
    ResultNode,
    Step,
    TypeNode,
    ValueNode,
)
from passgen_runtime.patterns.ir_reader import Attribute, IRReader, Type
from passgen_runtime.patterns.library import PatternLibrary, UnknownTypeError
from passgen_runtime.patterns.rewrite_pattern import (
    PatternError,
    PatternVariable,
    RewritePattern,
    pattern_error,
)


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


_NUM_COMPARED: Final = 2

N = TypeVar("N", bound=Node)


@dataclass
class _ExampleReader:
    """Reads a pattern, with a choice of its listed types."""

    library: PatternLibrary
    pattern: RewritePattern
    choice: Mapping[str, str]
    """The first examples of variables."""

    place: str = ""
    """The place of what is being read."""

    nodes: list[Node] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    is_after: bool = False
    values: dict[str, OperandNode | tuple[OperationNode, int]] = field(
        default_factory=dict
    )
    """Operands, and operations with the numbers of results, by name."""

    types: dict[object, TypeNode] = field(default_factory=dict)
    """Constants by themselves, others by the names of their variables."""

    attributes: dict[str, AttributeNode | MadeNode] = field(default_factory=dict)
    """By the names of their variables."""

    shown: dict[str, Sequence[Attribute]] = field(default_factory=dict)
    """The attributes that variables stand for, by their names."""

    def read(self) -> PatternGraph | None:
        """Return the graph; `None` if a condition excludes the choice of types."""
        before_text = before_of(self.pattern)
        self.place = before_text.place
        others = ({**self.choice, free.name: free.examples[1]} for free in self.open)
        all_values = [self.choice, *others]
        befores = [self._parse(before_text, values, {}) for values in all_values]
        self.befores = befores
        replaced = self._replaced(befores[0])
        known = frozenset(befores[0].types.keys() - replaced)
        after_text = after_of(self.pattern, known)
        afters = []
        for values, before in zip(all_values, befores, strict=True):
            types = {name: before.types[name] for name in known}
            after = self._parse(after_text, values, types)
            self._check_results(before, after)
            afters.append(after)
        root = self._match(befores)
        restricted = [
            variable
            for variable in self.pattern.variables
            if variable.where
            and (
                not variable.is_attribute
                or variable.is_flag
                or variable.name in self.attributes
            )
        ]
        if not all(map(self._restrict, restricted)):
            return None
        self._require_lacks(befores)
        self._require_scalars(befores[0], afters[0])
        for name in self.pattern.unused:
            self.place = before_text.place
            value = self._value(f"%{name.removeprefix('%')}")
            if not isinstance(value, ResultNode):
                self._refuse(f"'{name}' that is unused, as it is no result")
            self._require(HasNoUses(), value)
        self._rewrite(afters, root, [*replaced])
        for variable in self.open:
            if (
                variable.name
                not in (self.attributes, self.types)[not variable.is_attribute]
            ):
                self.place = before_text.place
                self._refuse(f"'${variable.name}', by which no part differs")
        return PatternGraph(
            pattern=self.pattern,
            benefit=self.pattern.benefit,
            root=root,
            nodes=tuple(self.nodes),
            conditions=tuple(self.conditions),
            steps=tuple(self.steps),
            place=after_text.place if self.pattern.after else before_text.place,
            values=self.choice,
        )

    @property
    def open(self) -> list[PatternVariable]:
        """The variables whose examples are two of many."""
        return [variable for variable in self.pattern.variables if variable.is_open]

    # Checks of the texts.

    def _parse(
        self, text: ExampleText, values: Mapping[str, str], known: Mapping[str, Type]
    ) -> ExampleIR:
        try:
            return ExampleIR(self.library, text, values, known)
        except UnknownTypeError as error:
            (name,) = error.args
            self.place = next(
                text.place_of(token) for token in text.tokens if token.text == name
            )
            message = f"the type of '{name}' is not known"
            way_out = f"begin 'before' with a line `^bb0({name}: TYPE):`"
            raise self._error(f"{message}: {way_out}") from error

    def _replaced(self, before: ExampleIR) -> dict[str, Type]:
        """Return the results of the root, by name; the root alone is replaced."""
        if not before.operations:
            raise self._error("there is no operation 'before' it")
        if before.text.aliases:
            self._refuse("a line `%0 = %x` in 'before'")
        *others, root = before.operations
        key = self.library.key
        used = {key(value) for value in root.operands}
        for operation in reversed(others):
            self.place = before.place(operation)
            if used.isdisjoint(map(key, operation.results)):
                self._refuse("an operation that the last one does not use")
            used.update(map(key, operation.operands))
        self.place = before.place(root)
        return {before.names.get(old, ""): old.type for old in root.results}

    def _check_results(self, before: ExampleIR, after: ExampleIR) -> None:
        """Check that `after` defines the results of the root, and the right ones."""
        replaced = self._replaced(before)
        self.place = after.text.place
        for token in after.text.repeated:
            self.place = after.text.place_of(token)
            self._refuse("a value that is defined twice")
        for name in after.text.aliases:
            if after.text.resolve(name) not in after.types:
                self._refuse("the use of a value before its definition")
        defined = {
            name for name in after.types if name.partition("#")[0] in after.text.defined
        }
        again = before.types.keys() & defined
        if {name: after.types[name] for name in again} != replaced:
            wanted = ", ".join(f"{name} : {replaced[name]}" for name in replaced)
            message = (
                "'after' must define the results of the last operation of 'before'"
            )
            note = "and no other value of it again"
            raise self._error(f"{message} ({wanted or 'none'}), {note}")

    # Operations.

    def _match(self, befores: Sequence[ExampleIR]) -> OperationNode:
        first = befores[0]
        uses = {token.text: token for token in reversed(first.text.tokens)}
        for name in first.free:
            self.place = first.text.place
            if name in uses:
                self.place = first.text.place_of(uses[name])
            type_ = self._type([example.types[name] for example in befores])
            node = OperandNode(label=name[1:], place=self.place, type=type_)
            self.values[name] = self._keep(node)
        for operations in self._alike(befores):
            root = self._operation(operations, first)
        return root

    def _rewrite(
        self, afters: Sequence[ExampleIR], root: OperationNode, results: Sequence[str]
    ) -> None:
        self.is_after = True
        for name in results:
            del self.values[name]
        after = afters[0]
        for operations in self._alike(afters):
            self._operation(operations, after)
        self.place = after.text.place
        names = [after.text.resolve(name) for name in results]
        values = tuple(self._value(name) for name in names)
        if values:
            step = Replace(operation=root, by=values, place=self.place)
            self.steps.append(step)
        else:
            self.steps.append(Erase(operation=root, place=self.place))

    def _alike(self, examples: Sequence[ExampleIR]) -> Iterator[Sequence[Operation]]:
        """Yield the operations of examples, side by side."""
        context = self.library.context
        counts = {len(example.operations) for example in examples}
        names = [map(context.name, example.operations) for example in examples]
        if len(counts) > 1 or any(
            len({*same}) > 1 for same in zip(*names, strict=True)
        ):
            self.place = examples[0].text.place
            self._refuse("operations that depend on a variable")
        return zip(*(example.operations for example in examples), strict=True)

    def _operation(
        self, operations: Sequence[Operation], example: ExampleIR
    ) -> OperationNode:
        first, name = operations[0], self.library.context.name(operations[0])
        self.place = example.place(first)
        if len(first.regions) or len(first.successors):
            self._refuse("an operation with regions or successors")
        operands = tuple(
            self._value(example.names.get(value, "")) for value in first.operands
        )
        attributes = tuple(self._attributes(operations))
        results = zip(*(parsed.results for parsed in operations), strict=True)
        types = tuple(self._type([value.type for value in same]) for same in results)
        node = OperationNode(
            label=name.rpartition(".")[2],
            place=self.place,
            operation=name,
            operands=operands,
            attributes=attributes,
            types=types,
            is_new=self.is_after,
            is_verified=True,
        )
        if self.is_after:
            self.steps.append(Create(operation=node))
        else:
            self._keep(node)
        for number, result in enumerate(first.results):
            self.values[example.names.get(result, "")] = node, number
        return node

    def _value(self, name: str) -> ValueNode:
        found = self.values.get(name)
        if found is None:
            self._refuse("the use of a value before its definition")
        if isinstance(found, OperandNode):
            return found
        # MLIR compares a result only where it is used first: each use has a node.
        operation, index = found
        place = self.place
        return self._keep(
            ResultNode(label="value", place=place, operation=operation, index=index)
        )

    # Types and attributes.

    def _type(self, types: Sequence[Type]) -> TypeNode:
        variable = self._variable(types)
        if variable is None:
            return self._constant_type(types[0])
        name = variable.name
        if variable.is_attribute or not self._is_whole(variable, types):
            self._refuse(f"'${name}' as a part of {types[0]}")
        if name in self.types:
            return self.types[name]
        if self.is_after:
            self._refuse(f"'${name}' in 'after' alone")
        node = TypeNode(label=name, place=self.place)
        self.types[name] = self._keep(node)
        if variable.any != "type":
            self._require(IsOfKind(variable.any), node)
        return node

    def _is_whole(self, variable: PatternVariable, types: Sequence[Type]) -> bool:
        """Return whether the examples of a variable are types, not parts of them."""
        number = 1 + self.open.index(variable)
        parsed = [self.library.parse_type(text) for text in variable.examples[:2]]
        return bool(parsed == [types[0], types[number]])

    def _constant_type(self, type_: Type) -> TypeNode:
        if type_ not in self.types:
            node = TypeNode(label="type", place=self.place, constant=type_)
            self.types[type_] = self._keep(node)
        return self.types[type_]

    def _attributes(
        self, operations: Sequence[Operation]
    ) -> Iterator[tuple[str, AttributeNode | MadeNode]]:
        """Yield the attributes of an operation that it does not have by default."""
        readings = [self.library.attributes(operation) for operation in operations]
        for name in sorted(readings[0]):
            found = [reading.get(name) for reading in readings]
            if all(_is_same(attribute, found[0]) for attribute in found):
                if _is_same(self.library.default(operations[0], name), found[0]):
                    continue
                node = AttributeNode(label=name, place=self.place, constant=found[0])
                yield name, self._keep(node)
            else:
                yield name, self._attribute(name, found)

    def _attribute(
        self, name: str, found: Sequence[Attribute | None]
    ) -> AttributeNode | MadeNode:
        """Return an attribute that depends on variables."""
        library, first = self.library, found[0]
        types = [library.type_of(attribute) for attribute in found]
        is_typed = all(type_ is not None for type_ in types)
        type_ = self._type(types) if is_typed else None
        number = _same_number(library, found, types)
        if number is not None and type_ is not None:
            return self._literal(name, number, type_)
        changing = found
        if type_ is not None:  # what varies by the type alone is the same literal
            changing = [
                (
                    attribute
                    if _same_number(library, (first, attribute), (types[0], own))
                    is None
                    else first
                )
                for attribute, own in zip(found, types, strict=True)
            ]
        variable = self._variable(changing)
        is_part = (
            variable is None
            or not variable.is_attribute
            or library.is_composite(first)
            or self._is_listed(variable)
        )
        if is_part or variable is None:
            self._refuse(f"a variable as a part of {first}")
        return self._varying(variable, found, type_)

    def _is_listed(self, variable: PatternVariable) -> bool:
        texts = before_of(self.pattern), after_of(self.pattern, None)
        return texts[self.is_after].lists_variable(variable.name)

    def _literal(
        self, name: str, number: float, type_: TypeNode
    ) -> AttributeNode | MadeNode:
        """Return a literal whose type varies."""
        if not self.is_after:
            node = self._keep(AttributeNode(label=name, place=self.place, type=type_))
            self._require(EqualsLiteral(number), node)
            return node
        self._require(FitsLiteral(number), type_)
        return self._call(name, MakeLiteral(number), (type_,))

    def _varying(
        self,
        variable: PatternVariable,
        found: Sequence[Attribute | None],
        type_: TypeNode | None,
    ) -> AttributeNode | MadeNode:
        """Return the attribute that `variable` stands for."""
        name = variable.name
        known = self.shown.setdefault(name, found)
        if not all(map(_is_same, known, found)):
            self._refuse(f"'${name}' for {known[0]} and for {found[0]}")
        if name in self.attributes:
            return self.attributes[name]
        if self.is_after:
            if not variable.make:
                self._refuse(f"'${name}' in 'after' without 'make'")
            function, given = self._arguments(variable, variable.make)
            self.attributes[name] = self._call(name, Native(function), given)
            return self.attributes[name]
        node = self._keep(AttributeNode(label=name, place=self.place, type=type_))
        self.attributes[name] = node
        return node

    def _restrict(self, variable: PatternVariable) -> bool:
        """Add the condition that a variable has; return whether it may hold."""
        if variable.is_flag:
            self.place = before_of(self.pattern).place
            if variable.where != "absent":
                self._refuse(f"`{variable.where}` for the flag '${variable.name}'")
            return not self.choice[variable.name]
        known: Node | None = self.attributes.get(variable.name)
        if not variable.is_attribute:
            known = self.types.get(variable.name)
        self.place = known.place if known else self.place
        function, given = self._arguments(variable, variable.where)
        if function not in RELATIONS:
            self._require(Native(function), *given)
            return True
        types = [node.constant for node in given if isinstance(node, TypeNode)]
        if len(types) != len(given) or len(given) != _NUM_COMPARED:
            self._refuse(f"`{variable.where}`, which compares two types")
        if any(type_ is None for type_ in types):
            self._require(HasWidths(function), *given)
            return True
        return HasWidths(function).holds(self.library, *types)

    def _require_scalars(self, before: ExampleIR, after: ExampleIR) -> None:
        """Require scalars where vectors of them need other types, as `arith.cmpi` does.

        The texts are parsed with vectors: what is constant must stay so.
        """
        numbers = [free for free in self.open if free.any in {"integer", "float"}]
        nodes = [self.types[free.name] for free in numbers if free.name in self.types]
        if not nodes:
            return
        vectors = {free.name: f"vector<2x{self.choice[free.name]}>" for free in numbers}
        values = {**self.choice, **vectors}
        try:
            before_text = before.text.with_splats(vectors)
            wide = ExampleIR(self.library, before_text, values, {})
            known = {name: wide.types[name] for name in after.text.known or ()}
            after_text = after.text.with_splats(vectors)
            examples = wide, ExampleIR(self.library, after_text, values, known)
        except (IRError, UnknownTypeError, KeyError):
            is_alike = False
        else:
            own = {self.library.parse_type(self.choice[free.name]) for free in numbers}
            is_alike = all(
                type_ in own or type_ == other.types.get(name)
                for one, other in zip((before, after), examples, strict=True)
                for name, type_ in one.types.items()
            )
        for node in () if is_alike else nodes:
            self._require(IsScalar(), node)

    def _require_lacks(self, befores: Sequence[ExampleIR]) -> None:
        """Require that operations lack the flags that the choice leaves out."""
        text = befores[0].text
        for flag in self.pattern.variables:
            if not flag.is_flag or self.choice[flag.name]:
                continue
            shown = next(filter(None, flag.examples))
            other = self._parse(text, {**self.choice, flag.name: shown}, {})
            matched = [node for node in self.nodes if isinstance(node, OperationNode)]
            pairs = zip(befores[0].operations, other.operations, matched, strict=True)
            for one, with_flag, node in pairs:
                names = self.library.attributes(with_flag).keys()
                for name in sorted(names - self.library.attributes(one).keys()):
                    self.place = node.place
                    self._require(LacksAttribute(name), node)

    def _arguments(
        self, variable: PatternVariable, call: str
    ) -> tuple[str, tuple[Node, ...]]:
        """Return the function that a text calls, and its arguments."""
        function, _, listed = call.removesuffix(")").partition("(")
        names = listed.replace(",", " ").split() or [variable.name]
        return function, tuple(self._argument(name, call) for name in names)

    def _argument(self, name: str, call: str) -> Node:
        if name in self.attributes:
            return self.attributes[name]
        if name in self.types:
            return self.types[name]
        listed = {known.name for known in self.pattern.variables if not known.is_open}
        if name not in listed:
            self._refuse(f"`{call}`, as nothing matched is called '{name}'")
        return self._constant_type(self.library.parse_type(self.choice[name]))

    def _variable(self, parts: Sequence[Any]) -> PatternVariable | None:
        """Return the variable by which `parts` differ, if they do."""
        pairs = zip(self.open, parts[1:], strict=True)
        found = [variable for variable, part in pairs if not _is_same(part, parts[0])]
        if len(found) > 1:
            names = " and ".join(f"'${variable.name}'" for variable in found)
            self._refuse(f"{parts[0]}, which depends on {names}")
        return found[0] if found else None

    # The parts of the graph.

    def _keep(self, node: N) -> N:
        """Return a node; before the rewrite, it is matched."""
        if not self.is_after:
            self.nodes.append(node)
        return node

    def _require(self, test: Test, *given: Node) -> None:
        self.conditions.append(Condition(test=test, arguments=given, place=self.place))

    def _call(
        self, name: str, function: RewriteFunction, given: tuple[Node, ...]
    ) -> MadeNode:
        made = MadeNode(label=name, place=self.place, of="attribute")
        self.steps.append(
            Call(function=function, arguments=given, results=(made,), place=self.place)
        )
        return made

    def _refuse(self, what: str) -> NoReturn:
        raise self._error(f"an example cannot show {what}: say it in PDL")

    def _error(self, message: str) -> PatternError:
        return pattern_error(self.pattern, self.place, message)


def _is_same(one: Any, other: Any) -> bool:  # noqa: ANN401 - of the library
    """Return whether parts of IR, or lacks of one, are equal."""
    # MLIR's refuse to be compared with `None`.
    is_lacking = one is None or other is None
    return one is other or (not is_lacking and bool(one == other))


def _same_number(
    library: IRReader,
    found: Sequence[Attribute | None],
    types: Sequence[Type | None],
) -> float | None:
    """Return the number that all attributes are, in their types, if there is one.

    The most exact one counts: types of fewer bits round it.
    """
    if any(part is None for part in (*found, *types)):
        return None
    for attribute in found:
        number = library.number(attribute)
        if number is not None and all(
            _is_same(library.constant(number, type_), other)
            for other, type_ in zip(found, types, strict=True)
        ):
            return number
    return None
