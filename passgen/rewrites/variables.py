"""The variables of a pattern: types and attributes, with examples and conditions."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from passgen.imported_names import Names
from passgen.passgen_rules.pattern_functions import (
    ABSENT,
    CONSTANT_FUNCTIONS,
    SCALAR,
    WIDTH_DIFFERENCE,
)
from passgen.render import AttributeEntry, render
from passgen.rewrites.attributes import AttributeForm, ExampleValue
from passgen.rewrites.model import Attribute, Condition, Part, ReadRewrite
from passgen.rewrites.predicates import INDEX, OTHER, width_of
from passgen.rewrites.types import SolvedType
from passgen.rewrites.unreadable import UnreadableRewriteError
from passgen.spec import Data

_TYPE_NAMES: Final = "TUVWSRPQ"


@dataclass
class _Variable:
    """A variable, as the spec has it."""

    entry: dict[str, Data]
    can_have_where: bool = True
    is_listed: bool = False
    """Whether the examples are all that it may be."""


@dataclass
class Variables:
    """The variables of a pattern, with a choice of its types."""

    read: ReadRewrite
    solved: Mapping[Hashable, SolvedType]
    """The types by their classes."""

    functions: dict[str, dict[str, str]]
    """The functions in Python that patterns call, as the spec declares them."""

    _names: Names = field(default_factory=Names)
    _types: dict[Hashable, str] = field(default_factory=dict)
    _listed: dict[str, str] = field(default_factory=dict)
    """The names of the variables of one type, by the type."""

    _attributes: dict[Attribute, str] = field(default_factory=dict)
    _entries: dict[str, dict[str, _Variable]] = field(
        default_factory=lambda: {"types": {}, "attributes": {}}
    )

    def type_text(self, part: Part) -> str:
        """Return the type of a part: a constant, or a variable."""
        solved = self._solved(part)
        if solved.is_constant:
            return solved.examples[0]
        return f"${self._type_name(part)}"

    def _solved(self, part: Part) -> SolvedType:
        return self.solved[self.read.types.root(part)]

    def _type_name(self, part: Part) -> str:
        """Return the name of the variable of a type."""
        root, solved = self.read.types.root(part), self._solved(part)
        if solved.is_constant:
            return self._listed_type(solved.examples[0])
        if root not in self._types:
            if not solved.kind and OTHER in solved.examples:
                raise UnreadableRewriteError("types of another kind")
            entry: dict[str, Data] = {"examples": [*solved.examples]}
            if solved.kind:
                entry = {"any": solved.kind, **entry}
            variable = _Variable(entry, is_listed=not solved.kind)
            self._types[root] = self._new_type(variable)
        return self._types[root]

    def _listed_type(self, type_: str) -> str:
        """Return the name of a variable that is one type, for conditions."""
        if type_ not in self._listed:
            self._listed[type_] = self._new_type(
                _Variable({"examples": [type_]}, is_listed=True)
            )
        return self._listed[type_]

    def _new_type(self, variable: _Variable) -> str:
        taken = self._entries["types"]
        free = (letter for letter in _TYPE_NAMES if self._names.are_free([letter]))
        name = self._names.take(next(free, "T"))
        taken[name] = variable
        return name

    def is_float(self, part: Part) -> bool:
        """Return whether numbers of the type of a part are floats."""
        solved = self._solved(part)
        return solved.kind == "float" or solved.examples[0].startswith(("f", "bf"))

    def attribute_name(self, attribute: Attribute, parameter: str) -> str:
        """Return the name of the variable of an attribute, a new one if it has none."""
        if attribute in self._attributes:
            return self._attributes[attribute]
        name = self._names.take(attribute.name)
        self._attributes[attribute] = name
        self._entries["attributes"][name] = self._attribute(attribute, parameter)
        return name

    def _attribute(self, attribute: Attribute, parameter: str) -> _Variable:
        form = attribute.form
        if attribute.is_absent or form.form == "unit":
            flag: dict[str, Data] = {"examples": [_flag_text(form, parameter), ""]}
            if attribute.is_absent:
                flag["where"] = ABSENT
            return _Variable(flag, can_have_where=False)
        if attribute.cases:
            entry: dict[str, Data] = {"examples": [*attribute.cases]}
            return _Variable(entry, can_have_where=False, is_listed=True)
        if attribute.made_by is not None:
            return self._made(attribute)
        return _Variable(_example_entry(self._examples(attribute)))

    def _examples(self, attribute: Attribute) -> tuple[ExampleValue, ExampleValue]:
        """Return two examples of an attribute that is matched."""
        for condition in self.read.conditions:
            if (
                condition.function == WIDTH_DIFFERENCE
                and condition.arguments[0] is attribute
            ):
                wide, narrow = map(self._solved, condition.arguments[1:])
                widths = width_of(wide.examples[0]), width_of(narrow.examples[0])
                difference = (widths[0] or 0) - (widths[1] or 0)
                return difference, difference - 1
        one, other = attribute.form.examples
        has_open_type = attribute.form.form == "typed" and not attribute.form.type
        if has_open_type and self.is_float(attribute):
            return float(one), float(other)
        return one, other

    def _made(self, attribute: Attribute) -> _Variable:
        """Return a variable that a function makes."""
        meaning = attribute.made_by
        assert meaning is not None
        names = [self._argument_name(part) for part in attribute.arguments]
        name = self._function(meaning.function, meaning.module, "rewrites")
        examples = attribute.form.examples
        if not meaning.module:
            examples = self._computed(attribute, meaning.function)
        entry = _example_entry(examples)
        return _Variable(
            {**entry, "make": f"{name}({', '.join(names)})"}, can_have_where=False
        )

    def _computed(
        self, attribute: Attribute, function: str
    ) -> tuple[ExampleValue, ExampleValue]:
        """Return what a function makes of the examples of its arguments."""
        given = [one for one in attribute.arguments if isinstance(one, Attribute)]
        examples = zip(*map(self._examples, given), strict=True)
        one, other = (_applied(function, values) for values in examples)
        if one == other:
            candidates = (*attribute.form.examples, 2)
            other = next(example for example in candidates if example != one)
        return one, other

    def _argument_name(self, part: Part) -> str:
        """Return the name by which functions get a part; of a value, its type."""
        if isinstance(part, Attribute):
            return self.attribute_name(part, part.name)
        return self._type_name(part)

    def _function(self, name: str, module: str, key: str) -> str:
        """Return the name of a function, which the spec declares if it is in Python."""
        if module:
            self.functions[key][name] = f"{module}:{name}"
        return name

    def add_conditions(self) -> None:
        """State the conditions of the rewrite.

        Raises:
            UnreadableRewriteError: there are more of them than variables.
        """
        calls = dict.fromkeys(
            (call, names)
            for condition in self.read.conditions
            for call, names in self._calls(condition)
        )
        for call, names in calls:
            self._state(call, names)

    def _calls(self, condition: Condition) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield what `where` says of a condition, and the variables in it."""
        if condition.function == SCALAR:
            part = condition.arguments[0]
            if not self._solved(part).is_constant:
                yield f"{SCALAR}({self._type_name(part)})", (self._type_name(part),)
            return
        if condition.function == "positive":
            (part,) = condition.arguments
            assert isinstance(part, Attribute)
            assert isinstance(part.literal, int)
            bits = f"i{part.literal.bit_length()}"
            wide, narrow = self._type_name(part), self._listed_type(bits)
            yield f"wider({wide}, {narrow})", (wide, narrow)
            return
        names = tuple(map(self._argument_name, condition.arguments))
        name = self._function(condition.function, condition.module, "constraints")
        yield f"{name}({', '.join(names)})", names

    def _state(self, call: str, names: tuple[str, ...]) -> None:
        """Add a call to a variable: one that it is about, or else any."""
        known = {**self._entries["types"], **self._entries["attributes"]}
        for name in (*names, *known):
            variable = known[name]
            if variable.can_have_where and "where" not in variable.entry:
                only = f"({name})"
                variable.entry["where"] = call.removesuffix(only)
                return
        raise UnreadableRewriteError("more conditions than variables", call)

    def notes(self) -> Iterator[str]:
        """Yield what the rewrite matches and the pattern does not."""
        solved = map(self._solved, self.read.containers)
        constant = {type_.examples[0] for type_ in solved if type_.is_constant}
        for name in sorted(constant - {INDEX}):
            yield f"Vectors and tensors of `{name}` do not match."

    def entries(self) -> dict[str, dict[str, Data]]:
        """Return the entries `types` and `attributes`, as far as there are any."""
        found: dict[str, dict[str, Data]] = {}
        for key, variables in self._entries.items():
            for name, variable in variables.items():
                entry: Data = variable.entry
                if variable.is_listed and "where" not in variable.entry:
                    entry = variable.entry["examples"]
                found.setdefault(key, {})[name] = entry
        return found


def _flag_text(form: AttributeForm, parameter: str) -> str:
    """Return the entry of an attribute that may be absent."""
    value = spelled(form.examples[0])
    entry = AttributeEntry(parameter, form.form, value, form.type, form.wrapper)
    text = render("import/attribute.mlir.j2", {"attribute": entry})
    return text.removesuffix("\n")


def spelled(value: ExampleValue) -> str:
    """Return the value of an attribute as MLIR writes it."""
    return value if isinstance(value, str) else json.dumps(value)


def _example_entry(examples: tuple[ExampleValue, ExampleValue]) -> dict[str, Data]:
    """Return the entry of examples; a number has another one that specs derive."""
    one, other = examples
    if isinstance(one, int) and not isinstance(one, bool) and other == one ^ 1:
        return {"example": one}
    return {"examples": [one, other]}


def _applied(function: str, given: tuple[Any, ...]) -> ExampleValue:
    """Return what a function makes of examples."""
    known = CONSTANT_FUNCTIONS[function]
    if known.kind != "flags":
        result: int = known.apply(*given)
        return result
    names = [frozenset(value.split(", ")) for value in given]
    return ", ".join(sorted(known.apply(*names))) or "none"
