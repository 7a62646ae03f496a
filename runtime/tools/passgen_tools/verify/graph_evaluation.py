"""The evaluation of a pattern: what it matches, and what it makes, as bits.

An engine, z3 or one that tries all values, stands for the bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from passgen_runtime.errors import text_of
from passgen_runtime.patterns import (
    Call,
    Create,
    HasNoUses,
    LacksAttribute,
    Node,
    OperationNode,
    PatternGraph,
    Replace,
    ResultNode,
)
from passgen_tools.verify import attributes
from passgen_tools.verify.counterexample import EvaluatedOperation, Key
from passgen_tools.verify.judgements import JudgedError
from passgen_tools.verify.semantics import (
    SEMANTICS,
    Truth,
    Type,
    Value,
    own_semantics,
)


class NoMatchError(Exception):
    """The pattern matches nothing, or what it makes is invalid."""


@dataclass
class GraphEvaluation:
    """The evaluation of a pattern on chosen types."""

    engine: Any
    graph: PatternGraph
    types: Mapping[Node, Type]
    semantics: Mapping[str, Callable[..., object]]
    """The functions of operations of its own, by name."""

    check_time: Callable[[], None]
    """Raises an exception once the time limit is met; called before each operation."""

    values: dict[Key, Value] = field(default_factory=dict)
    evaluated: dict[OperationNode, EvaluatedOperation] = field(default_factory=dict)
    replaced: list[tuple[Key, Key]] = field(default_factory=list)
    """Results of the root, each with the value that replaces it."""

    problem: str = ""
    """Why the IR that is made is invalid; empty if it is not."""

    def __post_init__(self) -> None:
        """Note the attributes that a condition excludes."""
        self._lacking = {
            (condition.arguments[0], condition.test.name)
            for condition in self.graph.conditions
            if isinstance(condition.test, LacksAttribute)
        }

    def is_wrong(self) -> Truth:
        """Return whether what is created does not refine what is matched.

        Raises:
            NoMatchError: the types match nothing.
            JudgedError: something has no semantics, or the time limit is met.
        """
        e = self.engine
        differs, undefined = e.BoolVal(0), [e.BoolVal(0)] * 2
        for node in self.graph.nodes:
            check_kind(node)
            if isinstance(node, OperationNode):
                undefined[False] = undefined[False] | self._evaluate_operation(node)
        for step in self.graph.steps:
            try:
                for node in step.arguments:
                    check_kind(node)
                if isinstance(step, Create):
                    self.problem = "the types of the new "
                    self.problem += f"'{step.operation.operation}' do not fit"
                    undefined[True] = undefined[True] | self._evaluate_operation(
                        step.operation
                    )
                elif isinstance(step, Replace):
                    self.problem = "a value of another type replaces a result"
                    differs = differs | self._differs(step)
                elif not isinstance(step, Call):
                    raise JudgedError("not-checked", "'pdl.erase' has no semantics")
            except NoMatchError:
                return e.BoolVal(1)
        self.problem = ""
        return e.Not(undefined[False]) & (undefined[True] | differs)

    def _differs(self, step: Replace) -> Truth:
        """Return whether a value that replaces a result does not refine it."""
        root, differs = self.graph.root, self.engine.BoolVal(0)
        results = self._result_keys(root)
        new_keys = [key for value in step.by for key in self._result_keys(value)]
        if step.operation is not root or len(new_keys) != len(results):
            raise JudgedError("not-checked", "it replaces more than the root's results")
        unused = {
            self._key(condition.arguments[0])
            for condition in self.graph.conditions
            if isinstance(condition.test, HasNoUses)
        }
        for pair in zip(results, new_keys, strict=True):
            if pair[0] in unused:
                continue
            old, new = (self.values[key] for key in pair)
            if old.type != new.type:
                raise NoMatchError
            self.replaced.append(pair)
            is_other = new.poison | (old.bits != new.bits)
            differs = differs | (self.engine.Not(old.poison) & is_other)
        return differs

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

    def _result_keys(self, value: Node) -> list[Key]:
        """Return the keys of the results of an operation, or of a value."""
        if isinstance(value, OperationNode):
            return self.evaluated[value].results
        return [self._key(value)]

    def _evaluate_operation(self, node: OperationNode) -> Truth:
        """Keep the results of an operation; return when its behavior is undefined."""
        self.check_time()
        e, name, semantics = self.engine, node.operation, SEMANTICS.get(node.operation)
        if own := self.semantics.get(name):
            semantics = own_semantics(own, len(node.operands))
        if semantics is None:
            raise JudgedError("not-checked", f"'{name}' has no semantics")
        sources = dict(node.attributes)
        num_operands = semantics.types.index(":")
        if sources.keys() - {semantics.attribute} or len(node.operands) != num_operands:
            reason = f"an operand or attribute of '{name}' has no semantics"
            raise JudgedError("not-checked", reason)
        keys = list(map(self._key, node.operands))
        known = [*map(self._type, keys), *(self.types.get(part) for part in node.types)]
        bound = _bind(semantics.types.replace(":", ""), known)
        operand_types, result_types = bound[:num_operands], bound[num_operands:]
        operands = list(map(self._input, keys, operand_types))
        if operands and not semantics.fits(operand_types[0], result_types[0]):
            raise NoMatchError
        bits = [operand.bits for operand in operands]
        if attribute := semantics.attribute:
            keys.append((sources.get(attribute, node), attribute))
            width = attributes.WIDTHS.get(attribute)
            type_ = Type(attribute, width) if width else result_types[0]
            self._check_attribute(node, keys[-1], type_)
            bits.append(self._input(keys[-1], type_).bits)
        bits += [result_types[0].width] if semantics.types == "a:b" else []
        poison = semantics.poison(e, *bits) | semantics.spread(e, *operands)
        try:
            found = semantics.value(e, *bits)
            listed = found if isinstance(found, tuple) else (found,)
            rows = enumerate(zip(listed, result_types, strict=True))
            made: dict[Key, Value] = {
                (node, at): Value(e.BitVecVal(0, t.width) | result, poison, t)
                for at, (result, t) in rows
            }
        except (Exception, SystemExit) as error:
            reason = f"the semantics of '{name}' return no {result_types[0]}"
            reason += f": {type(error).__name__}: {text_of(error)}"
            raise JudgedError("not-checked", reason) from error
        self.values |= made
        undefined = semantics.undefined(e, *operands)
        self.evaluated[node] = EvaluatedOperation(node, keys, [*made], undefined)
        return undefined

    def _check_attribute(self, node: OperationNode, key: Key, type_: Type) -> None:
        """Check that an operation may lack an attribute, and that it has one kind.

        Raises:
            NoMatchError: no such IR is valid.
            JudgedError: an attribute is two things.
        """
        source, name = key
        if source is node and node.is_new and name not in attributes.OPTIONAL:
            self.problem = f"the new '{node.operation}' has no attribute '{name}'"
            raise NoMatchError
        for (other, _), known in self.values.items():
            if other is not source or known.type == type_:
                continue
            if {known.type.text, type_.text} == {"i64", "predicate"}:
                what = "an attribute is both a predicate and an i64"
                raise JudgedError("not-checked", what)
            self.problem = f"an attribute of {known.type} is '{name}' of "
            self.problem += f"'{node.operation}'"
            raise NoMatchError

    def _type(self, key: Key) -> Type | None:
        if key in self.values:
            return self.values[key].type
        type_ = getattr(key[0], "type", None)
        return None if type_ is None else self.types[type_]

    def _input(self, key: Key, type_: Type) -> Value:
        """Return a value that is there, or a new operand or attribute."""
        if key not in self.values:
            e = self.engine
            is_new = isinstance(key[0], OperationNode) and key[0].is_new
            if is_new or key in self._lacking:
                bits = e.BitVecVal(0, type_.width)  # the default
            else:
                bits = e.FreshConst(e.BitVecSort(type_.width))
            poison = e.BoolVal(0) if key[1] else e.FreshBool()
            self.values[key] = Value(bits, poison, type_)
        return self.values[key]


def check_kind(node: Node) -> None:
    """Check that a node is no range.

    Raises:
        JudgedError: it is one.
    """
    if node.kind.startswith("range"):
        raise JudgedError("not-checked", f"'pdl.{node.label}' has no semantics")


def _bind(letters: str, types: Iterable[Type | None]) -> list[Type]:
    """Return a type for each letter, of which some are known."""
    bound = {"1": Type("i1", 1)}
    for letter, type_ in zip(letters, types, strict=False):
        if type_ and bound.setdefault(letter, type_) != type_:
            raise NoMatchError
    if not bound.keys() >= {*letters}:
        raise JudgedError("not-checked", "an operand or a result has no type")
    return [bound[letter] for letter in letters]
