"""Specs validated against their JSON Schema.

This phase follows `loader`; `resolve` relies on it for keys and types. The schema in
`schemas/` is the only list of keys. `violations` writes the diagnostics.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, Final, TypeAlias

import jsonschema
from jsonschema.exceptions import ValidationError

from passgen import resources
from passgen.diagnostics import Diagnostic, Note, SpecError
from passgen.spec import violations
from passgen.spec.located import Mapping, plain
from passgen.spec.violations import Violation

Json: TypeAlias = dict[str, Any]

_PART: Final = "a file of shared parts is skipped if a spec that includes it is given"


class PartError(SpecError):
    """A file declares nothing, but is valid as a part that specs include."""

    def __init__(self, error: Diagnostic, path: str) -> None:
        """Report `error`, the mistake if the file at `path` was meant as a spec."""
        super().__init__([replace(error, notes=(Note(_PART),))])
        self.path = path


def validate(data: Mapping) -> None:
    """Check that `data` is valid against the schema.

    Raises:
        SpecError: it is not; every violation in the order of the text.
        PartError: it is valid only as a part that specs include.
    """
    diagnostics = list(_diagnostics(data, is_included=False))
    if not diagnostics:
        return
    if not any(_diagnostics(data, is_included=True)):
        raise PartError(diagnostics[0], data.location.source.name)
    raise SpecError(dict.fromkeys(diagnostics))


def _diagnostics(data: Mapping, *, is_included: bool) -> Iterator[Diagnostic]:
    """Yield the mistakes in `data` as a spec or, if included, as a part of one."""
    return (
        diagnostic
        for part in (*data.included, data)
        for diagnostic in violations.explain(
            part, _violations(part, is_included=is_included or part is not data)
        )
    )


@cache
def load_schema() -> Json:
    """Return the JSON Schema of a spec."""
    schema: Json = json.loads(resources.schema().read_text("utf-8"))
    return schema


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


@cache
def _validator(*, is_included: bool) -> Any:  # noqa: ANN401 - jsonschema's own class
    """Return the validator of a spec, or of a part that specs include."""
    schema = copy.deepcopy(load_schema())
    if is_included:  # it may hold shared options alone
        del schema["anyOf"]
    _link(schema, schema["$defs"], set())
    return Validator(schema)


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


def _violations(data: Mapping, *, is_included: bool) -> Iterator[Violation]:
    for error in _validator(is_included=is_included).iter_errors(plain(data)):
        yield _violation(error)


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
