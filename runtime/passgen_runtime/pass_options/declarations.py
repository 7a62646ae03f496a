"""Declarations of pass options: fields of a dataclass, and their spelling in pipelines.

`option` and `list_option` declare a field; `PassOptions` reads its metadata.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeVar, cast

from passgen_rules.option_values import OptionType
from passgen_rules.outside_access import suggests_outside_access
from passgen_rules.pipeline_text import PipelineTextError
from passgen_runtime.errors import (
    PassOptionError,
    PipelineError,
    nearest_note,
    wrong_argument,
)
from passgen_runtime.textual_pipeline import (
    TextSlice,
    TextualOption,
    is_option_name,
    list_text,
    split_list,
    text_of,
    unwrap,
)

T = TypeVar("T")

_METADATA_KEY = "passgen_runtime.option"

REQUIRED: Final[Any] = dataclasses.MISSING
"""The default of an option that must be given."""

_ZERO: Final[Any] = object()

_UNSET: Final = "None"
"""The value that MLIR prints for an option that has none."""


@dataclass(frozen=True, slots=True)
class OptionInfo:
    """The declaration of an option, for pipelines and help texts."""

    field: str
    """The name of the dataclass field."""

    argument: str
    type: OptionType[Any]
    is_list: bool
    default: Any
    """`None` if the option may have no value, `REQUIRED` if it must be given."""

    description: str
    cpp_default: str = ""
    """The C++ expression of a default that only C++ knows; empty for other options."""

    deprecated: str = ""
    """The reason not to set it, and what to use instead; empty for other options."""

    outside_access: bool | None = None
    """Whether its value leads beyond the IR; `None` if that is not declared."""

    @property
    def is_required(self) -> bool:
        """Whether it has no default and must be given."""
        return self.default is REQUIRED

    @property
    def reaches_outside(self) -> bool:
        """Whether its value leads beyond the IR: as declared, or else as guessed."""
        if self.outside_access is not None:
            return self.outside_access
        return suggests_outside_access(self.argument, self.type.name)

    def print(self, value: Any) -> str:  # noqa: ANN401 - the field's own type
        """Return `value` as a pipeline spells it."""
        if self.is_list:
            return list_text(map(self.type.print, value))
        return self.type.print(value)

    def spell(self, value: object) -> str:
        """Return the option with the Python `value` in pipeline syntax.

        Raises:
            PassOptionError: the value is not of the option's type.
        """
        return f"{self.argument}={self.print(self.coerce(value))}"

    def read(self, option: TextualOption) -> object:
        """Return the value that `option` gives.

        Raises:
            PassOptionError: it gives no value, or a wrong one.
            PipelineError: a nested pipeline does not follow the grammar.
        """
        return self.read_list(option) if self.is_list else self.read_value(option)

    def read_value(self, option: TextualOption) -> object:
        """Return the value of a scalar `option`; see `read`."""
        if option.value is None:
            if self.type.bare is None:
                raise self.without_value()
            return self._parse(self.type.bare)
        try:
            return self._read(option.value, is_element=False)
        except PassOptionError:
            unset = "" if _UNSET in self.type.choices else _UNSET
            if self.default is None and text_of(option.value) == unset:
                return None
            raise

    def read_list(self, option: TextualOption) -> list[object]:
        """Return the elements of a list `option`; see `read`."""
        if option.value is None:
            raise self.without_value()
        elements = split_list(option.value)
        return [self._read(element, is_element=True) for element in elements]

    def coerce(self, value: object) -> object:
        """Return the Python `value` as it is stored: text parsed, lists copied.

        Raises:
            PassOptionError: it is not of the option's type.
        """
        if value is None and self.default is None:
            return None
        return self.coerce_list(value) if self.is_list else self._coerce(value)

    def coerce_list(self, value: object) -> list[object]:
        """Return a new list of the elements of `value`; see `coerce`."""
        if not isinstance(value, list | tuple):
            raise self.wrong_type(value, f"a list of values of {self.type.name}")
        return list(map(self._coerce, value))

    def error(self, problem: str, *notes: str) -> PassOptionError:
        """Return the error that the value of the option has a `problem`."""
        return PassOptionError(f"for the --{self.argument} option: {problem}", notes)

    def without_value(self) -> PassOptionError:
        """Return the error about an option that is a bare key and needs a value."""
        error = self.error("requires a value!", *self.type.expectation)
        error.form_note = self._form
        return error

    def not_given(self) -> PassOptionError:
        """Return the error that the option must be given."""
        return self.error("must be specified at least once!", *self.type.expectation)

    def wrong_type(self, value: object, kind: str) -> PassOptionError:
        """Return the error that a Python `value` is not of the expected `kind`."""
        try:
            shown = repr(value)
        except ValueError:  # of an integer too long to be written
            shown = "a number of too many digits"
        return self.error(f"{shown} is not {kind}", *self.type.expectation)

    @property
    def _form(self) -> str:
        return f"write '{self.argument}=...'"

    def _coerce(self, value: object) -> object:
        type_ = self.type
        if type_.accepts(value):
            return value if type_.normalize is None else type_.normalize(value)
        if isinstance(value, str):
            return self._parse(value)
        raise self.wrong_type(value, f"a value of {type_.name}")

    def _parse(self, text: str) -> object:
        """Return the value that `text`, without outer quotes, spells."""
        try:
            return self.type.parse(text)
        except ValueError as error:
            notes = *nearest_note(text, self.type.choices), *self.type.expectation
            raise self.error(str(error), *notes) from None

    def _read(self, value: TextSlice, *, is_element: bool) -> object:
        """Return the value that the text of `value` spells; errors get its place."""
        try:
            if self.type.parse_slice is None:
                return self._parse(text_of(value))
            return self.type.parse_slice(unwrap(value))
        except PassOptionError as error:
            if value or is_element:
                error.span = error.span or value.span
            else:
                error.form_note = self._form
            raise
        except PipelineTextError as error:
            raise self._in_value(PipelineError.of_text(error)) from None
        except PipelineError as error:
            self._in_value(error)
            raise

    def _in_value(self, error: PipelineError) -> PipelineError:
        """Return the error of a nested pipeline with a note on the option."""
        error.notes += (f"in the value of option '{self.argument}'",)
        return error


def option(  # noqa: PLR0913 - the keys of the spec
    argument: str,
    type: OptionType[T],  # noqa: A002 - reads as the spec does
    *,
    default: T | str | None = _ZERO,
    cpp_default: str = "",
    description: str = "",
    deprecated: str = "",
    outside_access: bool | None = None,
) -> T:
    """Declare an option as a field of a `PassOptions` dataclass.

    Args:
        argument: its name in a pipeline.
        type: how its values are read and written.
        default: a value, or the text of one; the type's zero if not given. `None` lets
            the option have no value, and `REQUIRED` refuses pipelines without it.
        cpp_default: the C++ expression of a default that only C++ knows. The value is
            `None`, and the option left out of pipelines, until it is set.
        description: Markdown for help texts and docs.
        deprecated: what to use instead; the text of the `DeprecationWarning` when the
            option is set to another value than its default.
        outside_access: whether the value leads beyond the IR, to a file or a program
            for example; pipelines that are not trusted cannot have the pass then. The
            words in `argument` decide if it is not given.
    """
    _check_type(argument, type)
    value = type.zero if default is _ZERO else default
    more = value, description, cpp_default, deprecated, outside_access
    return cast("T", _field(argument, type, more, is_list=False))


def list_option(  # noqa: PLR0913 - as above
    argument: str,
    type: OptionType[T],  # noqa: A002 - reads as the spec does
    *,
    default: Sequence[T | str] | None = (),
    cpp_default: str = "",
    description: str = "",
    deprecated: str = "",
    outside_access: bool | None = None,
) -> list[T]:
    """Declare a list option as a field of a dataclass.

    Args:
        argument: its name in a pipeline.
        type: how its elements are read and written.
        default: its elements, values or their texts; or see `option`.
        cpp_default: see `option`.
        description: Markdown for help texts and docs.
        deprecated: see `option`.
        outside_access: see `option`.
    """
    _check_type(argument, type)
    more = default, description, cpp_default, deprecated, outside_access
    return cast("list[T]", _field(argument, type, more, is_list=True))


def _field(
    argument: str, type_: OptionType[T], more: tuple[Any, ...], *, is_list: bool
) -> object:
    """Return the field of an option, with a default that is checked."""
    _check_argument(argument)
    info = OptionInfo("", argument, type_, is_list, *more)
    value = None if info.cpp_default else info.default
    if value is not None and not info.is_required:
        value = info.coerce(value)
    data = {_METADATA_KEY: dataclasses.replace(info, default=value)}
    if isinstance(value, list) or (type_.is_mutable and value is not REQUIRED):
        return dataclasses.field(default_factory=lambda: deepcopy(value), metadata=data)
    return dataclasses.field(default=value, metadata=data)


def declarations(cls: type) -> tuple[OptionInfo, ...]:
    """Return the declarations in the dataclass `cls`, in their order.

    Raises:
        PassOptionError: two have the same argument, or `cls` is no dataclass.
    """
    _check_is_dataclass(cls)
    infos = tuple(
        dataclasses.replace(field.metadata[_METADATA_KEY], field=field.name)
        for field in dataclasses.fields(cls)
        if _METADATA_KEY in field.metadata
    )
    _check_distinct(cls, infos)
    return infos


def _check_is_dataclass(cls: type) -> None:
    """Refuse a class that declares options and is not a dataclass.

    Raises:
        PassOptionError: it or a base of it declares options, which would be lost.
    """
    for base in cls.__mro__:
        # `@dataclass` replaces these class attributes by the defaults.
        for name, value in vars(base).items():
            if isinstance(value, dataclasses.Field) and _METADATA_KEY in value.metadata:
                info = value.metadata[_METADATA_KEY]
                message = (
                    f"{base.__module__}.{base.__qualname__} declares the option "
                    f"'{info.argument}' as '{name}', and is not a dataclass"
                )
                note = "write '@dataclass(kw_only=True)' above it"
                raise PassOptionError(message, (note,))


def _check_argument(argument: str) -> None:
    """Check that pipelines can spell the name of an option.

    Raises:
        PassOptionError: they cannot.
    """
    if not is_option_name(argument):
        message = f"no pipeline can spell an option called {argument!r}"
        note = "blanks, quotes, '=', ',' and brackets separate names"
        raise PassOptionError(message, (note,))


def _check_type(argument: str, type_: object) -> None:
    """Check that the type of an option is an `OptionType`.

    Raises:
        TypeError: it is not.
    """
    if isinstance(type_, OptionType):
        return
    note = "OptionType(name, zero=..., parse=..., accepts=...) makes one of your own"
    if isinstance(type_, type):
        name = type_.__name__
        if issubclass(type_, StrEnum):
            note = f"enum_type({name}) is the type of its values"
        elif issubclass(type_, OptionType):
            note = f"{name}(name, zero=..., parse=..., accepts=...) makes one"
        elif hasattr(type_, "declared_options"):  # of `PassOptions`, above this module
            note = f"options_type({name}) is the type of such options"
    raise wrong_argument(
        f"type of the option '{argument}'", type_, "an OptionType", note
    )


def _check_distinct(cls: type, infos: Iterable[OptionInfo]) -> None:
    fields: dict[str, str] = {}
    for info in infos:
        other = fields.setdefault(info.argument, info.field)
        if other != info.field:
            raise PassOptionError(
                f"{cls.__qualname__} declares the option '{info.argument}' twice: as "
                f"'{other}' and as '{info.field}'"
            )
