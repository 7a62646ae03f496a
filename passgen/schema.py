"""The shape of a spec: violations of its JSON Schema as diagnostics.

Comes after `loader`, before `resolve`, which relies on it for keys and types. The
schema in `schemas/` is the only list of keys. Here it is asked, in `violations` its
answers become diagnostics.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from passgen import resources, violations
from passgen.diagnostics import Diagnostic, Note, SpecError
from passgen.located import Mapping, plain
from passgen.record import replace
from passgen.schema_predicate import compile_predicate
from passgen.violations import Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passgen.spec_path import Path

Json: TypeAlias = dict[str, Any]

_PART: Final = (
    "a file of parts for others is passed over where a spec that includes it is given"
)


class PartError(SpecError):
    """A spec declares nothing, but is right as a part that others include."""

    def __init__(self, error: Diagnostic, path: str) -> None:
        """Say so of the file at `path`, as `error` says to those who meant a spec."""
        super().__init__([replace(error, notes=(Note(_PART),))])
        self.path = path


def validate(data: Mapping) -> None:
    """Return if `data` has the shape of a spec.

    Raises:
        SpecError: it has not; every violation in the order of the text.
        PartError: it only has that of a part.
    """
    diagnostics = list(_diagnostics(data, is_included=False))
    if not diagnostics:
        return
    if not any(_diagnostics(data, is_included=True)):
        raise PartError(diagnostics[0], data.location.source.name)
    raise SpecError(dict.fromkeys(diagnostics))


def _diagnostics(data: Mapping, *, is_included: bool) -> Iterator[Diagnostic]:
    """Yield what is wrong with `data` as a spec or, included, as a part of one."""
    return (
        diagnostic
        for part in (*data.included, data)
        for diagnostic in violations.explain(
            part, _violations(part, is_included=is_included or part is not data)
        )
    )


@cache
def load_schema() -> Json:
    """Return the schema of a spec as it stands in its file."""
    text = resources.schema().read_text("utf-8")
    schema: Json = json.loads(text)
    return schema


def inline(schema: Json) -> Json:
    """Return `schema` with each reference replaced by what it refers to.

    References to definitions that hold themselves stay, as do those under `$defs`.
    """
    definitions = schema["$defs"]
    recursive = {name for name in definitions if name in _reached(name, definitions)}

    def inlined(value: Any) -> Any:  # noqa: ANN401 - JSON data
        if isinstance(value, list):
            return [inlined(item) for item in value]
        if not isinstance(value, dict):
            return value
        result = {key: inlined(item) for key, item in value.items() if key != "$ref"}
        if "$ref" in value:
            name = _referred(value)
            if name in recursive:
                return {"allOf": [{"$ref": value["$ref"]}], **result}
            result = inlined(definitions[name]) | result
        return result

    rest = {
        key: item for key, item in schema.items() if key not in {"$defs", "$schema"}
    }
    result: Json = inlined(rest)
    if recursive:
        result["$defs"] = {name: inlined(definitions[name]) for name in recursive}
    return result


def _referred(part: Json) -> str:
    name: str = part["$ref"].removeprefix("#/$defs/")
    return name


def _reached(start: str, definitions: Json) -> set[str]:
    """Return the definitions that `start` needs, itself only if it holds itself."""
    reached: set[str] = set()
    waiting: list[Any] = [definitions[start]]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if "$ref" in value and _referred(value) not in reached:
                reached.add(_referred(value))
                waiting.append(definitions[_referred(value)])
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return reached


class _Judges:
    """The predicates of a group without its passes, and of one pass."""

    def __init__(self) -> None:
        group = inline(load_schema())
        passes = group["properties"]["passes"]
        # A file that is included may be one of shared options alone.
        self.one_pass: Json = passes["additionalProperties"]
        self.outline: Json = {
            **group,
            "properties": {
                **group["properties"],
                "passes": {**passes, "additionalProperties": True},
            },
        }
        self.included: Json = {
            key: value for key, value in self.outline.items() if key != "anyOf"
        }
        self.is_valid_included = compile_predicate(self.included)
        self.is_valid_outline = compile_predicate(self.outline)
        self.is_valid_pass = compile_predicate(self.one_pass)


_judges: Final = cache(_Judges)


def _violations(data: Mapping, *, is_included: bool) -> Iterator[Violation]:
    judges = _judges()
    schema = judges.included if is_included else judges.outline
    is_valid = judges.is_valid_included if is_included else judges.is_valid_outline
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
    if not is_valid(outline):
        yield from _found((), schema, outline)
    if isinstance(passes, Mapping):
        for name, entry in passes.entries.items():
            value = plain(entry.value)
            if not judges.is_valid_pass(value):
                yield from _found(("passes", name), judges.one_pass, value)


def _found(prefix: Path, schema: Json, value: object) -> Iterator[Violation]:
    # To import jsonschema takes longer than to judge most specs, and few need it.
    from passgen import schema_validator  # noqa: PLC0415 - see above

    yield from schema_validator.violations_of(prefix, schema, value)
