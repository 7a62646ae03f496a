"""xDSL's IR as bytes: tables of numbers and strings, without recursion.

- Strings: names, name hints, and the data of attributes.
- Attributes, types and locations: each once, after those that it contains.
- Shapes: what operations have in common, each once: name, properties, attributes,
  results, and how many operands and successors there are.
- The body: operations in post-order, which is the order in which the parser makes them.
  An operation is the number of its shape, of its location, of its operands and its
  successors; its regions stand before it. There may be several outermost operations,
  of which none uses values of another one.

The data names operations and attributes; their classes are found in the context that
decodes. Decoding takes time that is linear in the size of the data: large shapes are
not shared, and the size of all attributes when written out is limited.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Block, Operation

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import IRError
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.adaptors.encoded_ir import frame
from passgen_tools.adaptors.xdsl.attribute_tables import (
    TOO_LARGE,
    AttributeWriter,
    max_size,
)
from passgen_tools.adaptors.xdsl.decoding import (
    END_OF_BLOCK,
    FIRST_SHAPE,
    FORM,
    REGION,
    SIZES,
    TYPECODES,
    VERSION,
    is_shared,
)

_COUNTS: Final = slice(3, 6)
"""Where a shape has the numbers of results, properties and attributes."""

_OP_NAME: Final = "op_name__"
"""The attribute in which xDSL keeps the name of an unregistered operation."""


def encode(context: XDSLContext, roots: Iterable[Operation]) -> bytes:
    """Return operations as bytes; each is written before the next one is asked for.

    Raises:
        IRError: an operation uses a value or a block outside of its root.
    """
    return _Writer(context).encode(roots)


class _Writer:
    """The tables while they grow."""

    def __init__(self, context: XDSLContext) -> None:
        self._context = context
        self._attributes = AttributeWriter(context.xdsl)
        self._shapes: list[tuple[int, ...]] = []
        self._shared_shapes: dict[tuple[int, ...], int] = {}
        self._names: dict[type[Operation], int] = {}
        """The numbers of registered operations."""

        self._body: list[int] = []
        # By identity: xDSL's hashes are functions in Python.
        self._values: dict[int, int] = {}
        self._blocks: dict[int, int] = {}
        self._forward: list[tuple[int, Operation, int]] = []
        """Places in the body of operands that are used before they are defined."""

    def encode(self, roots: Iterable[Operation]) -> bytes:
        """Write all of `roots`."""
        alive = []  # as long as they are known by identity
        for root in roots:
            alive.append(root)
            self._write_root(root)
        strings = self._attributes.strings
        records = self._attributes.records
        numbers = [
            *map(len, strings),
            len(records),
            *chain.from_iterable(records),
            len(self._shapes),
            *chain.from_iterable(self._shapes),
            *self._body,
        ]
        largest = max(numbers)
        width = next(size for size in TYPECODES if largest < 1 << 8 * size)
        packed = array(TYPECODES[width], numbers)
        if sys.byteorder == "big":
            packed.byteswap()
        sizes = SIZES.pack(width, len(packed), len(strings), len(alive))
        content = b"".join((sizes, packed.tobytes(), *strings))
        if self._attributes.size > max_size(len(content)):
            raise self._refusal(alive[0], TOO_LARGE)
        return frame(content, FORM, VERSION)

    def _write_root(self, root: Operation) -> None:
        self._values.clear()
        self._forward.clear()
        pending = [self._write(root)]
        while pending:
            nested = next(pending[-1], None)
            if nested is None:
                pending.pop()
            else:
                pending.append(self._write(nested))
        self._write_forward_uses(root)

    def _write(self, operation: Operation) -> Iterator[Operation]:
        """Write `operation` after its regions.

        Yields those operations in them that have regions: the caller writes them.
        """
        body = self._body
        for region in operation.regions:
            blocks = tuple(region.blocks)
            body += (REGION, len(blocks))
            for index, block in enumerate(blocks):
                self._blocks[id(block)] = index
                self._write_arguments(block)
            for block in blocks:
                each = block.first_op
                while each is not None:
                    if each.regions:
                        yield each
                    else:
                        self._write_operation(each)
                    each = each.next_op
                body.append(END_OF_BLOCK)
        self._write_operation(operation)

    def _write_arguments(self, block: Block) -> None:
        attribute = self._attributes.attribute
        self._body += (self._hint(block.name_hint), len(block.args))
        for argument in block.args:
            self._values[id(argument)] = len(self._values)
            type_, location = attribute(argument.type), attribute(argument.location)
            self._body += (type_, self._hint(argument.name_hint), location)

    def _write_operation(self, operation: Operation) -> None:
        body, values = self._body, self._values
        body.append(self._shape(operation) + FIRST_SHAPE)
        body.append(self._attributes.attribute(operation.location))
        for index, operand in enumerate(operation.operands):
            number = values.get(id(operand))
            if number is None:
                self._forward.append((len(body), operation, index))
                number = 0
            body.append(number)
        for result in operation.results:
            values[id(result)] = len(values)
        for successor in operation.successors:
            region = successor.parent
            number = self._blocks.get(id(successor))
            if number is None or region is not operation.parent_region():
                reason = "it branches to a block outside its region"
                raise self._refusal(operation, reason)
            body.append(number)

    def _write_forward_uses(self, root: Operation) -> None:
        for place, operation, index in self._forward:
            number = self._values.get(id(operation.operands[index]))
            if number is None:
                name = self._context.name(root)
                reason = f"operand #{index} is defined outside of the encoded '{name}'"
                raise self._refusal(operation, reason)
            self._body[place] = number

    def _shape(self, operation: Operation) -> int:
        text, attribute = self._attributes.text, self._attributes.attribute
        attributes = operation.attributes
        number = self._names.get(type(operation))
        if number is None:
            number = text(self._context.name(operation))
            if isinstance(operation, UnregisteredOp):
                attributes = {
                    name: value
                    for name, value in attributes.items()
                    if name != _OP_NAME
                }
            else:
                self._names[type(operation)] = number
        shape = [
            number,
            len(operation.operands),
            len(operation.successors),
            len(operation.results),
            len(operation.properties),
            len(attributes),
        ]
        for result in operation.results:
            shape += (attribute(result.type), self._hint(result.name_hint))
        for dictionary in (operation.properties, attributes):
            for name, value in dictionary.items():
                shape += (text(name), attribute(value))
        key = tuple(shape)
        number = len(self._shapes)
        if is_shared(sum(shape[_COUNTS])):
            number = self._shared_shapes.setdefault(key, number)
        if number == len(self._shapes):
            self._shapes.append(key)
        return number

    def _hint(self, name: str | None) -> int:
        return 0 if name is None else self._attributes.text(name) + 1

    def _refusal(self, operation: Operation, reason: str) -> IRError:
        name, place = self._context.name(operation), self._context.location(operation)
        message = f"'{name}' op cannot be encoded: {reason}"
        return IRError(Diagnostic("error", message, place))
