"""The evaluation of a pattern: what it matches, and what it makes, as bits.

An engine, z3 or one that tries all values, stands for the bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from passgen_runtime.errors import text_of
from passgen_runtime.patterns import (
    Call,
    Create,
    Erase,
    HasUses,
    Node,
    OperationNode,
    PatternGraph,
    Replace,
    ResultNode,
)
from passgen_tools.verify.attribute_values import AttributeValues
from passgen_tools.verify.attributes import WIDTHS, AttributeNumbers
from passgen_tools.verify.counterexample import EvaluatedOperation, Key
from passgen_tools.verify.judgements import JudgedError, NoMatchError
from passgen_tools.verify.semantics import (
    Bits,
    Semantics,
    Truth,
    Type,
    Value,
    own_semantics,
)
from passgen_tools.verify.shipped_semantics import SEMANTICS


@dataclass(frozen=True)
class _Inputs:
    """The operands and attributes of an operation."""

    operand_keys: list[Key]
    operands: list[Value]
    attribute_keys: list[Key]
    arguments: list[Bits | int]
    """What semantics get, behind the engine."""

    keywords: dict[str, Bits]
    """What semantics get by name."""


@dataclass
class GraphEvaluation:
    """The evaluation of a pattern on chosen types."""

    engine: Any
    graph: PatternGraph
    types: Mapping[Node, Type]
    semantics: Mapping[str, Callable[..., object]]
    """The functions of operations of its own, by name."""

    numbers: AttributeNumbers
    check_time: Callable[[], None]
    """Raises an exception once the time limit is met; called before each operation."""

    values: dict[Key, Value] = field(default_factory=dict)
    evaluated: dict[OperationNode, EvaluatedOperation] = field(default_factory=dict)
    replaced: list[tuple[Key, Key]] = field(default_factory=list)
    """Results of the root, each with the value that replaces it."""

    attributes: AttributeValues = field(init=False)
    problem: str = ""
    """Why the IR that is made is invalid; empty if it is not."""

    def __post_init__(self) -> None:
        """Prepare the attributes."""
        self.attributes = AttributeValues(
            self.engine, self.graph, self.types, self.numbers
        )

    def is_wrong(self) -> Truth:
        """Return whether what is created does not refine what is matched.

        Raises:
            NoMatchError: the types match nothing.
            JudgedError: something has no semantics, or the time limit is met.
        """
        undefined_before = self._evaluate_match()
        matches = self.attributes.holds()
        try:
            undefined_after, differs = self._evaluate_rewrite()
        except NoMatchError as error:  # it is invalid, whatever the values
            self.problem = str(error) or self.problem
            return matches
        self.problem = ""
        is_defined = self.engine.Not(undefined_before)
        return matches & is_defined & (undefined_after | differs)

    def has_unlike_constants(self) -> Truth:
        """Return whether the constants that vary are unlike 0, 1, -1 and each other.

        Operations on such constants do not fold unless all operands are constants.
        """
        is_unlike = self.engine.BoolVal(1)
        seen: list[Bits] = []
        for node, evaluated in self.evaluated.items():
            if node.operation != "arith.constant":
                continue
            source, _ = evaluated.attributes[0]
            if getattr(source, "constant", None) is not None:
                continue
            value = self.values[evaluated.results[0]]
            width = value.type.width
            others = [other for other in seen if other.size() == width]
            for other in (*others, 0, 1, -1):
                is_unlike &= value.bits != other
            seen.append(value.bits)
        return is_unlike

    # The match and the rewrite.

    def _evaluate_match(self) -> Truth:
        """Evaluate what is matched; return whether its behavior is undefined."""
        is_undefined = self.engine.BoolVal(0)
        for node in self.graph.nodes:
            check_kind(node)
            if isinstance(node, OperationNode):
                is_undefined |= self._evaluate_operation(node)
        return is_undefined

    def _evaluate_rewrite(self) -> tuple[Truth, Truth]:
        """Evaluate what is created.

        Return whether its behavior is undefined, and whether a value that replaces a
        result does not refine it.

        Raises:
            NoMatchError: it is invalid IR; `problem` says why.
        """
        is_undefined = differs = self.engine.BoolVal(0)
        for step in self.graph.steps:
            for node in step.arguments:
                check_kind(node)
            match step:
                case Create(operation=operation):
                    name = operation.operation
                    self.problem = f"the types of the new '{name}' do not fit"
                    is_undefined |= self._evaluate_operation(operation)
                case Replace():
                    self.problem = "a value of another type replaces a result"
                    differs |= self._differs(step)
                case Call():
                    pass  # the attributes that it makes are known when a match is
                case Erase():
                    raise JudgedError("not-checked", "'pdl.erase' has no semantics")
        return is_undefined, differs

    def _differs(self, step: Replace) -> Truth:
        """Return whether a value that replaces a result does not refine it."""
        root = self.graph.root
        old_keys = self._result_keys(root)
        new_keys = [key for value in step.by for key in self._result_keys(value)]
        if step.operation is not root or len(new_keys) != len(old_keys):
            raise JudgedError("not-checked", "it replaces more than the root's results")
        unused = {
            self._key(condition.arguments[0])
            for condition in self.graph.conditions
            if condition.test == HasUses(0)
        }
        differs = self.engine.BoolVal(0)
        for old_key, new_key in zip(old_keys, new_keys, strict=True):
            if old_key in unused:
                continue
            old, new = self.values[old_key], self.values[new_key]
            if old.type != new.type:
                raise NoMatchError
            self.replaced.append((old_key, new_key))
            is_other = new.poison | (old.bits != new.bits)
            differs |= self.engine.Not(old.poison) & is_other
        return differs

    def _result_keys(self, value: Node) -> list[Key]:
        """Return the keys of the results of an operation, or of a value."""
        if isinstance(value, OperationNode):
            return self.evaluated[value].results
        return [self._key(value)]

    def _key(self, value: Node) -> Key:
        """Return the key of an operand or a result."""
        if not isinstance(value, ResultNode) or value.index is None:
            return value, 0
        key = value.operation, value.index
        if key not in self.values:
            name = getattr(value.operation, "operation", value.operation.label)
            what = f"'{name}' has no result {value.index}"
            raise JudgedError("not-checked", what)
        return key

    # An operation.

    def _evaluate_operation(self, node: OperationNode) -> Truth:
        """Keep the results of an operation; return whether its behavior is undefined.

        Raises:
            NoMatchError: its types do not fit.
            JudgedError: it has no semantics.
        """
        self.check_time()
        semantics = self._semantics_of(node)
        operand_types, result_types = self._bind_types(node, semantics)
        inputs = self._inputs(node, semantics, operand_types, result_types[0])
        is_poison = semantics.poison(self.engine, *inputs.arguments)
        is_poison |= semantics.spread(self.engine, *inputs.operands)
        result_keys: list[Key] = []
        results = self._results(node, semantics, inputs, result_types)
        for index, (bits, type_) in enumerate(zip(results, result_types, strict=True)):
            key = node, index
            result_keys.append(key)
            self.values[key] = Value(bits, is_poison, type_)
        is_undefined = semantics.undefined(self.engine, *inputs.operands)
        self.evaluated[node] = EvaluatedOperation(
            node, inputs.operand_keys, inputs.attribute_keys, result_keys, is_undefined
        )
        return is_undefined

    def _semantics_of(self, node: OperationNode) -> Semantics:
        """Return the semantics of an operation, those of the pass first.

        Raises:
            JudgedError: it has none, or its operands or attributes have none.
        """
        name = node.operation
        semantics = SEMANTICS.get(name)
        if function := self.semantics.get(name):
            semantics = own_semantics(function, len(node.operands))
        if semantics is None:
            raise JudgedError("not-checked", f"'{name}' has no semantics")
        names = {attribute for attribute, _ in node.attributes}
        has_other_attributes = bool(names - {semantics.attribute, *semantics.keywords})
        if has_other_attributes or len(node.operands) != semantics.num_operands:
            reason = f"an operand or attribute of '{name}' has no semantics"
            raise JudgedError("not-checked", reason)
        return semantics

    def _bind_types(
        self, node: OperationNode, semantics: Semantics
    ) -> tuple[list[Type], list[Type]]:
        """Return the types of the operands and of the results of an operation.

        Raises:
            NoMatchError: they do not fit.
            JudgedError: one is not known.
        """
        known = [self._type(self._key(operand)) for operand in node.operands]
        known += [self.types.get(type_) for type_ in node.types]
        bound = _bind(semantics.type_letters, known)
        operand_types = bound[: semantics.num_operands]
        result_types = bound[semantics.num_operands :]
        if operand_types and not semantics.fits(operand_types[0], result_types[0]):
            raise NoMatchError
        return operand_types, result_types

    def _type(self, key: Key) -> Type | None:
        """Return the type of an operand, `None` if it is not known yet."""
        if key in self.values:
            return self.values[key].type
        type_ = getattr(key[0], "type", None)
        return None if type_ is None else self.types[type_]

    def _inputs(
        self,
        node: OperationNode,
        semantics: Semantics,
        operand_types: Sequence[Type],
        result_type: Type,
    ) -> _Inputs:
        """Keep the operands and attributes of an operation; return them.

        Raises:
            NoMatchError: an attribute has another type.
            JudgedError: an attribute is not known.
        """
        operand_keys = [self._key(operand) for operand in node.operands]
        operands = [
            self._operand(key, type_)
            for key, type_ in zip(operand_keys, operand_types, strict=True)
        ]
        arguments = [operand.bits for operand in operands]
        attribute_keys: list[Key] = []
        if semantics.attribute:
            key = self._attribute(node, semantics.attribute, result_type)
            attribute_keys.append(key)
            arguments.append(self.values[key].bits)
        if semantics.needs_width:
            arguments.append(result_type.width)
        keywords: dict[str, Bits] = {}
        for name, key in self._keyword_attributes(node, semantics).items():
            attribute_keys.append(key)
            keywords[name] = self.values[key].bits
        return _Inputs(operand_keys, operands, attribute_keys, arguments, keywords)

    def _attribute(self, node: OperationNode, name: str, result_type: Type) -> Key:
        """Keep the value of an attribute of an operation; return its key."""
        width = WIDTHS.get(name)
        type_ = Type(name, width) if width else result_type
        source, value = self.attributes.of_operation(node, name, type_)
        key = source, name
        self.values[key] = value
        return key

    def _keyword_attributes(
        self, node: OperationNode, semantics: Semantics
    ) -> dict[str, Key]:
        """Keep the attributes that a function of the pass gets; return their keys.

        Raises:
            JudgedError: one is not known.
        """
        keys: dict[str, Key] = {}
        for name, has_default in semantics.keywords.items():
            found = self.attributes.of_own_operation(node, name)
            if found is not None:
                source, value = found
                keys[name] = source, name
                self.values[keys[name]] = value
            elif not (node.is_new and has_default):
                what = f"the attribute '{name}' of '{node.operation}' is not shown"
                raise JudgedError("not-checked", what)
        return keys

    def _operand(self, key: Key, type_: Type) -> Value:
        """Return a value that is known, or a new operand."""
        if key not in self.values:
            bits = self.engine.FreshConst(self.engine.BitVecSort(type_.width))
            self.values[key] = Value(bits, self.engine.FreshBool(), type_)
        return self.values[key]

    def _results(
        self,
        node: OperationNode,
        semantics: Semantics,
        inputs: _Inputs,
        types: Sequence[Type],
    ) -> list[Bits]:
        """Return the bits of the results of an operation.

        Raises:
            JudgedError: a function of the pass fails.
        """
        try:
            returned = semantics.value(
                self.engine, *inputs.arguments, **inputs.keywords
            )
            results = returned if isinstance(returned, tuple) else (returned,)
            # Functions may return numbers, which become bits so.
            return [
                self.engine.BitVecVal(0, type_.width) | result
                for result, type_ in zip(results, types, strict=True)
            ]
        except (Exception, SystemExit) as error:
            what = f"the semantics of '{node.operation}' return no {types[0]}"
            reason = f"{what}: {type(error).__name__}: {text_of(error)}"
            raise JudgedError("not-checked", reason) from error


def check_kind(node: Node) -> None:
    """Check that a node is no range.

    Raises:
        JudgedError: it is one.
    """
    if node.kind.startswith("range"):
        raise JudgedError("not-checked", f"'pdl.{node.label}' has no semantics")


def _bind(letters: str, types: Sequence[Type | None]) -> list[Type]:
    """Return a type for each letter, of which some are known."""
    bound = {"1": Type("i1", 1)}
    for letter, type_ in zip(letters, types, strict=False):
        if type_ and bound.setdefault(letter, type_) != type_:
            raise NoMatchError
    if not bound.keys() >= {*letters}:
        raise JudgedError("not-checked", "an operand or a result has no type")
    return [bound[letter] for letter in letters]
