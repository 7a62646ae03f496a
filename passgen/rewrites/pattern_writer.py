"""Writes rewrites as patterns by example: the entries of a spec."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from passgen.imported_names import Names
from passgen.render import AttributeEntry, render
from passgen.rewrites.model import Attribute, Example, ReadRewrite, Value
from passgen.rewrites.unreadable import UnreadableRewriteError
from passgen.rewrites.variables import Variables, spelled
from passgen.spec import Data


@dataclass(frozen=True)
class _WrittenOperation:
    """An operation in MLIR's generic form, for the template."""

    name: str
    results: Sequence[str]
    operands: Sequence[str]
    attributes: Sequence[AttributeEntry]
    operand_types: Sequence[str]
    result_types: Sequence[str]


@dataclass(frozen=True)
class _Alias:
    """A line `%0 = %x`."""

    name: str
    value: str


@dataclass(frozen=True)
class _WrittenExample:
    """`before` or `after`, for the template."""

    operations: Sequence[_WrittenOperation]
    aliases: Sequence[_Alias]


@dataclass
class _PatternWriter:
    """Writes a rewrite with a choice of its types."""

    read: ReadRewrite
    variables: Variables
    _names: Names = field(default_factory=Names)
    _values: dict[Value, str] = field(default_factory=dict)

    def texts(self) -> dict[str, Data]:
        """Return `before` and `after`."""
        before = self._example(self.read.before, ())
        aliases = []
        known = set(self._values)
        for old, new in zip(
            self.read.root.results, self.read.replacements, strict=True
        ):
            if new in known or new in self._values:
                aliases.append((old, new))
            else:
                self._values[new] = self._values[old]
        shown = [(self._values[old], new) for old, new in aliases]
        after = self._example(self.read.after, shown)
        return {"before": before, "after": after}

    def _example(
        self, operations: Sequence[Example], aliases: Sequence[tuple[str, Value]]
    ) -> str:
        is_before = operations is self.read.before
        written = [self._operation(one, is_before=is_before) for one in operations]
        named = [_Alias(name, self._value(value)) for name, value in aliases]
        values = {"example": _WrittenExample(written, named)}
        text = render("import/example.mlir.j2", values)
        return text if text.count("\n") > 1 else text.removesuffix("\n")

    def _operation(self, operation: Example, *, is_before: bool) -> _WrittenOperation:
        # Operands have their names first, as they are read first.
        operands = [self._value(value) for value in operation.operands]
        for value, wanted in zip(operation.results, _wanted(operation), strict=True):
            self._value(value, wanted)
        type_text = self.variables.type_text
        return _WrittenOperation(
            operation.declaration.name,
            [self._value(value) for value in operation.results],
            operands,
            [*self._attributes(operation, is_before=is_before)],
            [type_text(value) for value in operation.operands],
            [type_text(value) for value in operation.results],
        )

    def _value(self, value: Value, wanted: str = "") -> str:
        if value not in self._values:
            name = value.name or wanted or "x"
            self._values[value] = f"%{self._names.take(name)}"
        return self._values[value]

    def name_of(self, value: Value) -> str:
        """Return the name of a value, without the mark before it."""
        return self._value(value)[1:]

    def _attributes(
        self, operation: Example, *, is_before: bool
    ) -> Iterator[AttributeEntry]:
        for parameter, attribute in operation.attributes:
            if is_before and not attribute.is_used and attribute.form.may_be_left_out:
                continue
            yield self._attribute(parameter, attribute)

    def _attribute(self, parameter: str, attribute: Attribute) -> AttributeEntry:
        form = attribute.form
        is_flag = attribute.is_absent or form.form == "unit"
        if form.is_optional and not is_flag:
            reason = f"'{parameter}', which may be absent, in what is created"
            raise UnreadableRewriteError(reason, f"${attribute.name}")
        type_ = form.type
        if form.form == "typed" and not type_:
            type_ = self.variables.type_text(attribute)
        if is_flag and attribute.literal is not None:
            value = parameter
        elif attribute.literal is not None:
            value = self._literal(attribute)
        else:
            value = f"${self.variables.attribute_name(attribute, parameter)}"
        shown_form = "entry" if is_flag else form.form
        return AttributeEntry(parameter, shown_form, value, type_, form.wrapper)

    def _literal(self, attribute: Attribute) -> str:
        literal, form = attribute.literal, attribute.form
        assert literal is not None
        is_number = form.form == "typed" and isinstance(literal, int) and not form.cases
        if is_number and self.variables.is_float(attribute):
            return spelled(float(literal))
        return spelled(literal)


def _wanted(operation: Example) -> list[str]:
    """Return names for the results of an operation."""
    declaration = operation.declaration
    if len(operation.results) > 1:
        return [parameter.name for parameter in declaration.results]
    if declaration.is_constant:
        (_, attribute), *_ = operation.attributes
        return [attribute.name or "constant"]
    return [operation.name or declaration.name.rpartition(".")[2].replace(".", "_")]


def pattern_entries(
    read: ReadRewrite, functions: dict[str, dict[str, str]]
) -> list[dict[str, Data]]:
    """Return the entries of the patterns that a rewrite is: one, or alternatives.

    Args:
        read: the rewrite.
        functions: the functions in Python that patterns call; some are added.

    Raises:
        UnreadableRewriteError: patterns cannot have its types or conditions.
    """
    return [
        _entry(read, Variables(read, solved, functions))
        for solved in read.types.solutions()
    ]


def _entry(read: ReadRewrite, variables: Variables) -> dict[str, Data]:
    writer = _PatternWriter(read, variables)
    texts = writer.texts()
    variables.add_conditions()
    benefit = read.rewrite.source.size + read.rewrite.added_benefit
    entry: dict[str, Data] = {"benefit": max(benefit, 0)} if benefit != 1 else {}
    entry |= {**texts, **variables.entries()}
    if notes := "\n".join(variables.notes()):
        entry = {"description": notes, **entry}
    for key, values in read.uses.items():
        if values:
            entry[key] = [writer.name_of(value) for value in values]
    return entry
