"""Pass options: declared once, typed, parsed from a pipeline and printed back to it.

Implements "Instance Specific Pass Options" of MLIR's PassManagement page. Value syntax
and messages are those of LLVM's command line library.

    @dataclass(kw_only=True)
    class UnrollOptions(PassOptions):
        factor: int = option("factor", UINT32, default=4, description="Copies made.")

    UnrollOptions.parse("factor=8") == UnrollOptions(factor=8)
"""

from __future__ import annotations

import dataclasses
import math
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, Final, Generic, Self, TypeVar, cast

from passgen_runtime.errors import PassOptionError, PipelineError, nearest_note
from passgen_runtime.textual_pipeline import (
    TextualOption,
    TextualPipeline,
    parse_elements,
    parse_options,
    quote,
    split_list,
    unquote,
)

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)

_METADATA_KEY = "passgen_runtime.option"


@dataclass(frozen=True, slots=True)
class OptionType(Generic[T]):
    """How values of one type are read from a pipeline, written to it, and checked."""

    name: str
    """As specs and help texts spell it."""

    zero: T
    """What an option without a default starts at."""

    parse: Callable[[str], T]
    """Text without outer quotes to value; raises `ValueError` saying what is wrong."""

    accepts: Callable[[object], bool]
    """Whether a Python value is one of this type."""

    print: Callable[[T], str] = str
    """Value to text that `parse` reads back, quoted where the grammar needs it."""

    bare: str | None = None
    """The text meant by an option without a value; `None`: a value is required."""

    choices: tuple[str, ...] = ()
    """All texts that a closed type takes."""


@dataclass(frozen=True, slots=True)
class OptionInfo:
    """The declaration of one option, as help texts and pipelines see it."""

    field: str
    """The attribute of the options class."""

    argument: str
    type: OptionType[Any]
    is_list: bool
    default: Any
    description: str

    def print(self, value: Any) -> str:  # noqa: ANN401 - the field's own type
        """Return `value` as a pipeline spells it."""
        if self.is_list:
            return f"{{{','.join(self._print_element(each) for each in value)}}}"
        return self.type.print(value)

    def _print_element(self, value: object) -> str:
        return self.type.print(value) or "''"


def option(
    argument: str,
    type: OptionType[T],  # noqa: A002 - reads as the spec does
    *,
    default: T | str | None = None,
    description: str = "",
) -> T:
    """Declare an option as a field of a `PassOptions` dataclass.

    Args:
        argument: its name in a pipeline.
        type: how its values are read and written.
        default: a value, or the text of one; the type's zero where it is not given.
        description: Markdown for help texts and docs.
    """
    value = type.zero if default is None else _coerce(type, argument, default)
    metadata = {_METADATA_KEY: (argument, type, False, description)}
    field: T = dataclasses.field(default=value, metadata=metadata)
    return field


def list_option(
    argument: str,
    type: OptionType[T],  # noqa: A002 - reads as the spec does
    *,
    description: str = "",
) -> list[T]:
    """Declare a list option, empty unless given, as a field of a dataclass.

    Args:
        argument: its name in a pipeline.
        type: how its elements are read and written.
        description: Markdown for help texts and docs.
    """
    metadata = {_METADATA_KEY: (argument, type, True, description)}
    field: list[T] = dataclasses.field(default_factory=list, metadata=metadata)
    return field


@dataclass(kw_only=True)
class PassOptions:
    """Base of all options dataclasses; by itself, the options of a pass that has none.

    `str(options)` is the text between the braces of a pipeline: every option with its
    value, in order of argument as MLIR prints them, empty lists left out.
    """

    _declared: ClassVar[tuple[OptionInfo, ...]]

    def __post_init__(self) -> None:
        """Check each value against its declared type, and copy lists.

        Raises:
            PassOptionError: a value is not of its option's type.
        """
        for info in self.declared():
            value = getattr(self, info.field)
            if info.is_list:
                values = [_coerce(info.type, info.argument, each) for each in value]
                setattr(self, info.field, values)
            else:
                setattr(self, info.field, _coerce(info.type, info.argument, value))

    @classmethod
    def declared(cls) -> tuple[OptionInfo, ...]:
        """Return the declarations of all options, in order of declaration."""
        if "_declared" not in cls.__dict__:
            cls._declared = tuple(_option_infos(cls))
        return cls._declared

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return options from `text` in pipeline syntax, e.g. `factor=8 full`.

        Raises:
            PassOptionError: an option is unknown or a value wrong.
            PipelineError: a quote or bracket is not closed.
        """
        return cls.from_textual(parse_options(text))

    @classmethod
    def from_textual(cls, options: Iterable[TextualOption]) -> Self:
        """Return options from parsed ones; later scalars win, lists are appended to.

        Raises:
            PassOptionError: an option is unknown or a value wrong.
        """
        values: dict[str, Any] = {}
        for each in options:
            span = each.span
            try:
                info = cls.option_info(each.key)
                span = each.value_span
                if info.is_list:
                    values.setdefault(info.field, []).extend(_list_value(info, each))
                else:
                    values[info.field] = _value(info, each.value)
            except PassOptionError as error:
                error.span = span
                raise
        return cls(**values)

    @classmethod
    def option_info(cls, argument: str) -> OptionInfo:
        """Return the declaration of the option called `argument`.

        Raises:
            PassOptionError: there is none.
        """
        declared = cls.declared()
        for info in declared:
            if info.argument == argument:
                return info
        arguments = sorted(info.argument for info in declared)
        valid = (
            f"valid options are {', '.join(arguments)}"
            if arguments
            else ("this pass has no options")
        )
        raise PassOptionError(
            f"no such option {argument}", (*nearest_note(argument, arguments), valid)
        )

    def __str__(self) -> str:
        """Return the options in pipeline syntax, in order of argument."""
        return " ".join(self._printed())

    def _printed(self) -> Iterator[str]:
        for info in sorted(self.declared(), key=lambda info: info.argument):
            value = getattr(self, info.field)
            if not (info.is_list and not value):
                yield f"{info.argument}={info.print(value)}"


def _option_infos(cls: type[PassOptions]) -> Iterator[OptionInfo]:
    for field in dataclasses.fields(cls):
        if _METADATA_KEY in field.metadata:
            argument, type_, is_list, description = field.metadata[_METADATA_KEY]
            default = [] if is_list else field.default
            yield OptionInfo(field.name, argument, type_, is_list, default, description)


def _coerce(type_: OptionType[T], argument: str, value: object) -> T:
    """Return `value` if `type_` accepts it, or what it reads from it if it is text."""
    if type_.accepts(value):
        return cast("T", value)
    if isinstance(value, str):
        return _parsed(type_, argument, value)
    message = f"for the --{argument} option: {value!r} is not a value of {type_.name}"
    raise PassOptionError(message)


def _value(info: OptionInfo, text: str | None) -> object:
    if text is None:
        if info.type.bare is None:
            raise PassOptionError(
                f"for the --{info.argument} option: requires a value!"
            )
        text = info.type.bare
    return _parsed(info.type, info.argument, unquote(text))


def _list_value(info: OptionInfo, option: TextualOption) -> Iterator[object]:
    if option.value is None:
        raise PassOptionError(f"for the --{info.argument} option: requires a value!")
    for element in split_list(option.value):
        yield _parsed(info.type, info.argument, unquote(element))


def _parsed(type_: OptionType[T], argument: str, text: str) -> T:
    try:
        return type_.parse(text)
    except ValueError as error:
        notes = nearest_note(text, type_.choices)
        if type_.choices:
            notes += (f"valid values are {', '.join(type_.choices)}",)
        message = f"for the --{argument} option: {error}"
        raise PassOptionError(message, notes) from None


# The types. Messages and accepted spellings follow llvm/lib/Support/CommandLine.cpp.

_TRUE = ("", "true", "TRUE", "True", "1")
_FALSE = ("false", "FALSE", "False", "0")


def _parse_bool(text: str) -> bool:
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    message = f"'{text}' is invalid value for boolean argument! Try 0 or 1"
    raise ValueError(message)


def _parse_integer(text: str) -> int:
    """Return the integer in `text`: decimal, or with the prefix 0x, 0b, 0o or 0."""
    sign = -1 if text.startswith("-") else 1
    digits = text[1:] if sign < 0 else text
    if not digits.isascii() or not digits.isalnum():
        raise ValueError(text)
    for prefix, base in (("0x", 16), ("0b", 2), ("0o", 8)):
        if digits.lower().startswith(prefix):
            return sign * int(digits[2:], base)
    is_octal = digits.startswith("0") and len(digits) > 1
    return sign * int(digits, 8 if is_octal else 10)


def _integer(name: str, bits: int, *, signed: bool, llvm_name: str) -> OptionType[int]:
    minimum = -(1 << (bits - 1)) if signed else 0
    maximum = (1 << (bits - 1 if signed else bits)) - 1

    def parse(text: str) -> int:
        message = f"'{text}' value invalid for {llvm_name} argument!"
        try:
            value = _parse_integer(text)
        except ValueError:
            raise ValueError(message) from None
        if not minimum <= value <= maximum:
            message += f" {name} holds {minimum} to {maximum}"
            raise ValueError(message)
        return value

    def accepts(value: object) -> bool:
        if not isinstance(value, int) or isinstance(value, bool):
            return False
        return minimum <= value <= maximum

    return OptionType(name, 0, parse, accepts)


def _floating_point(name: str, largest: float) -> OptionType[float]:
    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            message = f"'{text}' value invalid for floating point argument!"
            raise ValueError(message) from None
        if math.isfinite(value) and abs(value) > largest:
            message = f"'{text}' value invalid for floating point argument! too large"
            raise ValueError(message)
        return value

    def accepts(value: object) -> bool:
        return isinstance(value, float | int) and not isinstance(value, bool)

    return OptionType(name, 0.0, parse, accepts, lambda value: repr(float(value)))


def _parse_pipeline(text: str) -> TextualPipeline:
    try:
        return parse_elements(text)
    except PipelineError as error:
        raise ValueError(error.message) from error


_LARGEST_FLOAT: Final[float] = struct.unpack("<f", b"\xff\xff\x7f\x7f")[0]
_LARGEST_DOUBLE: Final[float] = struct.unpack("<d", b"\xff" * 6 + b"\xef\x7f")[0]

BOOL: Final = OptionType(
    "bool",
    zero=False,
    parse=_parse_bool,
    accepts=lambda value: isinstance(value, bool),
    print=lambda value: "true" if value else "false",
    bare="true",
    choices=("true", "false"),
)
INT8: Final = _integer("int8", 8, signed=True, llvm_name="integer")
INT16: Final = _integer("int16", 16, signed=True, llvm_name="integer")
INT32: Final = _integer("int32", 32, signed=True, llvm_name="integer")
INT64: Final = _integer("int64", 64, signed=True, llvm_name="long")
UINT8: Final = _integer("uint8", 8, signed=False, llvm_name="uint")
UINT16: Final = _integer("uint16", 16, signed=False, llvm_name="uint")
UINT32: Final = _integer("uint32", 32, signed=False, llvm_name="uint")
UINT64: Final = _integer("uint64", 64, signed=False, llvm_name="ulong")
FLOAT: Final = _floating_point("float", _LARGEST_FLOAT)
DOUBLE: Final = _floating_point("double", _LARGEST_DOUBLE)
STRING: Final = OptionType(
    "string",
    zero="",
    parse=str,
    accepts=lambda value: isinstance(value, str),
    print=lambda value: quote(value) if value else "",
)
PIPELINE: Final = OptionType(
    "pipeline",
    zero=TextualPipeline(()),
    parse=_parse_pipeline,
    accepts=lambda value: isinstance(value, TextualPipeline),
    print=lambda value: f"{{{value}}}" if len(value.elements) > 1 else str(value),
)


def enum_type(enum: type[E]) -> OptionType[E]:
    """Return the option type whose values are the members of `enum`, by their text."""
    members = tuple(enum)

    def parse(text: str) -> E:
        try:
            return enum(text)
        except ValueError:
            message = f"Cannot find option named '{text}'!"
            raise ValueError(message) from None

    return OptionType(
        "enum",
        zero=members[0],
        parse=parse,
        accepts=lambda value: isinstance(value, enum),
        print=lambda value: quote(value.value),
        choices=tuple(member.value for member in members),
    )
