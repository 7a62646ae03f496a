"""Violations of the JSON Schema of specs, explained in diagnostics.

The messages follow from the keywords of the schema. Rules that a keyword does not
explain have an `errorMessage` in the schema, which editors show too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from textwrap import indent
from typing import Any, Final, TypeAlias

import yaml

from passgen import naming
from passgen.diagnostics import Diagnostic, Note, suggest
from passgen.passgen_rules.ordering_rules import RULE_MEANINGS
from passgen.passgen_rules.suggestions import nearest_name
from passgen.source import Location
from passgen.spec import located, yaml_errors, yaml_scalars
from passgen.spec.located import Mapping, Node, Scalar, describe, shorten, text_at
from passgen.spec.option_type_names import suggest_option_type

Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True)
class Place:
    """A value of a spec, and the location that messages about it show."""

    node: Node
    key: Location
    """The place of its key; in a list and at the top level, that of the value."""


def find(data: Mapping, path: Path) -> Place:
    """Return the value at `path`."""
    place = Place(data, data.location)
    for step in path:
        if isinstance(step, int):
            assert isinstance(place.node, located.Sequence)
            item = place.node.items[step]
            place = Place(item, item.location)
        else:
            assert isinstance(place.node, Mapping)
            entry = place.node.entries[step]
            place = Place(entry.value, entry.key)
    return place


_FORM_STEPS: Final = ("needs", "gives", "keeps", "breaks")

_LIST_ITEMS: Final = {
    "options": ("option", ("argument", "name")),
    "statistics": ("statistic", ("name",)),
    "remarks": ("remark", ("name",)),
    "fields": ("field", ("name",)),
    "values": ("value", ("value",)),
    "dependentDialects": ("dependent dialect", ()),
    "classes": ("class", ()),
    "ignore": ("ignored rule", ("rule",)),
    "unset": ("field", ()),
    "elements": ("element", ("pass", "bundle", "pipeline", "stage", "nest")),
    **{str(kind): (f"'{kind}' rule", ("tag",)) for kind in RULE_MEANINGS},
    "externalPasses": ("external pass", ("argument",)),
    "tags": ("tag", ()),
    "requires": ("required analysis", ()),
    "provides": ("provided analysis", ()),
    "preserves": ("preserved analysis", ()),
    "patterns": ("pattern", ("name",)),
    "creates": ("created operation", ()),
    "unused": ("unused value", ()),
    "oneUse": ("value of one use", ()),
    "include": ("included spec", ()),
    "absent": ("absent operation", ()),
    "only": ("only operation", ()),
    "examples": ("example", ()),
    "default": ("element", ()),
    **{step: (f"'{step}' form", ()) for step in _FORM_STEPS},
}
"""The noun for an item of a list, and the keys that may name it, by key of the list."""

_SHARED: Final = {"sharedOptions": "options", "sharedStatistics": "statistics"}
"""Keys of mappings whose values are such lists."""

_NAMED: Final = {
    "passes": "pass",
    "analyses": "analysis",
    "forms": "form",
    "bundles": "bundle",
    "pipelines": "pipeline",
}
"""The noun for an entry of a mapping from names, by the key of the mapping."""


def subject(data: Mapping, path: Path) -> str:
    """Return the value at `path` as messages name it."""
    if not path:
        return "the spec"
    *owner, last = path
    if len(owner) == 1 and owner[0] in _NAMED:
        return f"{_NAMED[str(owner[0])]} '{last}'"
    if isinstance(last, int):
        while isinstance(owner[-1], int):  # a list in a list is part of it
            owner.pop()
        shared = _SHARED.get(str(owner[0])) if len(owner) > 1 else None
        of = owner if shared else owner[:-1]
        return _item(data, path, shared or str(owner[-1])) + _of(data, tuple(of))
    return f"'{last}'" + _of(data, path[:-1])


def named_entry(path: Path) -> str:
    """Return the word for a key below `path` in messages; may be empty."""
    kind = _NAMED.get(str(path[0])) if len(path) == 1 else None
    return f"name of {'an' if kind == 'analysis' else 'a'} {kind}" if kind else ""


def _of(data: Mapping, owner: Path) -> str:
    return f" of {subject(data, owner)}" if owner else ""


def _item(data: Mapping, path: Path, owner: str) -> str:
    kind, naming_keys = _LIST_ITEMS.get(owner, ("item", ()))
    node = find(data, path).node
    if isinstance(node, Mapping):
        for key in naming_keys:
            entry = node.entries.get(key)
            if entry and isinstance(entry.value, Scalar) and entry.value.value:
                name = entry.value
                text = name.value if isinstance(name.value, str) else name.spelling
                return f"{kind} '{text}'"
    assert isinstance(path[-1], int)
    return f"{kind} {path[-1] + 1}"


@dataclass(frozen=True)
class Violation:
    """One keyword of the schema that a value does not obey."""

    path: Path
    """The keys and indices that lead from the top level of the spec to the value."""

    keyword: str
    operand: Any
    """The value of the keyword in the schema."""

    instance: Any
    """The value; the key itself for a rule on keys."""

    schema: dict[str, Any]
    """The subschema with the keyword."""

    schema_path: tuple[str | int, ...]
    alternatives: tuple[list[Violation], ...] = ()
    """The violations of each alternative of `anyOf`."""


def explain(data: Mapping, violations: Iterable[Violation]) -> Iterator[Diagnostic]:
    """Yield the diagnostics of `violations`: one for each mistake of the author."""
    for violation in _without_misspelt(tuple(violations)):
        node = find(data, violation.path).node
        if isinstance(node, Scalar) and node.value is None:
            yield _without_value(data, violation.path, node)
        else:
            yield from _EXPLAIN[violation.keyword](data, violation)


def _without_value(data: Mapping, path: Path, node: Scalar) -> Diagnostic:
    what, spelling = subject(data, path), node.spelling
    if spelling in yaml_scalars.SPELLED_NULLS:
        message = f"{what}: found {spelling}, which stands for no value"
        return Diagnostic(message, node.location, (Note(f"quote it: '{spelling}'"),))
    left_out = "it" if isinstance(path[-1], int) else "the key"
    note = Note(f"write a value, or leave {left_out} out")
    return Diagnostic(f"{what} has no value", node.location, (note,))


def _without_misspelt(violations: Sequence[Violation]) -> Iterator[Violation]:
    """Yield `violations`, without the missing keys that are only misspelt."""
    meant: dict[Path, set[str]] = {}
    for violation in violations:
        if violation.keyword == "additionalProperties":
            valid = violation.schema["properties"]
            close = (
                nearest_name(key, valid)
                for key in violation.instance.keys() - valid.keys()
            )
            meant[violation.path] = {key for key in close if key}
    for violation in violations:
        misspelt = meant.get(violation.path, set())
        if violation.keyword == "required":
            missing = [key for key in violation.operand if key not in misspelt]
            if missing:
                yield replace(violation, operand=missing)
        elif misspelt.isdisjoint(_alternative_keys(violation)):
            yield violation


def _alternative_keys(violation: Violation) -> set[str]:
    """Return the keys of which one is required, if `violation` is about them."""
    if violation.keyword != "anyOf":
        return set()
    return {
        key
        for alternative in violation.operand
        for key in alternative.get("required", ())
    }


def _unknown_keys(data: Mapping, violation: Violation) -> Iterator[Diagnostic]:
    node = find(data, violation.path).node
    assert isinstance(node, Mapping)
    valid = list(violation.schema["properties"])
    where = f" in {subject(data, violation.path)}" if violation.path else ""
    for key, entry in node.entries.items():
        if key not in valid:
            message = f"unknown key '{shorten(key)}'{where}"
            yield Diagnostic(message, entry.key, _choices("keys", key, valid))


def _missing_keys(data: Mapping, violation: Violation) -> Iterator[Diagnostic]:
    # jsonschema reports each missing key, and this reports all: `validate` drops the
    # repetitions.
    place = find(data, violation.path)
    what = subject(data, violation.path)
    if "errorMessage" in violation.schema:
        yield from _own_message(data, violation)
        return
    for key in violation.operand:
        if key not in violation.instance:
            description = violation.schema["properties"][key]["description"]
            note = Note(f"'{key}': {_first_clause(description)}")
            yield Diagnostic(f"{what} has no '{key}'", place.key, (note,))


def _first_clause(description: str) -> str:
    """Return the first clause of a description in the schema, for a note."""
    clause = re.split(r"[.:](?: |$)", description, maxsplit=1)[0]
    return clause[0].lower() + clause[1:]


def _exclusion(data: Mapping, violation: Violation) -> Diagnostic:
    """Return the diagnostic of a key that others exclude: no value of it is valid."""
    owner, path = violation.path[:-1], violation.schema_path
    message = f"{subject(data, owner)}: {violation.schema['errorMessage']}"
    notes: tuple[Note, ...] = ()
    if "dependentSchemas" in path:
        other = path[path.index("dependentSchemas") + 1]
        notes = (Note(f"'{other}' is here", find(data, (*owner, other)).key),)
    return Diagnostic(message, find(data, violation.path).key, notes)


def _no_alternative(data: Mapping, violation: Violation) -> Iterator[Diagnostic]:
    if "errorMessage" in violation.schema:
        yield from _own_message(data, violation)
        return
    # The author means the alternatives that have the type of the value.
    meant = [
        against
        for against in violation.alternatives
        if not any(
            problem.keyword == "type" and problem.path == violation.path
            for problem in against
        )
    ]
    if meant:
        first, *others = meant[0]
        if first.keyword == "enum":  # each alternative lists some of the choices
            choices = [choice for branch in meant for choice in branch[0].operand]
            first = replace(first, operand=choices)
        yield from explain(data, (first, *others))
    else:
        types = [alternative["type"] for alternative in violation.operand]
        names = [[type_] if isinstance(type_, str) else type_ for type_ in types]
        unique = dict.fromkeys(chain.from_iterable(names))
        yield _wrong_type(data, violation, list(unique))


def _type(data: Mapping, violation: Violation) -> Iterator[Diagnostic]:
    types = violation.operand
    yield _wrong_type(data, violation, [types] if isinstance(types, str) else types)


_TYPE_NAMES: Final = {
    "string": "text",
    "object": "a mapping",
    "array": "a list",
    "boolean": "true or false",
    "number": "a number",
    "integer": "an integer",
}


def _wrong_type(data: Mapping, violation: Violation, types: list[str]) -> Diagnostic:
    node = find(data, violation.path).node
    expected = ", ".join(_TYPE_NAMES[name] for name in types[:-1])
    expected += (" or " if expected else "") + _TYPE_NAMES[types[-1]]
    what = subject(data, violation.path)
    message = f"{what}: found {describe(node)}, expected {expected}"
    notes: tuple[Note, ...] = ()
    if "enum" in violation.schema:
        notes = _choices("values", str(violation.instance), violation.schema["enum"])
    elif "string" in types and isinstance(node, Scalar):
        notes = (Note(f"quote it: '{shorten(node.spelling)}'"),)
    elif types == ["object"] and isinstance(node, located.Sequence):
        notes = _example(violation.schema)
    elif types == ["string"] and text_at(node.location)[:1] in {"[", "{"}:
        notes = (Note(yaml_errors.QUOTE_IT.format(text_at(node.location)[:1])),)
    return Diagnostic(message, node.location, notes)


def _example(schema: dict[str, Any]) -> tuple[Note, ...]:
    """Return a note with the example that `schema` has of a mapping, if it has one."""
    shown = schema.get("markdownDescription", "").partition("```yaml\n")[2]
    entries = [
        yaml.safe_load(entry) for entry in shown.removesuffix("```").split("# or\n")
    ]
    examples = [value for entry in entries if entry for value in entry.values()]
    mappings = [example for example in examples if isinstance(example, dict)]
    if not mappings:
        return ()
    text = yaml.safe_dump(mappings[0], sort_keys=False)
    return (Note("a mapping is written as\n" + indent(text.rstrip(), "  ")),)


def _enum(data: Mapping, violation: Violation) -> Iterator[Diagnostic]:
    if not violation.operand:
        yield _exclusion(data, violation)
        return
    if not isinstance(violation.instance, str):
        return  # each `enum` stands beside a `type`, which explains it
    place = find(data, violation.path)
    is_key = "propertyNames" in violation.schema_path
    what = "keys" if is_key else "values"
    notes = _choices(what, violation.instance, violation.operand)
    if is_key:
        key = find(data, (*violation.path, violation.instance)).key
        found = shorten(violation.instance)
        message = f"unknown key '{found}' in {subject(data, violation.path)}"
        yield Diagnostic(message, key, notes)
        return
    if violation.path[-1] in {"type", "listOf"} and "int32" in violation.operand:
        notes = (
            *suggest_option_type(
                violation.instance,
                violation.operand,
                is_of_elements=violation.path[-1] == "listOf",
            ),
            notes[-1],
        )
    message = f"{subject(data, violation.path)}: unknown {describe(place.node)}"
    yield Diagnostic(message, place.node.location, notes)


def _choices(what: str, found: str, valid: Sequence[str]) -> tuple[Note, ...]:
    listed = ", ".join(dict.fromkeys(valid))
    return (*suggest(found, valid), Note(f"valid {what}: {listed}"))


def _empty(data: Mapping, violation: Violation) -> Iterator[Diagnostic]:
    message = f"{subject(data, violation.path)} is empty"
    yield Diagnostic(message, find(data, violation.path).node.location)


def _out_of_range(data: Mapping, violation: Violation) -> Iterator[Diagnostic]:
    place = find(data, violation.path)
    least, most = violation.schema["minimum"], violation.schema["maximum"]
    what, found = subject(data, violation.path), describe(place.node)
    message = f"{what}: found {found}, expected {least} to {most}"
    yield Diagnostic(message, place.node.location)


_KEBAB_CASE: Final = "^[a-z][a-z0-9]*(-[a-z0-9]+)*$"

_PYTHON_NAME: Final = "[A-Za-z_][A-Za-z0-9_]*"

_DOTTED_NAME: Final = rf"{_PYTHON_NAME}(\.{_PYTHON_NAME})+"

_PYTHON_OBJECT: Final = rf"^{_PYTHON_NAME}(\.{_PYTHON_NAME})*:{_PYTHON_NAME}$"

_NAME_PATTERNS: Final = frozenset(
    {"^[A-Z][A-Za-z0-9]*$", "^[a-z][A-Za-z0-9]*$", "^([A-Za-z][A-Za-z0-9_]*)?$"}
)


def _pattern(data: Mapping, violation: Violation) -> Iterator[Diagnostic]:
    found, pattern = violation.instance, violation.operand
    what = subject(data, violation.path)
    location = find(data, violation.path).node.location
    if "propertyNames" in violation.schema_path:
        what = named_entry(violation.path) or f"key of {what}"
        location = find(data, (*violation.path, found)).key
    message = f"{what}: found '{shorten(found)}', {violation.schema['errorMessage']}"
    notes: tuple[Note, ...] = ()
    if pattern == _PYTHON_OBJECT and re.fullmatch(_DOTTED_NAME, found):
        module, _, name = found.rpartition(".")
        notes = (Note(f"perhaps '{module}:{name}'"),)
    if pattern == _KEBAB_CASE and naming.kebab_case(found):
        notes = (Note(f"perhaps '{naming.kebab_case(found)}'"),)
    if pattern in _NAME_PATTERNS and re.fullmatch("[A-Za-z0-9_ -]*", found):
        pascal = naming.pascal_case(found)
        camel = pascal[:1].lower() + pascal[1:]
        fitting = (name for name in (pascal, camel) if re.fullmatch(pattern, name))
        notes = tuple(Note(f"perhaps '{name}'") for name in fitting)[:1]
    yield Diagnostic(message, location, notes)


def _own_message(data: Mapping, violation: Violation) -> Iterator[Diagnostic]:
    message = f"{subject(data, violation.path)} {violation.schema['errorMessage']}"
    yield Diagnostic(message, find(data, violation.path).key)


_EXPLAIN: Final[dict[str, Callable[[Mapping, Violation], Iterator[Diagnostic]]]] = {
    "additionalProperties": _unknown_keys,
    "anyOf": _no_alternative,
    "enum": _enum,
    "maximum": _out_of_range,
    "minimum": _out_of_range,
    "minItems": _empty,
    "minProperties": _empty,
    "pattern": _pattern,
    "required": _missing_keys,
    "type": _type,
}
