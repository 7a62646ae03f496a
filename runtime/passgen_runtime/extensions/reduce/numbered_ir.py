"""IR whose operations have numbers, which are the same in a copy of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import IRError
from passgen_runtime.extensions.adaptors import Block, Editor, Value, editor_of

_CONSTANT: Final = "arith.constant"
_CAST: Final = "builtin.unrealized_conversion_cast"
"""The operation that defines a value of any type, here from nothing."""


_Scope: TypeAlias = tuple[int, int]
"""The nearest isolated operation around another one, and the region of it."""


class Size(NamedTuple):
    """The size of IR: that of two is smaller that has fewer operations."""

    num_operations: int
    num_links: int
    """Operands, successors and blocks."""


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
        self.operations: list[Operation] = []
        self.depths: list[int] = []
        self.ends: list[int] = []
        """One more than the largest number inside of each operation."""

        self.terminators: set[int] = set()
        self.num_links = 0
        self._constants = constants
        self._scopes: list[_Scope] = []
        self._values: dict[_Scope, dict[object, Value]] = {}
        self._add(root, 0, (0, 0))

    @property
    def size(self) -> Size:
        """How large the IR is."""
        return Size(len(self.operations), self.num_links)

    def _add(self, operation: Operation, depth: int, scope: _Scope) -> None:
        editor, number = self.editor, len(self.operations)
        self.operations.append(operation)
        self.depths.append(depth)
        self.ends.append(number + 1)
        self._scopes.append(scope)
        self.num_links += len(editor.operands(operation))
        self.num_links += len(editor.successors(operation))
        for index, blocks in enumerate(editor.regions(operation)):
            if blocks and self._is_isolated(number):
                scope = number, index
            self.num_links += len(blocks)
            for block in blocks:
                last = 0
                for inner in editor.operations(block):
                    last = len(self.operations)
                    self._add(inner, depth + 1, scope)
                if last and editor.terminator(block) is not None:
                    self.terminators.add(last)
        self.ends[number] = len(self.operations)

    def _is_isolated(self, number: int) -> bool:
        info = self.context.info(self.operations[number])
        return number == 0 or (info is not None and info.is_isolated_from_above)

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
        scope = self._scopes[number]
        if scope not in self._values:
            self._values[scope] = self._values_in(scope, value, constant=constant)
        values = self._values[scope]
        if values.get(value.type, value) == value:
            operation = self._constants.make(value.type)
            first = self.editor.operations(self._block(scope))[0]
            self.editor.insert(operation, first)
            values[value.type] = self.editor.results(operation)[0]
        return values[value.type]

    def _block(self, scope: _Scope) -> Block:
        number, index = scope
        return self.editor.regions(self.operations[number])[index][0]

    def _values_in(
        self, scope: _Scope, excluded: Value, *, constant: bool
    ) -> dict[object, Value]:
        """Return a value of each type that is usable in all of a scope."""
        editor, block = self.editor, self._block(scope)
        values = [] if constant else list(editor.arguments(block))
        for operation in editor.operations(block):
            if editor.operands(operation) or editor.regions(operation):
                break
            if not constant or self.context.name(operation) in Constants.names:
                values += editor.results(operation)
        return {value.type: value for value in reversed(values) if value != excluded}
