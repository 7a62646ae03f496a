"""Values of pass options: from texts and from Python, checked against their types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar, cast

from passgen_runtime.errors import PassOptionError, PipelineError, nearest_note
from passgen_runtime.pass_options.types import OptionType
from passgen_runtime.textual_pipeline.options import (
    Fragment,
    TextualOption,
    split_list,
    text_of,
    unwrap,
)

T = TypeVar("T")


def coerced(type_: OptionType[T], argument: str, value: object) -> T:
    """Return `value` if `type_` accepts it, or what it reads from it if it is text.

    Raises:
        PassOptionError: it is no value of `type_`.
    """
    if type_.accepts(value):
        accepted = cast("T", value)
        return accepted if type_.normalize is None else type_.normalize(accepted)
    if isinstance(value, str):
        return parsed(type_, argument, value)
    raise wrong_type(argument, value, f"a value of {type_.name}", type_)


def coerced_list(type_: OptionType[T], argument: str, value: object) -> list[T]:
    """Return a new list of the elements of `value`, as `coerced` returns them.

    Raises:
        PassOptionError: it is no list, or an element is no value of `type_`.
    """
    if not isinstance(value, list | tuple):
        expected = f"a list of values of {type_.name}"
        raise wrong_type(argument, value, expected, type_)
    return [coerced(type_, argument, each) for each in value]


def parsed(type_: OptionType[T], argument: str, text: str) -> T:
    """Return the value that `text`, without outer quotes, stands for.

    Raises:
        PassOptionError: it stands for none.
    """
    try:
        return type_.parse(text)
    except ValueError as error:
        notes = (*nearest_note(text, type_.choices), *expectation(type_))
        message = f"for the --{argument} option: {error}"
        raise PassOptionError(message, notes) from None


def read_value(type_: OptionType[Any], argument: str, option: TextualOption) -> object:
    """Return the value of a scalar `option`.

    Raises:
        PassOptionError: it has none, or a wrong one.
        PipelineError: a nested pipeline does not follow the grammar.
    """
    if option.value is not None:
        return _read(type_, argument, option.value, is_element=False)
    if type_.bare is None:
        raise without_value(type_, argument)
    return parsed(type_, argument, type_.bare)


def read_list(
    type_: OptionType[Any], argument: str, option: TextualOption
) -> Iterator[object]:
    """Yield the elements of a list `option`.

    Raises:
        PassOptionError: it has no value, or a wrong element.
        PipelineError: a nested pipeline does not follow the grammar.
    """
    if option.value is None:
        raise without_value(type_, argument)
    for element in split_list(option.value):
        yield _read(type_, argument, element, is_element=True)


def without_value(type_: OptionType[Any], argument: str) -> PassOptionError:
    """Return the error about an option that is given as a bare key, and must not be."""
    message = f"for the --{argument} option: requires a value!"
    return PassOptionError(message, (*expectation(type_), _no_blanks(argument)))


def wrong_type(
    argument: str, value: object, kind: str, type_: OptionType[Any]
) -> PassOptionError:
    """Return the error about a Python `value` that is not of the `kind` expected."""
    try:
        shown = repr(value)
    except ValueError:  # of an integer too long to be written
        shown = "a number of too many digits"
    message = f"for the --{argument} option: {shown} is not {kind}"
    return PassOptionError(message, expectation(type_))


def expectation(type_: OptionType[Any]) -> tuple[str, ...]:
    """Return the note that says what values of `type_` look like, if any."""
    return (f"expected {type_.expected}",) if type_.expected else ()


def _no_blanks(argument: str) -> str:
    return f"write '{argument}=...', without blanks around the '='"


def _read(
    type_: OptionType[Any], argument: str, value: Fragment, *, is_element: bool
) -> object:
    """Return what the text of `value` stands for; errors get its place."""
    try:
        if type_.parse_fragment is None:
            return parsed(type_, argument, text_of(value))
        return type_.parse_fragment(unwrap(value))
    except PassOptionError as error:
        if value or is_element:
            error.span = error.span or value.span
        else:
            error.notes += (_no_blanks(argument),)
        raise
    except PipelineError as error:
        error.notes += (f"in the value of option '{argument}'",)
        raise
