"""The records of declarative rewrites, operations and constraints, with types.

A rewrite has trees: `(AddOp $x, (MulOp:$product $y, $z))` is a `Tree` with leaves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from passgen.rewrites.unreadable import UnreadableRewriteError
from passgen.tablegen import JsonDump, JsonRecord, is_text, reference_of

_ANY: Final = "_"
"""The name of a leaf that is not bound."""


@dataclass(frozen=True)
class Leaf:
    """An argument of a tree: a bound name, a record such as a constraint, or both."""

    name: str
    """Empty if it is not bound."""

    record: str
    text: str
    """The code."""


@dataclass(frozen=True)
class Tree:
    """An operation with arguments, or a call of a function, or a directive."""

    operator: str
    """The name of the record."""

    names: tuple[str, ...]
    """The names that are bound to its results."""

    arguments: tuple[Argument, ...]
    text: str
    """The code."""

    @property
    def size(self) -> int:
        """The number of trees in it, itself included."""
        inner = (known for known in self.arguments if isinstance(known, Tree))
        return 1 + sum(tree.size for tree in inner)


Argument: TypeAlias = Leaf | Tree


@dataclass(frozen=True)
class Rewrite:
    """A record of the class `Pattern`."""

    record: JsonRecord
    source: Tree
    results: tuple[Tree, ...]
    constraints: tuple[Tree, ...]
    supplements: tuple[Tree, ...]
    added_benefit: int


@dataclass(frozen=True)
class Parameter:
    """An operand, an attribute or a result of an operation."""

    name: str
    constraint: str
    """The record of what it must be."""


@dataclass(frozen=True)
class Operation:
    """The declaration of an operation."""

    name: str
    arguments: tuple[Parameter, ...]
    """Operands and attributes, in the order of the declaration."""

    operands: tuple[Parameter, ...]
    results: tuple[Parameter, ...]
    equal_types: tuple[tuple[str, ...], ...]
    """Names of parameters, each group of one type."""

    is_constant: bool
    """Whether it has the trait of constants."""

    @property
    def dialect(self) -> str:
        """The name of its dialect."""
        return self.name.partition(".")[0]


class Records:
    """The records of a dump."""

    def __init__(self, dump: JsonDump) -> None:
        """Read `dump`."""
        self._dump = dump
        self._operations: dict[str, Operation] = {}

    def is_a(self, name: str, class_name: str) -> bool:
        """Return whether a record is of a class."""
        record = self._dump.records.get(name)
        return record is not None and class_name in record.superclasses

    def field(self, name: str, field: str) -> Any:  # noqa: ANN401 - as JSON has it
        """Return the value of a field of a record; `None` if it has none."""
        record = self._dump.records.get(name)
        return None if record is None else record.fields.get(field)

    def text(self, name: str, field: str) -> str:
        """Return the text in a field of a record; empty if there is none."""
        value = self.field(name, field)
        return value if is_text(value) else ""

    def reference(self, name: str, field: str) -> str:
        """Return the name of the record that a field names; empty if it names none."""
        return reference_of(self.field(name, field))

    def references(self, name: str, field: str) -> list[str]:
        """Return the names of the records in a list."""
        listed = self.field(name, field)
        items = listed if isinstance(listed, list) else []
        return [reference_of(item) for item in items]

    def rewrites(self) -> list[JsonRecord]:
        """Return the records of rewrites in the order of the file."""
        found = (self._dump.records[name] for name in self._dump.instances("Pattern"))
        return sorted(found, key=lambda record: record.place or ("", 0))

    def constant_operations(self, dialect: str) -> list[Operation]:
        """Return operations of constants: those of a dialect, then those of `arith`."""
        found: list[Operation] = []
        for name in self._dump.instances("Op"):
            if "ConstantLike" in self._traits(name, "traits"):
                operation = self.operation(name)
                has_one = (len(operation.arguments), len(operation.results)) == (1, 1)
                if has_one and not operation.operands:
                    found.append(operation)
        own = [known for known in found if known.dialect == dialect]
        return own + [known for known in found if known.dialect == "arith" != dialect]

    def operation(self, name: str) -> Operation:
        """Return the operation that a record declares.

        Raises:
            UnreadableRewriteError: it has regions, successors, or variadic parts.
        """
        if name not in self._operations:
            self._operations[name] = self._operation(name)
        return self._operations[name]

    def _operation(self, name: str) -> Operation:
        arguments = tuple(self._parameters(name, "arguments"))
        is_type = {
            known: self.is_a(known.constraint, "TypeConstraint") for known in arguments
        }
        dialect = self.text(self.reference(name, "opDialect"), "name")
        traits = list(self._traits(name, "traits"))
        operands = tuple(known for known in arguments if is_type[known])
        results = tuple(self._parameters(name, "results"))
        return Operation(
            f"{dialect}.{self.text(name, 'opName')}",
            arguments,
            operands,
            results,
            tuple(self._equal_types(traits, operands, results)),
            "ConstantLike" in traits,
        )

    def require_flat(self, name: str) -> None:
        """Check that an operation has no parts of which an example has no place.

        Raises:
            UnreadableRewriteError: it has.
        """
        operation = self.operation(name)
        for field in ("regions", "successors"):
            parts = self.field(name, field)
            if isinstance(parts, dict) and parts.get("args"):
                raise UnreadableRewriteError(
                    f"an operation with {field}", operation.name
                )
        for known in (*operation.arguments, *operation.results):
            for class_name in ("Variadic", "VariadicOfVariadic", "Optional"):
                if self.is_a(known.constraint, class_name):
                    what = (
                        f"'{known.name}' of '{operation.name}', which is {class_name}"
                    )
                    raise UnreadableRewriteError(what)

    def _parameters(self, name: str, field: str) -> Iterator[Parameter]:
        listed = self.field(name, field)
        pairs = listed.get("args") if isinstance(listed, dict) else ()
        for pair in pairs or ():
            value, parameter = _pair(pair)
            constraint = reference_of(value)
            if self.is_a(constraint, "OpVariable"):  # with a description
                constraint = self.reference(constraint, "constraint")
            yield Parameter(parameter, constraint)

    def _traits(self, name: str, field: str) -> Iterator[str]:
        """Yield the records of traits, those of lists too."""
        for trait in self.references(name, field):
            if self.is_a(trait, "TraitList"):
                yield from self._traits(trait, "traits")
            else:
                yield trait

    def _equal_types(
        self,
        traits: list[str],
        operands: tuple[Parameter, ...],
        results: tuple[Parameter, ...],
    ) -> Iterator[tuple[str, ...]]:
        names = tuple(known.name for known in operands)
        for trait in traits:
            if trait == "SameOperandsAndResultType":
                yield (*names, *(known.name for known in results))
            elif trait == "SameTypeOperands":
                yield names
            elif self.is_a(trait, "AllTypesMatch"):
                yield tuple(self.field(trait, "values"))
            elif self.text(trait, "transformer").strip() == "$_self":  # TypesMatchWith
                yield self.text(trait, "lhs"), self.text(trait, "rhs")


def read_rewrite(record: JsonRecord) -> Rewrite:
    """Return the rewrite that a record declares.

    Raises:
        UnreadableRewriteError: it has no trees, as in a dump that was edited.
    """
    trees = {
        field: tuple(map(_tree, listed if isinstance(listed, list) else ()))
        for field in ("resultPatterns", "constraints", "supplementalPatterns")
        for listed in [record.fields.get(field)]
    }
    return Rewrite(
        record,
        _tree(record.fields.get("sourcePattern")),
        trees["resultPatterns"],
        trees["constraints"],
        trees["supplementalPatterns"],
        _added_benefit(record.fields.get("benefitDelta")),
    )


def _added_benefit(delta: object) -> int:
    leaves = _tree(delta).arguments if delta is not None else ()
    texts = [leaf.text for leaf in leaves if isinstance(leaf, Leaf)]
    return int(texts[0]) if texts and re.fullmatch(r"-?\d+", texts[0]) else 0


def _tree(value: object, outer: str = "") -> Tree:
    """Return the tree that a value of the kind `dag` is.

    Args:
        value: the value.
        outer: the name of the argument that it is.
    """
    arguments = value.get("args") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(arguments, list):
        raise UnreadableRewriteError("a part that is no tree", str(value))
    names = (value.get("name") or "", outer)
    return Tree(
        reference_of(value.get("operator")),
        tuple(name for name in names if name and isinstance(name, str)),
        tuple(_argument(*_pair(argument)) for argument in arguments),
        str(value.get("printable", "")).replace("?:$", "$"),
    )


def _pair(argument: object) -> tuple[object, str]:
    """Return the value and the name of an argument."""
    match argument:
        case [value, str(name)]:
            return value, name
        case [value, None]:
            return value, ""
    raise UnreadableRewriteError("an argument that is no pair", str(argument))


def _argument(value: object, name: str) -> Argument:
    if isinstance(value, dict) and value.get("kind") == "dag":
        return _tree(value, name)
    bound = "" if name == _ANY else name
    if isinstance(value, dict):
        text = str(value.get("printable", ""))
        return Leaf(bound, reference_of(value), text)
    return Leaf(bound, "", "" if value is None else str(value))
