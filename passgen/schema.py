"""The shape of a spec: violations of its JSON Schema as diagnostics.

Comes after `loader`, before `resolve`, which relies on it for keys and types. The
schema in `schemas/` is the only list of keys. Here it is asked, in `violations` its
answers become diagnostics.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import jsonschema
from jsonschema.exceptions import ValidationError

from passgen import resources, violations
from passgen.diagnostics import SpecError
from passgen.located import Mapping, plain
from passgen.schema_predicate import compile_predicate
from passgen.violations import Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passgen.spec_path import Path

Json: TypeAlias = dict[str, Any]


def validate(data: Mapping) -> None:
    """Return if `data` has the shape of a spec.

    Raises:
        SpecError: it has not; every violation in the order of the text.
    """
    diagnostics = [
        diagnostic
        for violation in _violations(data)
        for diagnostic in violations.explain(data, violation)
    ]
    if diagnostics:
        raise SpecError(dict.fromkeys(diagnostics))


@cache
def load_schema() -> Json:
    """Return the schema of a spec as it stands in its file."""
    text = (resources.schemas() / "pass-group.schema.json").read_text("utf-8")
    schema: Json = json.loads(text)
    return schema


def inline(schema: Json) -> Json:
    """Return `schema` with each reference replaced by what it refers to."""
    definitions = schema["$defs"]

    def inlined(value: Any) -> Any:  # noqa: ANN401 - JSON data
        if isinstance(value, list):
            return [inlined(item) for item in value]
        if not isinstance(value, dict):
            return value
        result = {key: inlined(item) for key, item in value.items() if key != "$ref"}
        if "$ref" in value:
            name = value["$ref"].removeprefix("#/$defs/")
            result = inlined(definitions[name]) | result
        return result

    rest = {
        key: item for key, item in schema.items() if key not in {"$defs", "$schema"}
    }
    result: Json = inlined(rest)
    return result


def _pattern(
    _validator: object, pattern: str, instance: object, _schema: object
) -> Iterator[ValidationError]:
    # JSON Schema's `$` is the end of the text, Python's also the line end before it.
    if isinstance(instance, str) and not re.fullmatch(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


Validator: Final = jsonschema.validators.extend(  # type: ignore[no-untyped-call] # its stub has no types
    jsonschema.Draft202012Validator, {"pattern": _pattern}
)


class _Judges:
    """The validators of a group without its passes, and of one pass."""

    def __init__(self) -> None:
        group = inline(load_schema())
        passes = group["properties"]["passes"]
        one = passes["additionalProperties"]
        outline = {
            **group,
            "properties": {
                **group["properties"],
                "passes": {**passes, "additionalProperties": True},
            },
        }
        self.outline = Validator(outline)
        self.one_pass = Validator(one)
        self.is_valid_pass = compile_predicate(one)


_judges: Final = cache(_Judges)


def _violations(data: Mapping) -> Iterator[Violation]:
    judges = _judges()
    passes = data.entries["passes"].value if "passes" in data.entries else None
    outline = {
        key: plain(entry.value)
        for key, entry in data.entries.items()
        if key != "passes"
    }
    if isinstance(passes, Mapping):
        outline["passes"] = dict.fromkeys(passes.entries)
    elif passes is not None:
        outline["passes"] = plain(passes)
    for error in judges.outline.iter_errors(outline):
        yield _violation((), error)
    if isinstance(passes, Mapping):
        for name, entry in passes.entries.items():
            value = plain(entry.value)
            if not judges.is_valid_pass(value):
                for error in judges.one_pass.iter_errors(value):
                    yield _violation(("passes", name), error)


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
