"""The tables of encoded IR that hold strings, attributes, types and locations.

An attribute is a few numbers: its kind, and the numbers of strings and of other
attributes, which stand before it. Each attribute is in the table once.

Kinds are the builtin data attributes; attributes that have parameters, by name; and
other data attributes, by name, with the text of their parameter, for which xDSL has no
other form. The reader finds classes by name in a context, and calls nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache, partial
from io import StringIO
from itertools import chain, islice
from operator import attrgetter
from struct import Struct
from typing import Any, Final, NamedTuple, TypeAlias

from xdsl.context import Context
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects import builtin
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    BytesAttr,
    DenseResourceAttr,
    DictionaryAttr,
    FileLineColLoc,
    FloatData,
    IntAttr,
    IntegerType,
    Signedness,
    StringAttr,
    UnregisteredAttr,
)
from xdsl.ir import Attribute, Data, ParametrizedAttribute, TypeAttribute
from xdsl.parser import Parser
from xdsl.printer import Printer

from passgen_tools.adaptors.encoded_ir import ir_error

Record: TypeAlias = tuple[int, ...]

_STRING, _BYTES, _INT, _FLOAT, _ARRAY, _DICTIONARY, _POSITION, _AFFINE = range(8)
_RESOURCE, _DATA, _DATA_TYPE = range(8, 11)
_WITH_PARAMETERS: Final = range(11, 16)
_BUILTIN, _PARAMETRIZED, _PARAMETRIZED_TYPE, *_ = _WITH_PARAMETERS
*_, _UNREGISTERED, _UNREGISTERED_TYPE = _WITH_PARAMETERS
_TYPES: Final = frozenset({_DATA_TYPE, _PARAMETRIZED_TYPE, _UNREGISTERED_TYPE})

_ENCODING: Final = ("utf-8", "surrogatepass")
_DOUBLE: Final = Struct("<d")
_MAX_POSITION: Final = 1 << 32
"""The least line or column that is encoded as an attribute of its own."""

TOO_LARGE: Final = "the attributes are too large when they are written out"
_MAX_SIZE: Final = 1_000_000
_MAX_SIZE_PER_BYTE: Final = 16

_CHARACTERS_PER_SIZE: Final = 16

_BUILTINS: Final[Mapping[str, type[ParametrizedAttribute]]] = {
    value.name: value
    for value in vars(builtin).values()
    if isinstance(value, type)
    and issubclass(value, ParametrizedAttribute)
    and value.__module__ == builtin.__name__
    and not issubclass(value, UnregisteredAttr)
    and "name" in vars(value)
}
"""Classes by name; some are not registered, and most names are of no dialect."""

_WITH_CLOSED_STRINGS: Final = re.compile(
    r'[^"]*+(?:"(?:[^"\\\n\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"[^"]*+)*+', re.ASCII
)
"""A pattern without backtracking, which takes linear time."""

_MAX_WIDTH: Final = (1 << 24) - 1
"""The width of integers that MLIR allows: to verify a number takes memory for it."""


def max_size(num_bytes: int) -> int:
    """Return the limit on the size of attributes decoded from so many bytes.

    Attributes that share their parts can be exponentially larger than their encoding,
    and verifying and printing them takes as long.
    """
    return _MAX_SIZE + _MAX_SIZE_PER_BYTE * num_bytes


class _Form(NamedTuple):
    """The encoding of attributes of one class."""

    parts: Callable[[Any], Collection[Attribute]]
    """Returns the attributes that one refers to by number."""

    record: Callable[[Any, list[int]], Record]
    """Returns the record of one, given the numbers of its parts."""


class AttributeWriter:
    """The tables while they grow."""

    def __init__(self, context: Context) -> None:
        """Begin with empty tables; `context` has the dense resources."""
        self._context = context
        self.strings: dict[bytes, int] = {}
        self.records: dict[Record, int] = {}
        self.size = 0
        """The size of all attributes when written out."""

        self._texts: dict[str, int] = {}
        self._sizes: list[int] = []
        # By identity: hashes of attributes take long.
        self._numbers: dict[int, int] = {}
        self._integer_types: dict[tuple[int, Signedness], int] = {}
        self._forms: dict[type[Attribute], _Form] = {
            ArrayAttr: _Form(
                attrgetter("data"), lambda _, parts: (_ARRAY, len(parts), *parts)
            ),
            DictionaryAttr: _Form(
                lambda each: (*each.data.values(),), self._dictionary
            ),
        }

    def text(self, text: str) -> int:
        """Return the number of a string."""
        number = self._texts.get(text)
        if number is None:
            number = self._texts[text] = self._string(text.encode(*_ENCODING))
        return number

    def attribute(self, attribute: Attribute) -> int:
        """Return the number of `attribute`, which must live until the last call."""
        number = self._numbers.get(id(attribute))
        if number is not None:
            return number
        if type(attribute) is not IntegerType:
            return self._with_parts(attribute)
        # xDSL's parser makes one for each value.
        key = attribute.width.data, attribute.signedness.data
        number = self._integer_types.get(key)
        if number is None:
            number = self._integer_types[key] = self._with_parts(attribute)
        self._numbers[id(attribute)] = number
        return number

    def _with_parts(self, attribute: Attribute) -> int:
        """Write `attribute` after those that it contains; return its number."""
        numbers = self._numbers
        pending = [attribute]
        while pending:
            each = pending[-1]
            cls = type(each)
            form = self._forms.get(cls)
            if form is None:
                form = self._forms[cls] = self._form_of(cls)
            parts = form.parts(each)
            missing = [part for part in parts if id(part) not in numbers]
            if missing:
                pending += missing
                continue
            pending.pop()
            part_numbers = [numbers[id(part)] for part in parts]
            record = form.record(each, part_numbers)
            number = self.records.setdefault(record, len(self.records))
            numbers[id(each)] = number
            if number == len(self._sizes):
                self._count(each, part_numbers)
        return numbers[id(attribute)]

    def _form_of(self, cls: type[Attribute]) -> _Form:
        """Return the encoding of attributes of a class that has no form of its own."""
        parameters = attrgetter("parameters")
        forms = (
            (FileLineColLoc, _Form(_parts_of_position, self._position)),
            (DenseResourceAttr, _Form(lambda each: (each.type,), self._resource)),
            (UnregisteredAttr, _Form(parameters, self._make_unregistered)),
            (ParametrizedAttribute, _Form(parameters, self._make_parametrized)),
        )
        no_parts = _Form(lambda _: (), self._data)
        return next((form for base, form in forms if issubclass(cls, base)), no_parts)

    def _count(self, attribute: Attribute, parts: list[int]) -> None:
        size = 1
        if isinstance(attribute, StringAttr | BytesAttr):
            size += len(attribute.data) // _CHARACTERS_PER_SIZE
        elif not isinstance(attribute, FileLineColLoc):
            size += sum(map(self._sizes.__getitem__, parts))
        self._sizes.append(size)
        self.size += size

    def _string(self, data: bytes) -> int:
        return self.strings.setdefault(data, len(self.strings))

    def _position(self, attribute: FileLineColLoc, parts: list[int]) -> Record:
        if len(parts) > 1:
            return self._make_parametrized(attribute, parts)
        return (_POSITION, *parts, attribute.line.data, attribute.column.data)

    def _resource(self, attribute: DenseResourceAttr, parts: list[int]) -> Record:
        key = attribute.resource_handle.data
        content = _resources_of(self._context).lookup(key) or ""
        return (_RESOURCE, *parts, self.text(key), self.text(content))

    def _make_unregistered(
        self, attribute: UnregisteredAttr, parts: list[int]
    ) -> Record:
        kind = _UNREGISTERED + isinstance(attribute, TypeAttribute)
        return (kind, self.text(attribute.attr_name.data), len(parts), *parts)

    def _make_parametrized(
        self, attribute: ParametrizedAttribute, parts: list[int]
    ) -> Record:
        name = attribute.name
        if _BUILTINS.get(name) is type(attribute):
            kind = _BUILTIN
        else:
            kind = _PARAMETRIZED + isinstance(attribute, TypeAttribute)
        return (kind, self.text(name), len(parts), *parts)

    def _dictionary(self, attribute: DictionaryAttr, parts: list[int]) -> Record:
        pairs = zip(map(self.text, attribute.data), parts, strict=True)
        return (_DICTIONARY, len(parts), *chain.from_iterable(pairs))

    def _data(self, attribute: Attribute, _parts: list[int]) -> Record:
        if type(attribute) is StringAttr:
            return (_STRING, self.text(attribute.data))
        if type(attribute) is BytesAttr:
            return (_BYTES, self._string(attribute.data))
        if type(attribute) is IntAttr:
            size = attribute.data.bit_length() // 8 + 1
            data = attribute.data.to_bytes(size, "little", signed=True)
            return (_INT, self._string(data))
        if type(attribute) is FloatData:
            return (_FLOAT, self._string(_DOUBLE.pack(attribute.data)))
        if isinstance(attribute, AffineMapAttr | AffineSetAttr):
            return (_AFFINE, self.text(str(attribute)))
        assert isinstance(attribute, Data)
        stream = StringIO()
        attribute.print_parameter(Printer(stream))
        kind = _DATA + isinstance(attribute, TypeAttribute)
        return (kind, self.text(attribute.name), self.text(stream.getvalue()))


def _parts_of_position(attribute: FileLineColLoc) -> tuple[Attribute, ...]:
    line, column = attribute.line.data, attribute.column.data
    if 0 <= line < _MAX_POSITION and 0 <= column < _MAX_POSITION:
        return (attribute.filename,)
    return attribute.parameters


def _resources_of(context: Context) -> OpAsmDialectInterface:
    """Return the contents of dense resources by key, which are no part of the IR."""
    resources = context.get_dialect("builtin").get_interface(OpAsmDialectInterface)
    assert resources is not None
    return resources


class AttributeReader:
    """The tables while they are read; any exception is about the data."""

    def __init__(
        self,
        context: Context,
        numbers: Iterator[int],
        strings: list[bytes],
        max_size: int,
    ) -> None:
        """Read nothing yet.

        Args:
            context: has the classes of attributes.
            numbers: of which the table is the next.
            strings: the table of strings.
            max_size: the size that all attributes may have when written out.
        """
        self.attributes: list[Attribute] = []
        self._context = context
        self._numbers = numbers
        self._take = numbers.__next__
        self._strings = strings
        self._texts: dict[int, str] = {}
        self._class = cache(self._find_class)
        self._place = cache(IntAttr)  # the same lines and columns come again and again
        self._sizes: list[int] = []
        self._size = 0
        """The size of the attribute that is being read."""

        self._total_size = 0
        self._max_size = max_size
        self._seen: set[Record] = set()
        self._readers: tuple[Callable[[], Attribute], ...] = (
            self._string,
            self._bytes,
            self._int,
            self._float,
            self._array,
            self._dictionary,
            self._position,
            self._affine,
            self._resource,
            *(partial(self._data, kind) for kind in (_DATA, _DATA_TYPE)),
            *(partial(self._make_parametrized, kind) for kind in _WITH_PARAMETERS),
        )
        """The functions that read attributes, by kind."""

    def read(self) -> None:
        """Read the table of attributes."""
        take, attributes, readers = self._take, self.attributes, self._readers
        for _ in range(take()):
            self._size = 1
            attributes.append(readers[take()]())
            self._sizes.append(self._size)
            self._total_size += self._size
            if self._total_size > self._max_size:
                raise ir_error(TOO_LARGE)

    def text(self, number: int) -> str:
        """Return a string."""
        text = self._texts.get(number)
        if text is None:
            text = self._texts[number] = self._strings[number].decode(*_ENCODING)
        return text

    def dictionary(self, length: int) -> dict[str, Attribute]:
        """Read names and attributes."""
        pairs = list(islice(self._numbers, 2 * length))
        names = map(self.text, pairs[::2])
        return dict(zip(names, self._chosen(pairs[1::2]), strict=True))

    def _parts(self, length: int) -> list[Attribute]:
        return self._chosen(list(islice(self._numbers, length)))

    def _chosen(self, numbers: list[int]) -> list[Attribute]:
        self._size += sum(map(self._sizes.__getitem__, numbers))
        return list(map(self.attributes.__getitem__, numbers))

    def _once(self, *record: int) -> None:
        if record in self._seen:
            raise ir_error("damaged: an attribute is in the table twice")
        self._seen.add(record)

    def _string(self) -> Attribute:
        text = self.text(self._take())
        self._size += len(text) // _CHARACTERS_PER_SIZE
        return StringAttr(text)

    def _bytes(self) -> Attribute:
        data = self._strings[self._take()]
        self._size += len(data) // _CHARACTERS_PER_SIZE
        return BytesAttr(data)

    def _int(self) -> Attribute:
        number = self._take()
        self._once(_INT, number)
        return IntAttr(int.from_bytes(self._strings[number], "little", signed=True))

    def _float(self) -> Attribute:
        return FloatData(*_DOUBLE.unpack(self._strings[self._take()]))

    def _array(self) -> Attribute:
        return ArrayAttr(self._parts(self._take()))

    def _dictionary(self) -> Attribute:
        return DictionaryAttr(self.dictionary(self._take()))

    def _position(self) -> Attribute:
        file = self.attributes[self._take()]
        if not isinstance(file, StringAttr):
            raise ir_error("damaged: the file of a location is no string")
        line, column = self._place(self._take()), self._place(self._take())
        return FileLineColLoc(file, line, column)

    def _affine(self) -> Attribute:
        attribute = self._parser(_AFFINE, 0, self._take()).parse_attribute()
        if not isinstance(attribute, AffineMapAttr | AffineSetAttr):
            raise ir_error("damaged: expected an affine map or set")
        return attribute

    def _resource(self) -> Attribute:
        (type_,) = self._parts(1)
        key, content = self.text(self._take()), self.text(self._take())
        resources = _resources_of(self._context)
        known = resources.lookup(key)
        # As MLIR does, a key that stands for another content here is renamed.
        if known is None or (known and content and known != content):
            key = resources.declare_resource(key)
        if content:
            resources.parse_resource(key, content)
        return DenseResourceAttr.new((StringAttr(key), type_))

    def _data(self, kind: int) -> Attribute:
        name, text = self._take(), self._take()
        found = self._class(kind, name)
        if not issubclass(found, Data):
            raise ir_error(f"damaged: '{found.name}' has another form")
        return found.new(found.parse_parameter(self._parser(kind, name, text)))

    def _parser(self, kind: int, name: int, number: int) -> Parser:
        self._once(kind, name, number)
        text = self.text(number)
        # xDSL's lexer takes exponentially long to find that a string does not end.
        if not _WITH_CLOSED_STRINGS.fullmatch(text):
            raise ir_error("damaged: a string in the text of an attribute does not end")
        return Parser(self._context, text)

    def _make_parametrized(self, kind: int) -> Attribute:
        found = self._class(kind, self._take())
        if not issubclass(found, ParametrizedAttribute):
            raise ir_error(f"damaged: '{found.name}' has another form")
        made = found.new(self._parts(self._take()))
        if type(made) is IntegerType and made.width.data > _MAX_WIDTH:
            raise ir_error(f"damaged: an integer type has {made.width.data} bits")
        return made

    def _find_class(self, kind: int, name_number: int) -> type[Attribute]:
        name = self.text(name_number)
        found: type[Attribute] | None
        if kind == _BUILTIN:
            found = _BUILTINS.get(name)
        elif kind in _TYPES:
            found = self._context.get_optional_type(name)
        else:
            found = self._context.get_optional_attr(name)
        is_unregistered = kind in {_UNREGISTERED, _UNREGISTERED_TYPE}
        if found is None or issubclass(found, UnregisteredAttr) != is_unregistered:
            what = "type" if kind in _TYPES else "attribute"
            raise ir_error(f"{what} '{name}' is not registered")
        return found
