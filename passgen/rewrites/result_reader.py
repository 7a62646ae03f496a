"""Reads what a rewrite creates, and which values replace the results of its root."""

from __future__ import annotations

from dataclasses import dataclass, field

from passgen.passgen_rules.pattern_functions import CONSTANT_FUNCTIONS
from passgen.rewrites.attributes import (
    AttributeForm,
    ConstantAttribute,
    constant_of,
    form_of,
)
from passgen.rewrites.model import (
    Attribute,
    Example,
    Part,
    ReadRewrite,
    Value,
)
from passgen.rewrites.native_code import IDENTITY, Meaning
from passgen.rewrites.records import Argument, Leaf, Parameter, Tree
from passgen.rewrites.scope import Scope
from passgen.rewrites.unreadable import UnreadableRewriteError

_FALSE = ConstantAttribute(AttributeForm("typed", (1, 0), "i1"), 0, is_default=False)


@dataclass
class ResultReader:
    """Reads the results of a rewrite."""

    scope: Scope
    read: ReadRewrite
    _made: dict[tuple[Meaning, tuple[Part, ...]], Attribute] = field(
        default_factory=dict
    )
    """The attributes that functions make, each once."""

    def add(self, tree: Tree) -> list[Value]:
        """Add the operations of a tree; return its results.

        Raises:
            UnreadableRewriteError: a pattern by example cannot have it.
        """
        records = self.scope.records
        if tree.operator == "replaceWithValue":
            return [self._bound_value(one, tree.text) for one in tree.arguments]
        if records.is_a(tree.operator, "Op"):
            return [*self._operation(tree).results]
        if records.is_a(tree.operator, "NativeCodeCall"):
            expression = records.text(tree.operator, "expression")
            raise UnreadableRewriteError(
                "a call that makes values", expression, is_code=True
            )
        raise UnreadableRewriteError(f"the directive '{tree.operator}'", tree.text)

    def _bound_value(self, argument: Argument, text: str) -> Value:
        name = argument.name if isinstance(argument, Leaf) else ""
        value = self.scope.value(name, text)
        if value in self.read.root.results:
            raise UnreadableRewriteError("a use of what it replaces", text)
        return value

    def _operation(self, tree: Tree) -> Example:
        records = self.scope.records
        records.require_flat(tree.operator)
        declaration = records.operation(tree.operator)
        if len(tree.arguments) > len(declaration.arguments):
            raise UnreadableRewriteError("too many arguments", tree.text)
        operands: list[Value] = []
        attributes: list[tuple[str, Attribute]] = []
        pairs = zip(declaration.arguments, tree.arguments, strict=False)
        for parameter, argument in pairs:
            if parameter in declaration.operands:
                operands.append(self._operand(argument, tree.text))
                continue
            found = self._attribute(parameter, argument)
            if found is not None:
                attributes.append((parameter.name, found))
        if len(tree.arguments) < len(declaration.arguments):
            raise UnreadableRewriteError("too few arguments", tree.text)
        results = tuple(Value("") for _ in declaration.results)
        name = tree.names[0] if tree.names else ""
        example = Example(
            declaration, tuple(operands), tuple(attributes), results, name
        )
        for bound in tree.names:
            self.scope.bind(bound, example)
        self._add(example)
        return example

    def _add(self, example: Example) -> None:
        self.scope.add_types(example, is_matched=False)
        self.read.after.append(example)

    def _operand(self, argument: Argument, text: str) -> Value:
        if isinstance(argument, Leaf):
            return self._bound_value(argument, text)
        results = self.add(argument)
        if len(results) != 1:
            raise UnreadableRewriteError("several results as one value", argument.text)
        return results[0]

    def _attribute(self, parameter: Parameter, argument: Argument) -> Attribute | None:
        """Return an attribute; `None` if it is the default."""
        records = self.scope.records
        declared = form_of(records, parameter.constraint)
        if isinstance(argument, Tree):
            return self._called(parameter, argument, declared)
        constant = constant_of(records, argument.record, declared)
        if constant is not None:
            return None if constant.is_default else self._constant(constant)
        found = self.scope.need(argument.name, argument.text)
        if isinstance(found, Value):
            raise UnreadableRewriteError(
                "a value in place of an attribute", argument.text
            )
        found.is_used = True
        return found

    def _constant(self, constant: ConstantAttribute) -> Attribute:
        found = Attribute("", constant.form, constant.value, is_used=True)
        self.scope.add_type_of(found, is_matched=bool(constant.form.type))
        return found

    def _called(
        self, parameter: Parameter, tree: Tree, declared: AttributeForm
    ) -> Attribute:
        """Return the attribute that a call makes."""
        expression = self.scope.records.text(tree.operator, "expression")
        meaning = self.scope.code.find(expression)
        known = {IDENTITY, "zero", *CONSTANT_FUNCTIONS}
        is_known = meaning and (meaning.module or meaning.function in known)
        if meaning is None or not is_known:
            raise UnreadableRewriteError("an unknown call", expression, is_code=True)
        given = tuple(
            self._argument(text, tree, expression) for text in meaning.arguments
        )
        for part in given:
            if isinstance(part, Attribute):
                part.is_used = True
        if not meaning.module and meaning.function == IDENTITY:
            (only,) = given
            if isinstance(only, Value):
                raise UnreadableRewriteError(
                    "a call that makes values", expression, is_code=True
                )
            return only
        if not meaning.module and meaning.function == "zero":
            return self._zero(given[0], declared)
        return self._make(parameter, declared, meaning, given)

    def _argument(self, text: str, tree: Tree, expression: str) -> Part:
        number = int(text[1:]) if text.startswith("$") else len(tree.arguments)
        if number >= len(tree.arguments):
            raise UnreadableRewriteError(f"a call without '{text}'", expression)
        argument = tree.arguments[number]
        if isinstance(argument, Tree):
            raise UnreadableRewriteError("a call inside of a call", tree.text)
        return self.scope.need(argument.name, tree.text)

    def _zero(self, like: Part, declared: AttributeForm) -> Attribute:
        """Return zero in the type of a part."""
        found = Attribute("", declared, 0, is_used=True)
        self.scope.add_type_of(found, is_matched=False)
        self.scope.types.require_equal(found, like, "getZeroAttr")
        return found

    def _make(
        self,
        parameter: Parameter,
        declared: AttributeForm,
        meaning: Meaning,
        given: tuple[Part, ...],
    ) -> Attribute:
        key = meaning, given
        if key in self._made:
            return self._made[key]
        first = given[0] if given else None
        form = first.form if isinstance(first, Attribute) else declared
        own = None if meaning.module else CONSTANT_FUNCTIONS[meaning.function]
        if own is not None:
            kinds = [
                one.form.function_kind for one in given if isinstance(one, Attribute)
            ]
            if kinds != [own.kind] * own.num_arguments:
                text = f"{meaning.function}({', '.join(meaning.arguments)})"
                raise UnreadableRewriteError("a function of other attributes", text)
        made = Attribute(parameter.name, form, made_by=meaning, arguments=given)
        made.is_used = True
        self.scope.add_type_of(made, is_matched=False)
        if form.form == "typed" and isinstance(first, Attribute):
            self.scope.types.require_equal(made, first, meaning.function)
        self._made[key] = made
        return made

    def replace(self, values: list[Value]) -> None:
        """Replace the results of the root.

        Raises:
            UnreadableRewriteError: a value has another type, and the result has uses.
        """
        root = self.read.root
        if len(values) < len(root.results):
            text = self.read.rewrite.source.text
            raise UnreadableRewriteError("too few results", text)
        types = self.scope.types
        for old, new in zip(root.results, values[-len(root.results) :], strict=True):
            replacement = new
            try:
                types.require_equal(old, new, "the results")
            except UnreadableRewriteError:
                if old not in self.read.uses["unused"]:
                    raise
                replacement = self._any_of_type(old)  # as nothing uses it
            self.read.replacements.append(replacement)

    def _any_of_type(self, old: Value) -> Value:
        """Return a new constant of the type of a result."""
        dialect = self.read.root.declaration.dialect
        declaration = self.scope.constant_operation(dialect, frozenset({"i1"}))
        value, (parameter,) = Value(""), declaration.arguments
        pair = parameter.name, self._constant(_FALSE)
        self._add(Example(declaration, (), (pair,), (value,)))
        self.scope.types.require_equal(old, value, "an unused result")
        return value


def read_results(scope: Scope, read: ReadRewrite) -> None:
    """Read what a rewrite creates into `read`.

    Raises:
        UnreadableRewriteError: a pattern by example cannot have it.
    """
    rewrite = read.rewrite
    for supplement in rewrite.supplements:
        raise UnreadableRewriteError("a supplemental pattern", supplement.text)
    reader = ResultReader(scope, read)
    values: list[Value] = []
    for tree in rewrite.results:
        values += reader.add(tree)
    reader.replace(values)
