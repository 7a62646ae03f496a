"""The names in a rewrite, and the types of operations in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from passgen.rewrites.attributes import AttributeForm
from passgen.rewrites.model import Attribute, Example, Part, Value
from passgen.rewrites.native_code import NativeCode
from passgen.rewrites.predicates import SAMPLES, allows_elements, types_of
from passgen.rewrites.records import Operation, Records
from passgen.rewrites.types import Types
from passgen.rewrites.unreadable import UnreadableRewriteError

_RESULT: Final = re.compile(r"(?P<operation>.+)__(?P<number>\d+)")


@dataclass
class Scope:
    """What the names in a rewrite stand for."""

    records: Records
    code: NativeCode
    types: Types = field(default_factory=Types)
    containers: list[Value] = field(default_factory=list)
    """Matched values that may be vectors or tensors."""

    _parts: dict[str, Part | Example] = field(default_factory=dict)

    def bind(self, name: str, part: Part | Example) -> None:
        """Give a name to a part."""
        if name:
            self._parts[name] = part

    def find(self, name: str) -> Part | None:
        """Return what a name stands for; `None` if nothing has it.

        The name of an operation of one result is that result, `name__1` the second.

        Raises:
            UnreadableRewriteError: it is an operation with several results.
        """
        found = self._parts.get(name)
        if found is None and (match := _RESULT.fullmatch(name)):
            owner = self._parts.get(match["operation"])
            number = int(match["number"])
            if isinstance(owner, Example) and number < len(owner.results):
                return owner.results[number]
        if not isinstance(found, Example):
            return found
        if len(found.results) != 1:
            raise UnreadableRewriteError("several results as one value", f"${name}")
        return found.results[0]

    def need(self, name: str, text: str) -> Part:
        """Return what a name stands for.

        Raises:
            UnreadableRewriteError: nothing has it.
        """
        found = self.find(name) if name else None
        if found is None:
            raise UnreadableRewriteError("an argument that is no bound name", text)
        return found

    def value(self, name: str, text: str) -> Value:
        """Return the value that a name stands for.

        Raises:
            UnreadableRewriteError: it stands for none.
        """
        found = self.need(name, text)
        if isinstance(found, Attribute):
            raise UnreadableRewriteError("an attribute in place of a value", text)
        return found

    def types_of(self, constraint: str) -> frozenset[str]:
        """Return the types that meet a constraint.

        Raises:
            UnreadableRewriteError: that is not known.
        """
        found = types_of(self.records, constraint)
        if not found:
            summary = self.records.text(constraint, "summary") or constraint
            raise UnreadableRewriteError("types of another kind", summary)
        return found

    def constant_operation(self, dialect: str, allowed: frozenset[str]) -> Operation:
        """Return the operation of constants of one of some types.

        Raises:
            UnreadableRewriteError: none is known.
        """
        for operation in self.records.constant_operations(dialect):
            types = types_of(self.records, operation.results[0].constraint)
            if types is not None and types & allowed:
                return operation
        raise UnreadableRewriteError("a constant, of which no operation is known")

    def add_type_of(self, attribute: Attribute, *, is_matched: bool) -> None:
        """Add the type of an attribute, if attributes of its form have one."""
        form = attribute.form
        if form.form == "typed":
            allowed = frozenset({form.type} if form.type else SAMPLES)
            self.types.add(attribute, allowed, is_matched=is_matched)
            self.types.add_number(attribute)

    def add_types(self, example: Example, *, is_matched: bool) -> None:
        """Add the types of an operation: what it declares, and its verifier demands.

        Raises:
            UnreadableRewriteError: they cannot be so.
        """
        declaration = example.declaration
        keys: dict[str, Part] = dict(example.attributes)
        for parameters, values in (
            (declaration.operands, example.operands),
            (declaration.results, example.results),
        ):
            for parameter, value in zip(parameters, values, strict=True):
                keys[parameter.name] = value
                allowed = self.types_of(parameter.constraint)
                self.types.add(value, allowed, is_matched=is_matched)
                if is_matched and allows_elements(self.records, parameter.constraint):
                    self.containers.append(value)
        name = declaration.name
        for group in declaration.equal_types:
            known = [keys[key] for key in group if key in keys and _is_typed(keys[key])]
            for other in known[1:]:
                if is_matched:
                    self.types.unify(known[0], other, name)
                else:
                    self.types.require_equal(known[0], other, name)
        self._add_relation(declaration, keys)

    def _add_relation(self, declaration: Operation, keys: dict[str, Part]) -> None:
        meaning = self.code.relation(declaration.name)
        if meaning is None:
            return
        if not keys.keys() >= {*meaning.arguments}:
            reason = f"other types than the row for '{declaration.name}' names"
            raise UnreadableRewriteError(reason, ", ".join(meaning.arguments))
        one, other = (keys[name] for name in meaning.arguments)
        if meaning.function == "indexOrInteger":
            self.types.either_index.append((one, other))
        else:
            self.types.relate(meaning.function, one, other)


def _is_typed(part: Part) -> bool:
    return isinstance(part, Value) or part.form.form == "typed"


def is_same_form(one: AttributeForm, other: AttributeForm) -> bool:
    """Return whether attributes of two forms are written alike."""
    return (one.form, one.type, one.wrapper) == (other.form, other.type, other.wrapper)
