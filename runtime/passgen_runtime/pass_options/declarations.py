"""Declarations of pass options: fields of a dataclass, and their spelling in pipelines.

`option` and `list_option` declare a field; `PassOptions` reads its metadata.
"""

from __future__ import annotations

import copy
import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from passgen_runtime.errors import PassOptionError
from passgen_runtime.pass_options.types import (
    OptionType,
    coerce,
    coerce_list,
    read_list,
    read_value,
)
from passgen_runtime.textual_pipeline import TextualOption

T = TypeVar("T")

_SPELLABLE = re.compile(r"[^\s=,(){}\[\]'\"]+")
"""An option name that pipelines can spell."""

_METADATA_KEY = "passgen_runtime.option"

_OUTSIDE_WORD: Final = re.compile(
    r"\b(command|dir|directory|executable|file|filename|folder|library|libraries|path"
    r"|program|script|shell|tool|toolkit|url)s?\b"
)
"""A word in the argument of an option whose value is a file or a program."""


@dataclass(frozen=True, slots=True)
class OptionInfo:
    """The declaration of an option, for pipelines and help texts."""

    field: str
    """The name of the dataclass field."""

    argument: str
    type: OptionType[Any]
    is_list: bool
    default: Any
    description: str
    cpp_default: str = ""
    """The C++ expression of a default that only C++ knows; empty for other options."""

    deprecated: str = ""
    """The reason not to set it, and what to use instead; empty for other options."""

    @property
    def names_outside(self) -> bool:
        """Whether the argument suggests that the value names a file or a program."""
        argument = self.argument.replace("_", "-")
        return self.type.name != "bool" and bool(_OUTSIDE_WORD.search(argument))

    def print(self, value: Any) -> str:  # noqa: ANN401 - the field's own type
        """Return `value` as a pipeline spells it."""
        if self.is_list:
            return f"{{{','.join(self._print_element(element) for element in value)}}}"
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
        if self.is_list:
            return list(read_list(self.type, self.argument, option))
        return read_value(self.type, self.argument, option)

    def coerce(self, value: object) -> object:
        """Return the Python `value` as it is stored: text parsed, lists copied.

        Raises:
            PassOptionError: it is not of the option's type.
        """
        if value is None and self.cpp_default:
            return None
        if self.is_list:
            return coerce_list(self.type, self.argument, value)
        return coerce(self.type, self.argument, value)

    def _print_element(self, value: object) -> str:
        return self.type.print(value) or "''"


def option(  # noqa: PLR0913 - the keys of the spec
    argument: str,
    type: OptionType[T],  # noqa: A002 - reads as the spec does
    *,
    default: T | str | None = None,
    cpp_default: str = "",
    description: str = "",
    deprecated: str = "",
) -> T:
    """Declare an option as a field of a `PassOptions` dataclass.

    Args:
        argument: its name in a pipeline.
        type: how its values are read and written.
        default: a value, or the text of one; the type's zero if not given.
        cpp_default: the C++ expression of a default that only C++ knows. The value is
            `None`, and the option left out of pipelines, until it is set.
        description: Markdown for help texts and docs.
        deprecated: what to use instead; the text of the `DeprecationWarning` when the
            option is set to another value than its default.
    """
    _check_argument(argument)
    value: Any = None
    if not cpp_default:
        value = type.zero if default is None else coerce(type, argument, default)
    more = description, cpp_default, deprecated
    field: T = _field((argument, type, False, value, *more))
    return field


def list_option(  # noqa: PLR0913 - as above
    argument: str,
    type: OptionType[T],  # noqa: A002 - reads as the spec does
    *,
    default: Sequence[T | str] = (),
    cpp_default: str = "",
    description: str = "",
    deprecated: str = "",
) -> list[T]:
    """Declare a list option as a field of a dataclass.

    Args:
        argument: its name in a pipeline.
        type: how its elements are read and written.
        default: its elements if it is not given: values, or their texts.
        cpp_default: see `option`.
        description: Markdown for help texts and docs.
        deprecated: see `option`.
    """
    _check_argument(argument)
    value = None if cpp_default else coerce_list(type, argument, default)
    more = description, cpp_default, deprecated
    field: list[T] = _field((argument, type, True, value, *more))
    return field


def _field(declared: tuple[Any, ...]) -> Any:  # noqa: ANN401 - of the field's type
    """Return a field with the values of `OptionInfo` after `field`."""
    _, type_, is_list, value, *_ = declared
    metadata = {_METADATA_KEY: declared}
    if value is not None and (is_list or type_.is_mutable):
        return dataclasses.field(
            default_factory=lambda: copy.deepcopy(value), metadata=metadata
        )
    return dataclasses.field(default=value, metadata=metadata)


def declarations(cls: type) -> tuple[OptionInfo, ...]:
    """Return the declarations in the dataclass `cls`, in their order.

    Raises:
        PassOptionError: two have the same argument, or `cls` is no dataclass.
    """
    _check_is_dataclass(cls)
    infos = tuple(_infos(cls))
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
                message = (
                    f"{base.__module__}.{base.__qualname__} declares the option "
                    f"'{value.metadata[_METADATA_KEY][0]}' as '{name}', and is not a "
                    "dataclass"
                )
                raise PassOptionError(
                    message, ("write '@dataclass(kw_only=True)' above it",)
                )


def _infos(cls: type) -> Iterator[OptionInfo]:
    for field in dataclasses.fields(cls):
        if _METADATA_KEY in field.metadata:
            yield OptionInfo(field.name, *field.metadata[_METADATA_KEY])


def _check_argument(argument: str) -> None:
    """Check that pipelines can spell the name of an option.

    Raises:
        PassOptionError: they cannot.
    """
    if not _SPELLABLE.fullmatch(argument):
        message = f"no pipeline can spell an option called {argument!r}"
        note = "blanks, quotes, '=', ',' and brackets separate names"
        raise PassOptionError(message, (note,))


def _check_distinct(cls: type, infos: Iterable[OptionInfo]) -> None:
    fields: dict[str, str] = {}
    for info in infos:
        other = fields.setdefault(info.argument, info.field)
        if other != info.field:
            message = (
                f"{cls.__qualname__} declares the option '{info.argument}' twice: as "
                f"'{other}' and as '{info.field}'"
            )
            raise PassOptionError(message)
