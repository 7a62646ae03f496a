"""Checks that the values of options, such as defaults, fit their types."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final, NamedTuple

from passgen.cpp import MARKS, laid_out_count, marks
from passgen.diagnostics import Diagnostic, Note, suggest
from passgen.model import (
    FOREIGN,
    OPTIONAL_BOOL,
    Option,
    OptionDefault,
    OptionTypeRow,
    OptionValue,
)
from passgen.passgen_rules.pipeline_text import PipelineTextError, Span, parse_elements
from passgen.source import Location
from passgen.spec import MAX_NUMBER_LENGTH, scalar_value, shorten, text_at

_BOOL_WORDS: Final = {
    **dict.fromkeys(("yes", "on", "y", "true", "1"), "true"),
    **dict.fromkeys(("no", "off", "n", "false", "0"), "false"),
}
"""The spelling of a truth value in YAML 1.2, by its common spellings."""

_FLOAT_MAXIMUM: Final = (2 - 2**-23) * 2.0**127
"""The largest finite `float` of 32 bits."""


class _Finding(NamedTuple):
    """A mistake in a value."""

    message: str
    """The part of the message after the option's name."""

    notes: tuple[Note, ...] = ()
    span: Span | None = None
    """The wrong part of a text; `None`: the whole value."""


def check_default(option: Option, what: str) -> Iterator[Diagnostic]:
    """Yield mistakes about the default of `option`, described by `what`."""
    default = option.default
    if default is None:
        return
    is_list = isinstance(default, tuple)
    is_spelled = option.cpp.flags is not None
    if default and is_list and option.type.name == "pipeline" and not is_spelled:
        message = f"default of {what}: C++ has no literal for a list of pipelines"
        note = Note("start with an empty list, or give 'flags' in its 'cpp'")
        yield Diagnostic(message, option.default_location, (note,))
        return
    if default and is_list and is_spelled and not option.sets_list_default:
        message = f"default of {what}: the 'flags' of its 'cpp' do not set it"
        note = Note("add llvm::cl::list_init<...>({...}) to them")
        yield Diagnostic(message, option.default_location, (note,))
    places = option.item_locations if is_list else (option.default_location,)
    yield from check_values(option, default, places, f"default of {what}")


def check_layout(option: Option, what: str) -> Iterator[Diagnostic]:
    """Yield an error if the C++ flags lay out other values than the enum has."""
    flags, count = option.cpp.flags or "", len(option.type.values)
    found = marks(flags)
    if not count or not found:
        return
    for mark in sorted(found.difference(MARKS)):
        message = f"'flags' in the 'cpp' of {what} have '${mark}', which is not a mark"
        known = ", ".join(f"'${mark}'" for mark in MARKS)
        yield Diagnostic(message, option.location, (Note(f"marks are {known}"),))
    laid_out = laid_out_count(flags, count)
    if laid_out != count:
        message = f"'flags' in the 'cpp' of {what} lay out {laid_out} of {count} values"
        note = Note(
            "write '...' after one value to lay out the others, or lay out each value"
        )
        yield Diagnostic(message, option.location, (note,))


def check_values(
    option: Option, given: OptionDefault, places: Sequence[Location], what: str
) -> Iterator[Diagnostic]:
    """Yield the mistakes in the `given` values that `what` gives to `option`."""
    values = given if isinstance(given, tuple) else (given,)
    for value, place in zip(values, places, strict=True):
        if wrong := check_value(option, value, place, what):
            yield wrong


def check_value(
    option: Option, value: OptionValue, location: Location, what: str
) -> Diagnostic | None:
    """Return the mistake in the `value` that `what` gives to `option`, if any."""
    option = replace(option, default=value, default_location=location)
    row = OPTIONAL_BOOL if option.type.is_optional_bool else option.type.row
    finding = _CHECKS[row.literal](option, row) if row else _text(option, row)
    if finding is None:
        return None
    place = location
    if finding.span is not None:
        place = _place_inside(location, str(value), finding.span)
    return Diagnostic(f"{what}: {finding.message}", place, finding.notes)


def _place_inside(location: Location, text: str, span: Span) -> Location:
    """Return the place of a part of `text`; of all of it, if it is not as written."""
    start = text_at(location).find(text)
    if start < 0:  # it has escapes, or several lines
        return location
    column = location.column + start + span.start
    return replace(location, column=column, length=max(1, span.end - span.start))


def _describe_value(option: Option) -> str:
    value = option.default
    if isinstance(value, str):
        return f"found '{shorten(value)}'"
    assert value is not None
    kind = {bool: "truth value", int: "integer", float: "number"}[type(value)]
    return f"found the {kind} {shorten(text_at(option.default_location))}"


def _bool(option: Option, _row: OptionTypeRow | None) -> _Finding | None:
    if isinstance(option.default, bool):
        return None
    meant = _BOOL_WORDS.get(str(option.default).lower())
    notes = (Note(f"write it as {meant}"),) if meant else ()
    return _Finding(f"{_describe_value(option)}, expected true or false", notes)


def _int(option: Option, row: OptionTypeRow | None) -> _Finding | None:
    assert row is not None
    value = option.default
    bounds = f"from {row.integers[0]} to {row.integers[-1]}"
    if not isinstance(value, int) or isinstance(value, bool):
        notes = _unquote(value, int)
        return _Finding(
            f"{_describe_value(option)}, expected an integer {bounds}", notes
        )
    if value not in row.integers:
        article = "an" if row.name.startswith("int") else "a"
        return _Finding(
            f"{_describe_value(option)}, but {article} {row.name} goes {bounds}"
        )
    return None


def _float(option: Option, row: OptionTypeRow | None) -> _Finding | None:
    assert row is not None
    value = option.default
    if isinstance(value, (bool, str)):
        notes = _unquote(value, int, float)
        return _Finding(f"{_describe_value(option)}, expected a number", notes)
    assert isinstance(value, (int, float))
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        return _Finding(f"{_describe_value(option)}, expected a finite number")
    if row.name == "float" and abs(number) > _FLOAT_MAXIMUM:
        notes = (Note("a 'double' holds numbers of that size"),)
        return _Finding(
            f"{_describe_value(option)}, which a float of 32 bits cannot hold", notes
        )
    return None


def _unquote(value: object, *types: type) -> tuple[Note, ...]:
    """Return advice to remove the quotes, if `value` would have one of `types` then."""
    if isinstance(value, str) and len(value) <= MAX_NUMBER_LENGTH:
        with suppress(ValueError):  # no number of a spec, such as 010
            if type(scalar_value(value)) in types:
                return (Note("write it without quotes"),)
    return ()


def _text(option: Option, _row: OptionTypeRow | None) -> _Finding | None:
    if isinstance(option.default, str):
        return None
    note = Note(f"quote it: '{text_at(option.default_location)}'")
    kind = "the text of a value" if option.type.name == FOREIGN else "text"
    return _Finding(f"{_describe_value(option)}, expected {kind}", (note,))


def _pipeline(option: Option, row: OptionTypeRow | None) -> _Finding | None:
    not_text = _text(option, row)
    if not_text:
        return not_text
    try:
        parse_elements(str(option.default))
    except PipelineTextError as error:
        message = f"{_describe_value(option)}, which is no pipeline: {error.message}"
        return _Finding(message, tuple(map(Note, error.notes)), error.span)
    return None


def _enum(option: Option, row: OptionTypeRow | None) -> _Finding | None:
    not_text = _text(option, row)
    if not_text:
        return not_text
    value = str(option.default)
    valid = [case.value for case in option.type.values]
    if value in valid:
        return None
    notes = (*suggest(value, valid), Note(f"valid values: {', '.join(valid)}"))
    return _Finding(f"{_describe_value(option)}, which is not among its values", notes)


_CHECKS: Final[dict[str, Callable[[Option, OptionTypeRow | None], _Finding | None]]] = {
    "bool": _bool,
    "int": _int,
    "float": _float,
    "string": _text,
    "pipeline": _pipeline,
    "enum": _enum,
}
