"""Reads the conditions of a rewrite: C++ that the table knows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from passgen.passgen_rules.pattern_functions import WIDTH_DIFFERENCE, WIDTH_RELATIONS
from passgen.rewrites.attributes import ExampleValue
from passgen.rewrites.model import (
    Attribute,
    Condition,
    Part,
    ReadRewrite,
    Value,
)
from passgen.rewrites.native_code import Meaning
from passgen.rewrites.predicates import alternatives, conjuncts
from passgen.rewrites.records import Leaf, Tree
from passgen.rewrites.scope import Scope
from passgen.rewrites.unreadable import UnreadableRewriteError

_Argument: TypeAlias = Part | str
"""A part of the rewrite, or a number or a case as C++ writes it."""


@dataclass
class ConditionReader:
    """Reads the conditions of a rewrite."""

    scope: Scope
    read: ReadRewrite
    _implied: list[tuple[Meaning, _Argument, str]] = field(default_factory=list)
    """What must follow from other conditions, as patterns cannot state it alone."""

    def add(self, constraint: Tree) -> None:
        """Read a constraint with its arguments.

        Raises:
            UnreadableRewriteError: it means nothing that is known.
        """
        records, operator = self.scope.records, constraint.operator
        parts: list[Part] = []
        for argument in constraint.arguments:
            if not isinstance(argument, Leaf):
                raise UnreadableRewriteError("a tree in a condition", constraint.text)
            parts.append(self.scope.need(argument.name, constraint.text))
        if records.is_a(operator, "TypeConstraint"):
            for part in parts:
                allowed = self.scope.types_of(operator)
                self.scope.types.add(part, allowed, is_matched=True)
            return
        for code in conjuncts(records, records.reference(operator, "predicate")):
            self._add_code(code, parts)

    def _add_code(self, code: str, parts: list[Part]) -> None:
        meanings = []
        whole = self.scope.code.find(code)
        for part in [code] if whole else alternatives(code):
            found = self.scope.code.find(part)
            if found is None:
                raise UnreadableRewriteError("an unknown condition", code, is_code=True)
            meanings.append(found)
        arguments = [_arguments(meaning, parts, code) for meaning in meanings]
        if len(meanings) == 1:
            self._add_meaning(meanings[0], arguments[0], code)
            return
        first = arguments[0][0]
        if any(meaning.function != "equals" for meaning in meanings) or any(
            given[0] is not first for given in arguments
        ):
            raise UnreadableRewriteError("alternative conditions", code)
        attribute = _attribute(first, code)
        attribute.cases = tuple(_case(attribute, given[1], code) for given in arguments)
        attribute.is_used = True

    def _add_meaning(
        self, meaning: Meaning, given: tuple[_Argument, ...], code: str
    ) -> None:
        function, types = meaning.function, self.scope.types
        parts = tuple(part for part in given if not isinstance(part, str))
        if len(parts) != len(given) and function != "equals":
            raise UnreadableRewriteError("a condition of a number or a name", code)
        if meaning.module:
            self._add_condition(Condition(function, parts, meaning.module))
        elif function == "sameType":
            one, other = parts
            types.unify(one, other, code)
        elif function in WIDTH_RELATIONS:
            one, other = parts
            types.relate(function, one, other)
            self._add_condition(Condition(function, parts))
        elif function == WIDTH_DIFFERENCE:
            self._add_condition(Condition(function, parts))
        elif function == "equals":
            attribute = _attribute(given[0], code)
            attribute.literal = _case(attribute, given[1], code)
            attribute.is_used = True
        elif function == "absent":
            attribute = _attribute(given[0], code)
            attribute.is_absent = attribute.is_used = True
        elif function in self.read.uses and isinstance(given[0], Value):
            self.read.uses[function].append(given[0])
        elif function in {"hasWidth", "number", "positive"}:
            self._implied.append((meaning, given[0], code))
        else:
            raise UnreadableRewriteError("an unknown condition", code, is_code=True)

    def _add_condition(self, condition: Condition) -> None:
        self.read.conditions.append(condition)
        for part in condition.arguments:
            if isinstance(part, Attribute):
                part.is_used = True

    def finish(self) -> None:
        """Check that the other conditions imply what patterns cannot state.

        Raises:
            UnreadableRewriteError: they do not.
        """
        for meaning, part, code in self._implied:
            if not self._is_implied(meaning.function, part):
                raise UnreadableRewriteError(
                    "a condition that no other one states", code
                )

    def _is_implied(self, function: str, part: _Argument) -> bool:
        if isinstance(part, Attribute):
            if function == "positive":
                return self._require_positive(part)
            return part.literal is not None or any(
                condition.function == WIDTH_DIFFERENCE and part in condition.arguments
                for condition in self.read.conditions
            )
        root = self.scope.types.root
        return function == "hasWidth" and any(
            root(part) == root(argument)
            for condition in self.read.conditions
            if condition.function in {*WIDTH_RELATIONS, WIDTH_DIFFERENCE}
            for argument in condition.arguments
        )

    def _require_positive(self, attribute: Attribute) -> bool:
        """Require a type in which a literal is positive, if it is in any."""
        literal = attribute.literal
        if not isinstance(literal, int) or literal <= 0:
            return False
        self.read.conditions.append(Condition("positive", (attribute,)))
        return True


def _arguments(meaning: Meaning, parts: list[Part], code: str) -> tuple[_Argument, ...]:
    """Return what the arguments of a meaning stand for."""
    found: list[_Argument] = []
    for argument in meaning.arguments:
        if not argument.startswith("$"):
            found.append(argument)
        elif int(argument[1:]) < len(parts):
            found.append(parts[int(argument[1:])])
        else:
            raise UnreadableRewriteError(f"a condition without '{argument}'", code)
    return tuple(found)


def _attribute(part: _Argument, code: str) -> Attribute:
    if not isinstance(part, Attribute):
        raise UnreadableRewriteError("a condition of an attribute", code)
    return part


def _case(attribute: Attribute, text: _Argument, code: str) -> ExampleValue:
    """Return the value of a case, or the number, that C++ writes."""
    if not isinstance(text, str):
        raise UnreadableRewriteError("two attributes that must be equal", code)
    found = attribute.form.cases.get(text.rpartition("::")[2])
    if found is None and text.lstrip("-").isdecimal() and not attribute.form.cases:
        return int(text)
    if found is None:
        raise UnreadableRewriteError("a case that is not declared", code)
    return found
