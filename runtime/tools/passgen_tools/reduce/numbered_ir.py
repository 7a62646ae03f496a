"""IR whose operations have numbers, which are the same in a copy of it."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Final

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import IRError
from passgen_tools.adaptors import Block, Editor, Value
from passgen_tools.ir_libraries import editor_of

_CONSTANT: Final = "arith.constant"
_CAST: Final = "builtin.unrealized_conversion_cast"
"""The operation that defines a value of any type, here from nothing."""


class Constants:
    """Makes operations that define a value of a type."""

    names: Final = frozenset({_CONSTANT, _CAST})

    def __init__(self, context: Context) -> None:
        """Make them in `context`."""
        self._context = context
        self._made: dict[str, Operation] = {}

    def make(self, value_type: object) -> Operation:
        """Return a new operation that defines a zero, or else any value.

        Raises:
            IRError: the IR library cannot make one.
        """
        text = str(value_type)
        if text not in self._made:
            self._made[text] = self._parse(text)
        return self._context.clone(self._made[text])

    def _parse(self, value_type: str) -> Operation:
        values = ["0", "0.0"]
        if value_type.startswith(("tensor<", "vector<")):
            values = ["dense<0>", "dense<0.0>"]
        if self._context.lookup(_CONSTANT) is None:
            values = []
        forms = [f'"{_CONSTANT}"() <{{value = {value} : {{}}}}>' for value in values]
        for form in forms:
            try:
                return self._parse_form(form, value_type)
            except IRError:  # a value of another type
                continue
        return self._parse_form(f'"{_CAST}"()', value_type)

    def _parse_form(self, form: str, value_type: str) -> Operation:
        text = f"%0 = {form.replace('{}', value_type)} : () -> {value_type}"
        operation = self._context.parse(text, "<constant>", implicit_module=False)
        self._context.verify(operation)
        return operation


class NumberedIR:
    """An operation with those inside it, in the order in which they are printed.

    An edit makes the numbers invalid.
    """

    def __init__(self, root: Operation, context: Context, constants: Constants) -> None:
        """Number the operations in `root`, which is 0."""
        self.context = context
        self.editor: Editor = editor_of(context)
        self.operations = self.editor.walk(root)
        self.numbers = {
            context.key(operation): number
            for number, operation in enumerate(self.operations)
        }
        self.parents = [0]
        self.depths = [0]
        for operation in self.operations[1:]:
            parent = self.numbers[context.key(context.parent(operation))]
            self.parents.append(parent)
            self.depths.append(self.depths[parent] + 1)
        self.lengths = [1] * len(self.operations)
        """How many operations each is, with those inside it."""

        for number in range(len(self.operations) - 1, 0, -1):
            self.lengths[self.parents[number]] += self.lengths[number]
        self._constants = constants
        self.values: dict[int, dict[object, Value]] = {}
        """A value of each type that is usable in all of an isolated operation."""

    def of_copy(self, root: Operation) -> NumberedIR:
        """Return the same for `root`, a copy: the numbers are not counted again."""
        same = copy(self)
        same.operations = self.editor.walk(root)
        same.values = {}
        return same

    def terminators(self) -> set[int]:
        """Return the operations that must stay the last ones of their blocks."""
        numbers: set[int] = set()
        for number, operation in enumerate(self.operations):
            if self.lengths[number] == 1:
                continue  # nothing is inside it
            for blocks in self.editor.regions(operation):
                for block in blocks:
                    terminator = self.editor.terminator(block)
                    if terminator is not None:
                        numbers.add(self.numbers[self.context.key(terminator)])
        return numbers

    def value_for(
        self,
        value: Value,
        number: int,
        operands: Iterable[Value] = (),
        *,
        constant: bool = False,
    ) -> Value:
        """Return another value of the type of `value`.

        Args:
            value: will be replaced.
            number: of the operation in whose place the other value is usable.
            operands: of that operation, which are taken first.
            constant: whether the value must be a constant; else arguments come first.
        """
        for operand in operands:
            if operand.type == value.type:
                return operand
        outermost = self._outermost_in_isolated(number)
        block = self.editor.entry_block(self.operations[outermost])
        isolated = self.parents[outermost]
        if isolated not in self.values:
            self.values[isolated] = self._values_in(block, value, constant=constant)
        values = self.values[isolated]
        is_missing = value.type not in values or values[value.type] == value
        if is_missing:
            values[value.type] = self._insert_constant(block, value.type)
        return values[value.type]

    def _insert_constant(self, block: Block, value_type: object) -> Value:
        """Return a new value, which is defined at the begin of `block`."""
        operation = self._constants.make(value_type)
        first_operation = next(iter(self.editor.operations(block)))
        self.editor.insert(operation, first_operation)
        return self.editor.results(operation)[0]

    def _outermost_in_isolated(self, number: int) -> int:
        """Return the operation directly inside the nearest isolated one or the root.

        It is the one called `number`, or one around it.
        """
        while parent := self.parents[number]:
            info = self.context.info(self.operations[parent])
            if info is not None and info.is_isolated_from_above:
                break
            number = parent
        return number

    def _values_in(
        self, block: Block, excluded: Value, *, constant: bool
    ) -> dict[object, Value]:
        """Return a value of each type that is usable wherever `block` is the entry."""
        editor = self.editor
        values = [] if constant else list(editor.arguments(block))
        for operation in editor.operations(block):
            if editor.operands(operation) or editor.regions(operation):
                break
            if not constant or self.context.name(operation) in Constants.names:
                values += editor.results(operation)
        return {value.type: value for value in reversed(values) if value != excluded}
