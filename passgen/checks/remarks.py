"""Rules about the remarks of a pass: their names, fields and messages."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from typing import Final

from passgen import naming
from passgen.checks.members import clash_error, repetitions
from passgen.diagnostics import Diagnostic, Note, suggest
from passgen.model import OPTION_TYPES, Pass, Remark, RemarkField

_HUGE: Final = re.compile(r"\d{4}")
"""In a format: a width, or a number of digits, that takes all memory."""


def check_remarks(pass_: Pass, of: str) -> Iterator[Diagnostic]:
    """Yield the broken rules about the remarks of a pass; `of` names it."""
    for remark, first in repetitions(pass_.remarks, _method):
        message = f"duplicate remark '{remark.name}' {of}"
        if remark.name != first.name:
            message = (
                f"the method of remark '{remark.name}' {of} is '{_method(remark)}', "
                f"as is that of '{first.name}'"
            )
        yield clash_error(message, remark.location, first.location)
    methods = {_method(remark): remark for remark in pass_.remarks}
    for statistic in pass_.statistics:
        name = naming.snake_case(statistic.name)
        if name in methods:
            message = (
                f"statistic '{statistic.name}' {of} is '{name}' in Python, as is the "
                f"method of remark '{methods[name].name}'"
            )
            yield clash_error(message, statistic.location, methods[name].location)
    for remark in pass_.remarks:
        what = f"remark '{remark.name}' {of}"
        yield from _check_fields(remark, what)
        yield from _check_message(remark, what)


def _method(remark: Remark) -> str:
    return naming.remark_method(remark.name)


def _check_fields(remark: Remark, what: str) -> Iterator[Diagnostic]:
    for field, first in repetitions(remark.fields, _argument):
        message = f"duplicate field '{field.name}' of {what}"
        yield clash_error(message, field.location, first.location)
    for field in remark.fields:
        name = _argument(field)
        if keyword.iskeyword(name):
            reason = "a keyword"
        elif name in naming.RESERVED_FIELDS:
            reason = "which generated code needs"
        else:
            continue
        message = f"name of field '{field.name}' of {what} is '{name}' in Python"
        yield Diagnostic(f"{message}, {reason}", field.location)


def _argument(field: RemarkField) -> str:
    return naming.snake_case(field.name)


def _check_message(remark: Remark, what: str) -> Iterator[Diagnostic]:
    place = remark.message_location
    try:
        named = remark.named_in_message()
    except ValueError as error:
        note = Note("a brace that is text is written twice: '{{'")
        yield Diagnostic(f"message of {what}: {error}", place, (note,))
        return
    fields = {field.name: field for field in remark.fields}
    for name, form in named:
        message = f"message of {what} names '{name}'"
        if name not in fields:
            notes = suggest(name, fields) or (
                Note("values of a message are declared in 'fields'"),
            )
            yield Diagnostic(f"{message}, which is no field of it", place, notes)
        elif form and not _can_format(fields[name], form):
            shown = fields[name].shown_type
            message = f"{message} with the format '{form}', which no {shown} has"
            yield Diagnostic(message, place)


def _can_format(field: RemarkField, form: str) -> bool:
    """Return whether Python formats values of `field` so, and not as a huge text."""
    if _HUGE.search(form):
        return False
    row = OPTION_TYPES.get(field.type)  # `None` for operations and locations
    samples = {"int": 1, "float": 1.5}
    sample = samples.get(row.literal, "") if row and not field.is_list else ""
    try:
        format(sample, form)
    except ValueError:
        return False
    return True
