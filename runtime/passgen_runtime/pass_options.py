"""Pass options: declared once, typed, parsed from a pipeline and printed back to it.

Implements "Instance Specific Pass Options" of MLIR's PassManagement page. Value syntax
and messages are those of LLVM's command line library.

    @dataclass(kw_only=True)
    class UnrollOptions(PassOptions):
        factor: int = option("factor", UINT32, default=4, description="Copies made.")

    UnrollOptions.parse("factor=8") == UnrollOptions(factor=8)
"""

from __future__ import annotations

import copy
import dataclasses
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar, cast

from passgen_runtime.context import print_diagnostic
from passgen_runtime.errors import (
    OPTIONS_SOURCE,
    Diagnostic,
    PassOptionError,
    PipelineError,
    Span,
    nearest_note,
    pipeline_warning,
)
from passgen_runtime.option_types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT8,
    INT16,
    INT32,
    INT64,
    PIPELINE,
    STRING,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    OptionType,
    enum_type,
)
from passgen_runtime.textual_options import (
    Fragment,
    TextualOption,
    parse_options,
    split_list,
    text_of,
    unwrap,
)

__all__ = [
    "BOOL",
    "DOUBLE",
    "FLOAT",
    "INT8",
    "INT16",
    "INT32",
    "INT64",
    "PIPELINE",
    "STRING",
    "UINT8",
    "UINT16",
    "UINT32",
    "UINT64",
    "OptionInfo",
    "OptionType",
    "PassOptions",
    "enum_type",
    "list_option",
    "option",
    "options_type",
]

T = TypeVar("T")
OptionsT = TypeVar("OptionsT", bound="PassOptions")

_SPELLABLE = re.compile(r"[^\s=,(){}\[\]'\"]+")
"""An option's name that a pipeline reads as one."""

_METADATA_KEY = "passgen_runtime.option"


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
    _check_spelling(argument)
    value = type.zero if default is None else _coerce(type, argument, default)
    metadata = {_METADATA_KEY: (argument, type, False, value, description)}
    field: T
    if isinstance(value, PassOptions):
        field = dataclasses.field(
            default_factory=lambda: copy.deepcopy(value), metadata=metadata
        )
    else:
        field = dataclasses.field(default=value, metadata=metadata)
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
    _check_spelling(argument)
    metadata: dict[str, object]
    metadata = {_METADATA_KEY: (argument, type, True, [], description)}
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
                if not isinstance(value, list | tuple):
                    expected = f"a list of values of {info.type.name}"
                    raise _wrong_type(info.argument, value, expected, info.type)
                values = [_coerce(info.type, info.argument, each) for each in value]
                setattr(self, info.field, values)
            else:
                setattr(self, info.field, _coerce(info.type, info.argument, value))

    @classmethod
    def declared(cls) -> tuple[OptionInfo, ...]:
        """Return the declarations of all options, in order of declaration.

        Raises:
            PassOptionError: two have one argument.
        """
        if "_declared" not in cls.__dict__:
            infos = tuple(_option_infos(cls))
            _check_distinct(cls, infos)
            cls._declared = infos
        return cls._declared

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return options from `text` in pipeline syntax, e.g. `factor=8 full`.

        Warnings go to standard error.

        Raises:
            PassOptionError: an option is unknown or a value wrong.
            PipelineError: a nested pipeline does not follow the grammar.
        """
        options = tuple(parse_options(text))
        try:
            parsed = cls.from_textual(options)
        except PassOptionError as error:
            error.text = text
            raise
        except PipelineError as error:
            error.source = OPTIONS_SOURCE
            raise
        for warning in option_warnings(cls, options, text, OPTIONS_SOURCE):
            print_diagnostic(warning)
        return parsed

    @classmethod
    def from_textual(
        cls, options: Iterable[TextualOption], base: Self | None = None
    ) -> Self:
        """Return options from parsed ones; later scalars win, lists are appended to.

        Args:
            options: what was given.
            base: what holds for the others, if not their defaults.

        Raises:
            PassOptionError: an option is unknown or a value wrong.
            PipelineError: a nested pipeline does not follow the grammar.
        """
        values: dict[str, Any] = {}
        if base is not None:
            values = {info.field: getattr(base, info.field) for info in cls.declared()}
        lists: dict[str, list[Any]] = {}
        for each in options:
            if not each.key:
                continue
            span = each.span
            try:
                info = cls.option_info(each.key)
                span = each.value_span
                if info.is_list:
                    lists.setdefault(info.field, []).extend(_list_value(info, each))
                else:
                    values[info.field] = _value(info, each)
            except PassOptionError as error:
                error.span = error.span or span
                raise
        return cls(**values | lists)

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
        valid = "no options are declared"
        if arguments:
            valid = f"valid options are {', '.join(arguments)}"
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


def options_type(options_class: type[OptionsT]) -> OptionType[OptionsT]:
    """Return the option type whose values are themselves options, in braces.

    With it, an option of a pipeline configures one of its passes:
    `my-pipeline{unroll={factor=4 full}}`.
    """

    def parse(text: str | Fragment) -> OptionsT:
        return options_class.from_textual(parse_options(text))

    return OptionType(
        "options",
        zero=options_class(),
        parse=parse,
        accepts=lambda value: isinstance(value, options_class),
        print=lambda value: f"{{{value}}}",
        expected="options in braces",
        parse_fragment=parse,
    )


def option_warnings(
    options_class: type[PassOptions],
    options: Iterable[TextualOption],
    text: str,
    source: str,
) -> Iterator[Diagnostic]:
    """Yield what is odd about `options`, which `options_class` has accepted.

    MLIR is silent about them: the last value of a repeated scalar holds, and a value
    without a key is skipped.
    """
    seen: dict[str, TextualOption] = {}
    lists = {info.argument for info in options_class.declared() if info.is_list}
    for each in options:
        if not each.key:
            message = "an option without a name is ignored"
            note = "a '=' follows the name of its option without a blank"
            yield pipeline_warning(message, text, _whole_span(each), (note,), source)
        elif each.key in seen and each.key not in lists:
            message = f"option '{each.key}' is given again: the last value holds"
            note = f"it was given before as '{seen[each.key]}'"
            yield pipeline_warning(message, text, _whole_span(each), (note,), source)
        seen[each.key] = each


def _whole_span(option: TextualOption) -> Span:
    return Span(option.span.start, max(option.span.end, option.value_span.end))


def _option_infos(cls: type[PassOptions]) -> Iterator[OptionInfo]:
    for field in dataclasses.fields(cls):
        if _METADATA_KEY in field.metadata:
            yield OptionInfo(field.name, *field.metadata[_METADATA_KEY])


def _check_spelling(argument: str) -> None:
    if not _SPELLABLE.fullmatch(argument):
        message = f"no pipeline can spell an option called {argument!r}"
        note = "blanks, quotes, '=', ',' and brackets separate names"
        raise PassOptionError(message, (note,))


def _check_distinct(cls: type[PassOptions], infos: Iterable[OptionInfo]) -> None:
    fields: dict[str, str] = {}
    for info in infos:
        other = fields.setdefault(info.argument, info.field)
        if other != info.field:
            message = (
                f"{cls.__qualname__} declares the option '{info.argument}' twice: as "
                f"'{other}' and as '{info.field}'"
            )
            raise PassOptionError(message)


def _coerce(type_: OptionType[T], argument: str, value: object) -> T:
    """Return `value` if `type_` accepts it, or what it reads from it if it is text."""
    if type_.accepts(value):
        accepted = cast("T", value)
        return accepted if type_.normalize is None else type_.normalize(accepted)
    if isinstance(value, str):
        return _parsed(type_, argument, value)
    raise _wrong_type(argument, value, f"a value of {type_.name}", type_)


def _wrong_type(
    argument: str, value: object, kind: str, type_: OptionType[Any]
) -> PassOptionError:
    try:
        shown = repr(value)
    except ValueError:  # of an integer too long to be written
        shown = "a number of too many digits"
    message = f"for the --{argument} option: {shown} is not {kind}"
    return PassOptionError(message, _expectation(type_))


def _value(info: OptionInfo, option: TextualOption) -> object:
    if option.value is not None:
        return _read(info, option.value)
    if info.type.bare is None:
        raise _without_value(info)
    return _parsed(info.type, info.argument, info.type.bare)


def _list_value(info: OptionInfo, option: TextualOption) -> Iterator[object]:
    if option.value is None:
        raise _without_value(info)
    for element in split_list(option.value):
        yield _read(info, element)


def _without_value(info: OptionInfo) -> PassOptionError:
    message = f"for the --{info.argument} option: requires a value!"
    return PassOptionError(message, (*_expectation(info.type), _no_blanks(info)))


def _no_blanks(info: OptionInfo) -> str:
    return f"write '{info.argument}=...', without blanks around the '='"


def _read(info: OptionInfo, value: Fragment) -> object:
    """Return what the text of `value` stands for; errors get its place."""
    type_ = info.type
    try:
        if type_.parse_fragment is None:
            return _parsed(type_, info.argument, text_of(value))
        return type_.parse_fragment(unwrap(value))
    except PassOptionError as error:
        if value or info.is_list:
            error.span = error.span or value.span
        else:
            error.notes += (_no_blanks(info),)
        raise
    except PipelineError as error:
        error.notes += (f"in the value of option '{info.argument}'",)
        raise


def _parsed(type_: OptionType[T], argument: str, text: str) -> T:
    try:
        return type_.parse(text)
    except ValueError as error:
        notes = (*nearest_note(text, type_.choices), *_expectation(type_))
        message = f"for the --{argument} option: {error}"
        raise PassOptionError(message, notes) from None


def _expectation(type_: OptionType[Any]) -> tuple[str, ...]:
    return (f"expected {type_.expected}",) if type_.expected else ()
