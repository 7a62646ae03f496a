"""What jsonschema finds wrong with a value, for `schema`; its only user here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import jsonschema
from jsonschema.exceptions import ValidationError

from passgen.violations import Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passgen.spec_path import Path

Json: TypeAlias = dict[str, Any]


def violations_of(prefix: Path, schema: Json, value: object) -> Iterator[Violation]:
    """Yield the violations of `schema` by `value`, which stands at `prefix`."""
    for error in Validator(schema).iter_errors(value):
        yield _violation(prefix, error)


def _pattern(
    _validator: object, pattern: str, instance: object, _schema: object
) -> Iterator[ValidationError]:
    # JSON Schema's `$` is the end of the text, Python's also the line end before it.
    if isinstance(instance, str) and not re.fullmatch(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


Validator: Final = jsonschema.validators.extend(  # type: ignore[no-untyped-call] # its stub has no types
    jsonschema.Draft202012Validator, {"pattern": _pattern}
)


def _violation(prefix: Path, error: Any) -> Violation:  # noqa: ANN401 - see below
    # The fields of jsonschema's error are typed as if they could be absent; those of
    # an error that a validator has yielded are not.
    branches: dict[Any, list[Violation]] = {}
    for each in error.context:
        branch = branches.setdefault(each.relative_schema_path[0], [])
        branch.append(_violation(prefix, each))
    return Violation(
        path=(*prefix, *error.absolute_path),
        keyword=error.validator,
        operand=error.validator_value,
        instance=error.instance,
        schema=error.schema,
        schema_path=tuple(error.absolute_schema_path),
        alternatives=tuple(branches.values()),
    )
