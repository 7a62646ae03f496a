"""The violations of the JSON Schema of specs, which jsonschema finds.

`schema` imports this for a spec that is invalid.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import jsonschema
from jsonschema.exceptions import ValidationError

from passgen.spec.schema_check import Json
from passgen.spec.violations import Violation


def _pattern(
    _validator: object, pattern: str, instance: object, _schema: object
) -> Iterator[ValidationError]:
    # In JSON Schema `$` matches only the end, in Python also before a last line end.
    if isinstance(instance, str) and not re.fullmatch(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _is_integer(_checker: object, instance: object) -> bool:
    # In JSON Schema, 1.0 is an integer too.
    return isinstance(instance, int) and not isinstance(instance, bool)


_DRAFT: Final = jsonschema.Draft202012Validator

Validator: Final = jsonschema.validators.extend(  # type: ignore[no-untyped-call] # its stub has no types
    _DRAFT,
    {"pattern": _pattern},
    type_checker=_DRAFT.TYPE_CHECKER.redefine("integer", _is_integer),
)


def _link(part: Any, definitions: Json, done: set[int]) -> None:  # noqa: ANN401
    """Add to each subschema of `part` with a `$ref` the keys that it does not override.

    A definition that refers to itself becomes a cyclic structure; validators allow it.
    """
    if id(part) in done:
        return
    done.add(id(part))
    if isinstance(part, dict):
        while "$ref" in part:
            name = part.pop("$ref").removeprefix("#/$defs/")
            part |= {**definitions[name], **part}
    for inner in part.values() if isinstance(part, dict) else part:
        if isinstance(inner, (dict, list)):
            _link(inner, definitions, done)


Finder: TypeAlias = Callable[[Any], Iterator[Violation]]
"""Yields the violations of JSON data."""


def finder_of(schema: Json) -> Finder:
    """Return the finder of violations of `schema`."""
    linked = copy.deepcopy(schema)
    _link(linked, linked["$defs"], set())
    validator = Validator(linked)
    return lambda value: map(_violation, validator.iter_errors(value))


def _violation(error: Any) -> Violation:  # noqa: ANN401 - see below
    # jsonschema's stubs type the fields as if they could be unset.
    branches: dict[Any, list[Violation]] = {}
    for inner in error.context:
        branch = branches.setdefault(inner.relative_schema_path[0], [])
        branch.append(_violation(inner))
    return Violation(
        path=tuple(error.absolute_path),
        keyword=error.validator,
        operand=error.validator_value,
        instance=error.instance,
        schema=error.schema,
        schema_path=tuple(error.absolute_schema_path),
        alternatives=tuple(branches.values()),
    )
