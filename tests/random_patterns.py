"""Random modules, and random patterns that match somewhere in them."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from passgen_runtime.patterns import RewritePattern
from tests.pattern_cases import pattern

_TYPES: Final = ("i32", "i64")

_UNKNOWN: Final = {
    "t.source": (0, 1),
    "t.unary": (1, 1),
    "t.binary": (2, 1),
    "t.pair": (2, 2),
    "t.sink": (1, 0),
    "t.store": (2, 0),
}
"""Operations that nothing folds or removes, with their operands and results."""

_ARITH: Final = {
    "arith.constant": (0, 1),
    "arith.addi": (2, 1),
    "arith.mulsi_extended": (2, 2),
}


@dataclass(frozen=True, eq=False)
class RandomOperation:
    """An operation of a random module; all its values are of one type."""

    name: str
    operands: Sequence[str]
    results: Sequence[str]
    type_: str
    attributes: dict[str, str]

    def text(self) -> str:
        """Return the operation in the generic form."""
        results = f"{', '.join(self.results)} = " if self.results else ""
        pairs = ", ".join(f"{name} = {it}" for name, it in self.attributes.items())
        is_known = self.name in _ARITH
        attributes = f" <{{{pairs}}}>" if is_known and pairs else f" {{{pairs}}}"
        operand_types = ", ".join([self.type_] * len(self.operands))
        types = ", ".join([self.type_] * len(self.results))
        return (
            f'{results}"{self.name}"({", ".join(self.operands)}){attributes}'
            f" : ({operand_types}) -> ({types})"
        )


class RandomModule:
    """A function with random operations, of which some stand in a region."""

    def __init__(self, choose: random.Random, *, with_arith: bool) -> None:
        """Make operations, of `arith` only if `with_arith`."""
        self._choose = choose
        self._kinds = _UNKNOWN | (_ARITH if with_arith else {})
        self.operations: list[RandomOperation] = []
        arguments = {"%a": "i32", "%b": "i32", "%c": "i64", "%d": "i64"}
        outer = self._lines(arguments, choose.randint(2, 8))
        inner = self._lines(dict(arguments), choose.randint(0, 4))
        after = self._lines(arguments, choose.randint(0, 4))
        types = ", ".join(arguments.values())
        lines = [*outer, '"t.nest"() ({', *inner, "}) : () -> ()", *after]
        lines.append(f'"t.end"({", ".join(arguments)}) : ({types}) -> ()')
        lines.append("func.return")
        body = "\n  ".join(lines)
        signature = "%a: i32, %b: i32, %c: i64, %d: i64"
        self.text = f"func.func @f({signature}) {{\n  {body}\n}}\n"

    def definition(self, value: str) -> RandomOperation | None:
        """Return the operation that has `value` as a result, if any."""
        found = (known for known in self.operations if value in known.results)
        return next(found, None)

    def _lines(self, type_of: dict[str, str], number: int) -> list[str]:
        """Return new operations; their results are added to `type_of`."""
        return [self._line(type_of) for _ in range(number)]

    def _line(self, type_of: dict[str, str]) -> str:
        choose, number = self._choose, len(self.operations)
        name = choose.choice([*self._kinds, "t.binary", "t.pair"])
        type_ = choose.choice(_TYPES)
        num_operands, num_results = self._kinds[name]
        # Few values, so that operands are often the same.
        known = [value for value, other in type_of.items() if other == type_][-4:]
        results = [f"%v{number}_{index}" for index in range(num_results)]
        operands = choose.choices(known, k=num_operands)
        attributes = self._attributes(name, type_)
        made = RandomOperation(name, operands, results, type_, attributes)
        type_of |= dict.fromkeys(results, type_)
        self.operations.append(made)
        return made.text()

    def _attributes(self, name: str, type_: str) -> dict[str, str]:
        choose = self._choose
        integer, other = (f"{choose.randint(0, 2)} : {type_}" for _ in range(2))
        if name == "arith.constant":
            return {"value": integer}
        if name == "arith.addi":
            flag = choose.choice(["none", "nsw"])
            return {"overflowFlags": f"#arith.overflow<{flag}>"}
        if name == "arith.mulsi_extended":
            return {}
        untyped = choose.choice(['"x"', "unit", "[i32]", "0.0 : f32", "-0.0 : f32"])
        found = {"j": (other, 0.4), "k": (integer, 0.6), "u": (untyped, 0.3)}
        return {
            key: it for key, (it, often) in found.items() if choose.random() < often
        }


@dataclass
class RandomPattern:
    """A pattern that is made of an operation and of some that define its operands."""

    choose: random.Random
    module: RandomModule
    root: RandomOperation
    unmatched: Collection[str] = ()
    """The names of operations that only the root matches."""

    features: set[str] = field(default_factory=set)
    """What the pattern has, or what it does."""

    _lines: list[str] = field(default_factory=list)
    _types: dict[str, str] = field(default_factory=dict)
    _attributes: dict[str, str] = field(default_factory=dict)
    _operands: dict[str, str] = field(default_factory=dict)
    _operations: dict[RandomOperation, str] = field(default_factory=dict)
    _typed: list[tuple[str, str]] = field(default_factory=list)
    """Values that a rewrite may use, and the names of their types."""

    def declare(self, name: str, benefit: int) -> RewritePattern:
        """Return the pattern."""
        root = self._operation(self.root, depth=3)
        self._constrain(root)
        rewrite = "\n  ".join(self._rewrite(root))
        lines = "\n".join(self._lines)
        pdl = f"{lines}\npdl.rewrite {root} {{\n  {rewrite}\n}}\n"
        return pattern(pdl, name, benefit=benefit)

    def _has(self, feature: str, how_often: float) -> bool:
        """Return at random whether the pattern has `feature`."""
        is_chosen = self.choose.random() < how_often
        if is_chosen:
            self.features.add(feature)
        return is_chosen

    def _add(self, definition: str) -> str:
        name = f"%{len(self._lines)}"
        self._lines.append(f"{name} = {definition}")
        return name

    def _type(self, text: str) -> str:
        if text not in self._types:
            is_constant = self._has("type that is a constant", 0.3)
            self._types[text] = self._add(f"pdl.type{f' : {text}' * is_constant}")
        return self._types[text]

    def _attribute(self, text: str) -> str:
        if text in self._attributes and self._has("attribute used twice", 0.7):
            return self._attributes[text]
        type_ = text.rpartition(" : ")[2]
        if self._has("attribute that is a constant", 0.4):
            definition = f"pdl.attribute = {text}"
        elif type_ in _TYPES and self._has("typed attribute", 0.5):
            definition = f"pdl.attribute : {self._type(type_)}"
        else:
            definition = "pdl.attribute"
        self._attributes[text] = self._add(definition)
        return self._attributes[text]

    def _operand(self, value: str, type_: str, depth: int) -> str:
        defining = self.module.definition(value)
        if value in self._operands:
            self.features.add("value used twice")
        elif defining in self._operations:
            self.features.add("operation used twice")
            return self._result(defining, value, depth)
        elif (
            defining
            and defining.name not in self.unmatched
            and depth
            and self._has("nested operation", 0.8)
        ):
            return self._result(defining, value, depth)
        elif self.choose.random() < 0.3:
            self._operands[value] = self._add("pdl.operand")
        else:
            type_name = self._type(type_)
            self._operands[value] = self._add(f"pdl.operand : {type_name}")
            self._typed.append((self._operands[value], type_name))
        return self._operands[value]

    def _result(self, defining: RandomOperation, value: str, depth: int) -> str:
        """Return a new `pdl.result`: MLIR does not compare a second use of one."""
        owner = self._operation(defining, depth - 1)
        if index := defining.results.index(value):
            self.features.add("second result")
        return self._add(f"pdl.result {index} of {owner}")

    def _operation(self, matched: RandomOperation, depth: int) -> str:
        if matched in self._operations:
            return self._operations[matched]
        attributes = [
            f'"{name}" = {self._attribute(text)}'
            for name, text in matched.attributes.items()
            if self.choose.random() < 0.7
        ]
        type_ = matched.type_
        operands = [self._operand(value, type_, depth) for value in matched.operands]
        types = [self._type(type_) for _ in matched.results]
        if types[1:]:
            self.features.add("two results")
        name = f' "{matched.name}"'
        if operands and not self.unmatched and self._has("any name", 0.2):
            name = ""
        text = f"pdl.operation{name}{_listed(operands, 'value')}"
        text += f" {{{', '.join(attributes)}}}" if attributes else ""
        text += f" ->{_listed(types, 'type')}" if types else ""
        self._operations[matched] = self._add(text)
        if matched is not self.root:
            for value in matched.results:
                result = self._result(matched, value, depth)
                self._typed.append((result, types[0]))
        return self._operations[matched]

    def _constrain(self, root: str) -> None:
        subjects = [(name, "attribute") for name in self._attributes.values()]
        subjects += [(name, "value") for name, _ in self._typed]
        subject, kind = self.choose.choice([*subjects, (root, "operation")])
        if self._has("constraint", 0.4):
            is_negated = self._has("negated constraint", 0.5)
            negated = " {isNegated = true}" * is_negated
            call = 'pdl.apply_native_constraint "isChosen"'
            self._lines.append(f"{call} ({subject} : !pdl.{kind}){negated}")

    def _rewrite(self, root: str) -> Iterator[str]:
        types = [self._types[self.root.type_] for _ in self.root.results]
        fitting = [value for value, type_ in self._typed if [type_] == types[:1]]
        if not types and self._has("erase", 0.5):
            yield f"pdl.erase {root}"
        elif fitting and self._has("replacement by values", 0.5):
            values = self.choose.choices(fitting, k=len(types))
            if values[1:] and self._has("native rewrite of values", 0.5):
                given, results = _listed(values, "value"), ", ".join(["!pdl.value"] * 2)
                call = f'pdl.apply_native_rewrite "swap"{given[:-1]}) : {results}'
                yield f"%first, %second = {call}"
                values = ["%first", "%second"]
            yield f"pdl.replace {root} with{_listed(values, 'value')}"
        else:
            self.features.add("replacement by an operation")
            yield from self._replacement(root, types)

    def _replacement(self, root: str, types: list[str]) -> Iterator[str]:
        attributes = ""
        if self._attributes and self.choose.random() < 0.6:
            attribute = self.choose.choice([*self._attributes.values()])
            if self._has("native rewrite of attributes", 0.5):
                call = f'pdl.apply_native_rewrite "keep" ({attribute} : !pdl.attribute)'
                yield f"%kept = {call} : !pdl.attribute"
                attribute = "%kept"
            attributes = f' {{"k" = {attribute}}}'
        values = _listed([value for value, _ in self._typed[-2:]], "value")
        if self._has("result of a new operation", 0.4):
            results = _listed(["%new_type"] * 2, "type")
            yield "%new_type = pdl.type : i32"
            yield f'%inner = pdl.operation "t.inner"{values} ->{results}'
            yield f"%inner_value = pdl.result {self.choose.randint(0, 1)} of %inner"
            values = _listed(["%inner_value"], "value")
        results = f" ->{_listed(types, 'type')}" if types else ""
        yield f'%new = pdl.operation "t.new"{values}{attributes}{results}'
        yield f"pdl.replace {root} with %new"


def is_chosen(subject: object) -> bool:
    """Return whether a constraint holds: for about half of all things, on any IR."""
    if hasattr(subject, "operands"):
        return len(subject.operands) == 1
    is_value = hasattr(subject, "owner")
    text = str(getattr(subject, "type", None) if is_value else subject)
    return sum(text.encode()) % 2 == 0


def swap(_rewriter: object, first: object, second: object) -> tuple[object, object]:
    """Return two values in the other order."""
    return second, first


def keep(_rewriter: object, attribute: object) -> object:
    """Return an attribute."""
    return attribute


def _listed(names: Sequence[str], kind: str) -> str:
    types = ", ".join([f"!pdl.{kind}"] * len(names))
    return f" ({', '.join(names)} : {types})" if names else ""
