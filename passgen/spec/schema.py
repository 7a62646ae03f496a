"""Specs validated against their JSON Schema.

This phase follows `loader`; `resolve` relies on it for keys and types. The schema in
`schemas/` is the only list of keys. `schema_check` says whether a spec is valid; if it
is not, `schema_violations` finds the reasons, and `violations` writes the diagnostics.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

from passgen import resources
from passgen.diagnostics import Diagnostic, Note, SpecError
from passgen.spec import violations
from passgen.spec.located import Mapping, plain
from passgen.spec.schema_check import Check, Json, compile_schema

if TYPE_CHECKING:
    from passgen.spec.schema_violations import Finder

_PART: Final = "a file of shared parts is skipped if a spec that includes it is given"


class SchemaError(SpecError):
    """A spec is invalid against the schema."""


class PartError(SpecError):
    """A file declares nothing, but is valid as a part that specs include."""

    def __init__(self, error: Diagnostic, path: str) -> None:
        """Report `error`, the mistake if the file at `path` was meant as a spec."""
        super().__init__([replace(error, notes=(Note(_PART),))])
        self.path = path


def validate(data: Mapping) -> None:
    """Check that `data` is valid against the schema.

    Raises:
        SchemaError: it is not; every violation in the order of the text.
        PartError: it is valid only as a part that specs include.
    """
    if _is_valid(data):
        return
    diagnostics = list(_diagnostics(data, is_included=False))
    if not diagnostics:
        return
    if not any(_diagnostics(data, is_included=True)):
        raise PartError(diagnostics[0], data.location.source.name)
    raise SchemaError(dict.fromkeys(diagnostics))


def _is_valid(data: Mapping) -> bool:
    """Return whether `data` and the parts that it includes are valid."""
    return _check(is_included=False)(plain(data)) and all(
        _check(is_included=True)(plain(part)) for part in data.included
    )


def _diagnostics(data: Mapping, *, is_included: bool) -> Iterator[Diagnostic]:
    """Yield the mistakes in `data` as a spec or, if included, as a part of one."""
    return (
        diagnostic
        for part in (*data.included, data)
        for diagnostic in violations.explain(
            part, _finder(is_included=is_included or part is not data)(plain(part))
        )
    )


@cache
def load_schema() -> Json:
    """Return the JSON Schema of a spec."""
    schema: Json = json.loads(resources.schema().read_text("utf-8"))
    return schema


@cache
def schema_of(*, is_included: bool) -> Json:
    """Return the JSON Schema of a spec, or of a part that specs include."""
    schema = load_schema()
    if not is_included:
        return schema
    # A part may hold shared options alone.
    return {keyword: schema[keyword] for keyword in schema if keyword != "anyOf"}


@cache
def _check(*, is_included: bool) -> Check:
    return compile_schema(schema_of(is_included=is_included))


@cache
def _finder(*, is_included: bool) -> Finder:
    # Only a spec that is invalid needs jsonschema, which is slow to import.
    from passgen.spec.schema_violations import finder_of  # noqa: PLC0415 - see above

    return finder_of(schema_of(is_included=is_included))
