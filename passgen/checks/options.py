"""Checks that the values of options, such as defaults, fit their types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from passgen.cpp import MARKS, laid_out_count, marks
from passgen.diagnostics import Diagnostic, Note, suggest
from passgen.model import FOREIGN, Option, OptionDefault, OptionType, OptionValue
from passgen.passgen_rules.option_types import DOUBLE
from passgen.passgen_rules.option_values import LiteralForm
from passgen.passgen_rules.pipeline_text import PipelineTextError, Span
from passgen.source import Location
from passgen.spec import MAX_NUMBER_LENGTH, scalar_value, shorten, text_at

_BOOL_WORDS: Final = {
    **dict.fromkeys(("yes", "on", "y", "true", "1"), "true"),
    **dict.fromkeys(("no", "off", "n", "false", "0"), "false"),
}
"""The spelling of a truth value in YAML 1.2, by its common spellings."""


class _Finding(NamedTuple):
    """A mistake in a value."""

    message: str
    """The part of the message after the option's name."""

    notes: tuple[Note, ...] = ()
    span: Span | None = None
    """The wrong part of a text; `None`: the whole value."""


@dataclass(frozen=True)
class _Given:
    """A value that is not of its type."""

    value: OptionValue
    location: Location
    type: OptionType
    error: ValueError

    def __str__(self) -> str:
        """Return the begin of the message about it."""
        if isinstance(self.value, str):
            return f"found '{shorten(self.value)}'"
        kind = {bool: "truth value", int: "integer", float: "number"}[type(self.value)]
        return f"found the {kind} {shorten(text_at(self.location))}"


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
    type_ = option.type
    try:
        type_.meaning.read_literal(value)
    except ValueError as error:
        given = _Given(value, location, type_, error)
        finding = _FINDINGS[type_.meaning.literal](given)
        place = location
        if finding.span is not None:
            place = _place_inside(location, str(value), finding.span)
        return Diagnostic(f"{what}: {finding.message}", place, finding.notes)
    return None


def _place_inside(location: Location, text: str, span: Span) -> Location:
    """Return the place of a part of `text`; of all of it, if it is not as written."""
    start = text_at(location).find(text)
    if start < 0:  # it has escapes, or several lines
        return location
    column = location.column + start + span.start
    return replace(location, column=column, length=max(1, span.end - span.start))


def _bool(given: _Given) -> _Finding:
    meant = _BOOL_WORDS.get(str(given.value).lower())
    notes = (Note(f"write it as {meant}"),) if meant else ()
    return _Finding(f"{given}, expected true or false", notes)


def _int(given: _Given) -> _Finding:
    name, integers = given.type.name, given.type.meaning.integers
    bounds = f"from {integers[0]} to {integers[-1]}"
    if not isinstance(given.value, int) or isinstance(given.value, bool):
        notes = _unquote(given.value, int)
        return _Finding(f"{given}, expected an integer {bounds}", notes)
    article = "an" if name.startswith("int") else "a"
    return _Finding(f"{given}, but {article} {name} goes {bounds}")


def _float(given: _Given) -> _Finding:
    value = given.value
    if isinstance(value, (bool, str)):
        notes = _unquote(value, int, float)
        return _Finding(f"{given}, expected a number", notes)
    if abs(value) <= DOUBLE.largest:
        notes = (Note("a 'double' holds numbers of that size"),)
        message = f"{given}, which a float of 32 bits cannot hold"
        return _Finding(message, notes)
    return _Finding(f"{given}, expected a finite number")


def _unquote(value: object, *types: type) -> tuple[Note, ...]:
    """Return advice to remove the quotes, if `value` would have one of `types` then."""
    if isinstance(value, str) and len(value) <= MAX_NUMBER_LENGTH:
        with suppress(ValueError):  # no number of a spec, such as 010
            if type(scalar_value(value)) in types:
                return (Note("write it without quotes"),)
    return ()


def _text(given: _Given) -> _Finding:
    note = Note(f"quote it: '{text_at(given.location)}'")
    kind = "the text of a value" if given.type.name == FOREIGN else "text"
    return _Finding(f"{given}, expected {kind}", (note,))


def _pipeline(given: _Given) -> _Finding:
    error = given.error
    if not isinstance(error, PipelineTextError):
        return _text(given)
    message = f"{given}, which is no pipeline: {error.message}"
    return _Finding(message, tuple(map(Note, error.notes)), error.span)


def _enum(given: _Given) -> _Finding:
    if not isinstance(given.value, str):
        return _text(given)
    valid = tuple(dict.fromkeys(given.type.meaning.choices))  # twice: another error
    notes = (*suggest(given.value, valid), Note(f"valid values: {', '.join(valid)}"))
    return _Finding(f"{given}, which is not among its values", notes)


_FINDINGS: Final[dict[LiteralForm, Callable[[_Given], _Finding]]] = {
    "bool": _bool,
    "int": _int,
    "float": _float,
    "string": _text,
    "pipeline": _pipeline,
    "enum": _enum,
}
"""What to say of a value that is not of its type."""
