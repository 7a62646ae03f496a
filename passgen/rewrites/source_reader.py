"""Reads what a rewrite matches: the tree of its operations, and its conditions."""

from __future__ import annotations

from dataclasses import dataclass

from passgen.rewrites.attributes import (
    ANY_NUMBER,
    SCALAR_NUMBER,
    AttributeForm,
    constant_of,
    form_of,
)
from passgen.rewrites.conditions import ConditionReader
from passgen.rewrites.model import (
    Attribute,
    Condition,
    Example,
    ReadRewrite,
    Value,
)
from passgen.rewrites.predicates import INDEX, INTEGERS
from passgen.rewrites.records import Argument, Leaf, Operation, Parameter, Tree
from passgen.rewrites.scope import Scope, is_same_form
from passgen.rewrites.unreadable import UnreadableRewriteError


@dataclass
class SourceReader:
    """Reads the operations that a rewrite matches."""

    scope: Scope
    read: ReadRewrite

    def match(self, tree: Tree) -> Example:
        """Add the operations of a tree; return its root.

        Raises:
            UnreadableRewriteError: a pattern by example cannot have it.
        """
        records = self.scope.records
        if records.is_a(tree.operator, "Op"):
            return self._operation(tree)
        if records.is_a(tree.operator, "NativeCodeCall"):
            return self._constant(tree)
        raise UnreadableRewriteError(f"the directive '{tree.operator}'", tree.text)

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
                operands.append(self._operand(argument, parameter, declaration))
            else:
                found = self._attribute(parameter, argument)
                attributes.append((parameter.name, found))
        if len(tree.arguments) < len(declaration.arguments):
            raise UnreadableRewriteError("too few arguments", tree.text)
        name = tree.names[0] if tree.names else ""
        results = tuple(Value("") for _ in declaration.results)
        example = Example(
            declaration, tuple(operands), tuple(attributes), results, name
        )
        for bound in tree.names:
            self.scope.bind(bound, example)
        self._add(example)
        return example

    def _add(self, example: Example) -> None:
        for _, attribute in example.attributes:
            self.scope.add_type_of(attribute, is_matched=True)
        self.scope.add_types(example, is_matched=True)
        self.read.before.append(example)

    def _operand(
        self, argument: Argument, parameter: Parameter, user: Operation
    ) -> Value:
        if isinstance(argument, Tree):
            is_call = self.scope.records.is_a(argument.operator, "NativeCodeCall")
            found = (
                self._constant(argument, parameter, user.dialect)
                if is_call
                else self.match(argument)
            )
            if len(found.results) != 1:
                raise UnreadableRewriteError(
                    "several results as one value", argument.text
                )
            return found.results[0]
        known = self.scope.find(argument.name) if argument.name else None
        if isinstance(known, Attribute):
            raise UnreadableRewriteError(
                "an attribute in place of a value", argument.text
            )
        value = known or Value(argument.name)
        self.scope.bind(argument.name, value)
        if argument.record:
            allowed = self.scope.types_of(argument.record)
            self.scope.types.add(value, allowed, is_matched=True)
        elif argument.text:
            raise UnreadableRewriteError("an operand that is no name", argument.text)
        return value

    def _constant(
        self, tree: Tree, parameter: Parameter | None = None, dialect: str = ""
    ) -> Example:
        """Return the operation of constants that a call of a matcher matches.

        Args:
            tree: the call.
            parameter: the operand that the constant is.
            dialect: that of the operation which uses it.
        """
        expression = self.scope.records.text(tree.operator, "expression")
        meaning = self.scope.code.find(expression)
        if meaning is None or meaning.function != "constant" or not parameter:
            raise UnreadableRewriteError(
                "an unknown call in what is matched", expression, is_code=True
            )
        if len(tree.arguments) != 1:
            raise UnreadableRewriteError("several constants as one", tree.text)
        allowed = self.scope.types_of(parameter.constraint)
        declaration = self.scope.constant_operation(dialect, allowed)
        (value,) = declaration.arguments
        attribute = self._attribute(value, tree.arguments[0])
        example = Example(declaration, (), ((value.name, attribute),), (Value(""),))
        for bound in tree.names:
            self.scope.bind(bound, example)
        self._add(example)
        return example

    def _attribute(self, parameter: Parameter, argument: Argument) -> Attribute:
        if isinstance(argument, Tree):
            raise UnreadableRewriteError("a call in what is matched", argument.text)
        records = self.scope.records
        declared = form_of(records, parameter.constraint)
        constant = constant_of(records, argument.record, declared)
        if constant is not None:
            if constant.is_default:
                reason = f"the default of '{parameter.name}' in what is matched"
                raise UnreadableRewriteError(
                    reason, records.text(argument.record, "value")
                )
            return Attribute(argument.name, constant.form, constant.value, is_used=True)
        form = declared
        if argument.record and argument.record not in ANY_NUMBER:
            form = self._narrowed(parameter, argument, declared)
        elif argument.text and not argument.record:
            raise UnreadableRewriteError("an attribute that is no name", argument.text)
        known = self.scope.find(argument.name) if argument.name else None
        if isinstance(known, Value):
            raise UnreadableRewriteError(
                "a value in place of an attribute", argument.text
            )
        if known is not None:  # both are equal, so that both are shown
            if not is_same_form(known.form, form):
                raise UnreadableRewriteError(
                    "attributes of two classes", f"${argument.name}"
                )
            known.is_used = True
            return known
        found = Attribute(argument.name or parameter.name, form)
        self.scope.bind(argument.name, found)
        if argument.record == SCALAR_NUMBER:
            integers = frozenset({*INTEGERS, INDEX})
            self.scope.types.add(found, integers, is_matched=True)
            self.read.conditions.append(Condition("scalar", (found,)))
        return found

    def _narrowed(
        self, parameter: Parameter, argument: Leaf, declared: AttributeForm
    ) -> AttributeForm:
        """Return the form of attributes that meet a constraint in the rewrite."""
        if argument.record == parameter.constraint:
            return declared
        form = form_of(self.scope.records, argument.record)
        is_base = is_same_form(form, declared) or not declared.type
        if not is_base or self.scope.records.is_a(argument.record, "ConfinedAttr"):
            raise UnreadableRewriteError("a constraint of an attribute", argument.text)
        return form


def read_source(scope: Scope, read: ReadRewrite) -> None:
    """Read what a rewrite matches into `read`.

    Raises:
        UnreadableRewriteError: a pattern by example cannot have it.
    """
    reader = SourceReader(scope, read)
    tree = read.rewrite.source
    if not scope.records.is_a(tree.operator, "Op"):
        raise UnreadableRewriteError(f"'{tree.operator}' as its root", tree.text)
    reader.match(tree)
    conditions = ConditionReader(scope, read)
    for constraint in read.rewrite.constraints:
        conditions.add(constraint)
    conditions.finish()
