"""The reader of encoded IR; `encoding` describes the format."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from struct import Struct
from struct import error as StructError  # noqa: N812 - a class, whatever its name
from typing import Final, NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.core import IRWithName

from passgen_runtime.errors import IRError
from passgen_runtime.ir.xdsl.parser import message_of
from passgen_runtime.ir.xdsl.printer import LOCATIONS
from passgen_tools.adaptors.encoded_ir import content_of, ir_error
from passgen_tools.adaptors.xdsl.attribute_tables import AttributeReader, max_size

FORM: Final = b"xDSL"
VERSION: Final = 2

SIZES: Final = Struct("<BIII")
"""The bytes of a number; how many numbers, strings and outermost operations."""

TYPECODES: Final = {1: "B", 2: "H", 4: "I", 8: "Q"}
"""Typecodes of `array` by the bytes of a number."""

_MAX_SHARED: Final = 12
"""A shape that has more results, properties and attributes is of one operation."""

END_OF_BLOCK, REGION, FIRST_SHAPE = range(3)
"""The opcodes of the body; all numbers from `FIRST_SHAPE` up stand for shapes."""


def decode(context: Context, data: bytes) -> list[Operation]:
    """Return the operations that `data` encodes, without a parent.

    Raises:
        IRError: `data` is damaged, or not of this version, or names an operation or
            attribute that is not registered in `context`.
    """
    content = content_of(data, FORM, VERSION)
    try:
        return _operations_in(context, content)
    except IRError:
        raise
    except (StopIteration, IndexError, StructError) as error:
        raise ir_error("damaged: a number in the encoded IR is too large") from error
    except Exception as error:
        # Attributes verify while they are made: any exception of theirs is about data.
        raise ir_error(message_of(error)) from error


class _Shape(NamedTuple):
    """The properties that operations have in common."""

    create: Callable[..., Operation]
    num_operands: int
    num_successors: int
    types: list[Attribute]
    hints: list[str | None] | None
    """The name hints of the results, if one of them has a name."""

    properties: dict[str, Attribute]
    attributes: dict[str, Attribute]
    is_shared: bool


def is_shared(num_pairs: int) -> bool:
    """Return whether operations share a shape with so many results and attributes.

    Decoding would not be linear if they shared large ones.
    """
    return num_pairs <= _MAX_SHARED


class _OpenRegion:
    """A region whose blocks are being filled."""

    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = blocks
        self.upcoming = iter(blocks)
        self.block: Block | None = None
        """The block that is being filled; outside of the outermost operation, none."""

        self.finished: list[Region] = []
        """The regions of the next operation in the block."""


def _operations_in(context: Context, content: memoryview) -> list[Operation]:
    width, num_numbers, num_strings, num_roots = SIZES.unpack_from(content)
    end = SIZES.size + width * num_numbers
    packed = array(TYPECODES.get(width, "Q"))
    packed.frombytes(content[SIZES.size : end])
    if sys.byteorder == "big":
        packed.byteswap()
    numbers = iter(packed)
    strings = []
    for _ in range(num_strings):
        begin, end = end, end + next(numbers)
        strings.append(bytes(content[begin:end]))
    if end != len(content):
        raise ir_error("damaged: the size of the encoded IR is not that in its header")
    attributes = AttributeReader(context, numbers, strings, max_size(len(content)))
    return _Reader(context, numbers, attributes).operations(num_roots)


class _Reader:
    """The tables while they are read; any exception is about the data."""

    def __init__(
        self, context: Context, numbers: Iterator[int], attributes: AttributeReader
    ) -> None:
        self._context = context
        self._numbers = numbers
        self._take = numbers.__next__
        self._tables = attributes
        self._attributes = attributes.attributes
        self._region = _OpenRegion([])
        self._outer: list[_OpenRegion] = []
        self._hints: dict[int, str | None] = {0: None}
        self._classes: dict[int, type[Operation]] = {}
        self._values: list[SSAValue] = []
        self._forward: list[tuple[Operation, list[int]]] = []

    def operations(self, num_roots: int) -> list[Operation]:
        """Read all tables, and return the outermost operations."""
        self._tables.read()
        shapes: list[_Shape | None] = [self._shape() for _ in range(self._take())]
        operations = [self._root(shapes) for _ in range(num_roots)]
        if next(self._numbers, None) is not None:
            raise ir_error("damaged: something follows the encoded operations")
        return operations

    def _root(self, shapes: list[_Shape | None]) -> Operation:
        self._values.clear()
        self._forward.clear()
        operation = self._body(shapes)
        for user, numbers in self._forward:
            user.operands = [self._values[number] for number in numbers]
        return operation

    def _body(self, shapes: list[_Shape | None]) -> Operation:
        while True:
            code = self._take()
            if code == REGION:
                self._begin_region()
            elif code == END_OF_BLOCK:
                self._end_block()
            else:
                shape = shapes[code - FIRST_SHAPE]
                if shape is None:
                    raise ir_error("damaged: a large shape has two operations")
                if not shape.is_shared:
                    shapes[code - FIRST_SHAPE] = None
                operation = self._operation(shape)
                block = self._region.block
                if block is None:
                    return operation
                block.add_op(operation)

    def _operation(self, shape: _Shape) -> Operation:
        location = self._location(self._take())
        numbers = list(islice(self._numbers, shape.num_operands))
        try:
            operands = [self._values[number] for number in numbers]
        except IndexError:
            operands = []
        targets = list(islice(self._numbers, shape.num_successors))
        if len(numbers) + len(targets) < shape.num_operands + shape.num_successors:
            raise ir_error("damaged: the encoded IR ends too early")
        operation = shape.create(
            operands=operands,
            result_types=shape.types,
            properties=shape.properties,
            attributes=shape.attributes,
            location=location,
            successors=[self._region.blocks[target] for target in targets],
        )
        if len(operands) < len(numbers):
            self._forward.append((operation, numbers))
        self._values += operation.results
        if shape.hints is not None:
            _name(operation.results, shape.hints)
        if regions := self._region.finished:
            # `add_region` takes time that is quadratic in their number.
            operation.regions = tuple(regions)
            for region in regions:
                region.parent = operation
            regions.clear()
        return operation

    def _begin_region(self) -> None:
        blocks = [self._block() for _ in range(self._take())]
        self._outer.append(self._region)
        self._region = _OpenRegion(blocks)
        self._next_block()

    def _end_block(self) -> None:
        if self._region.block is None or self._region.finished:
            raise ir_error("damaged: a block ends in the wrong place")
        self._next_block()

    def _next_block(self) -> None:
        region = self._region
        region.block = next(region.upcoming, None)
        if region.block is None:
            self._region = self._outer.pop()
            self._region.finished.append(Region(region.blocks))

    def _block(self) -> Block:
        take = self._take
        hint = self._hint(take())
        types, hints, locations = [], [], []
        for _ in range(take()):
            types.append(self._attributes[take()])
            hints.append(self._hint(take()))
            locations.append(self._location(take()))
        block = Block(arg_types=types)
        _name((block, *block.args), (hint, *hints))
        for argument, location in zip(block.args, locations, strict=True):
            argument.location = location
        self._values += block.args
        return block

    def _shape(self) -> _Shape:
        take = self._take
        name, num_operands, num_successors = take(), take(), take()
        num_results, num_properties, num_attributes = take(), take(), take()
        types, hints = [], []
        for _ in range(num_results):
            types.append(self._attributes[take()])
            hints.append(self._hint(take()))
        return _Shape(
            self._operation_class(name).create,
            num_operands,
            num_successors,
            types,
            hints if any(hint is not None for hint in hints) else None,
            self._tables.dictionary(num_properties),
            self._tables.dictionary(num_attributes),
            is_shared(num_results + num_properties + num_attributes),
        )

    def _operation_class(self, name: int) -> type[Operation]:
        found = self._classes.get(name)
        if found is None:
            text = self._tables.text(name)
            optional = self._context.get_optional_op(text)
            if optional is None:
                raise ir_error(f"operation '{text}' is not registered")
            found = self._classes[name] = optional
        return found

    def _location(self, number: int) -> LocationAttr:
        location = self._attributes[number]
        if not isinstance(location, LOCATIONS):
            raise ir_error("damaged: a location is of another kind")
        return location

    def _hint(self, number: int) -> str | None:
        if number not in self._hints:
            hint = self._tables.text(number - 1)
            if hint and not SSAValue.is_valid_name(hint):
                raise ir_error(f"damaged: {hint!r} is not the name of a value")
            self._hints[number] = hint
        return self._hints[number]


def _name(values: Sequence[IRWithName], hints: Sequence[str | None]) -> None:
    for value, hint in zip(values, hints, strict=True):
        # The property would check each again, and takes `_1` from the end of a name.
        value._name = hint  # noqa: SLF001
