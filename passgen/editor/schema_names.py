"""The keys and values that the schema has at a place of a spec, with their meanings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from passgen.editor.cursor import Cursor, Path
from passgen.editor.names import Name
from passgen.spec import Json, load_schema


def schema_names(cursor: Cursor) -> Iterator[Name]:
    """Yield the keys or the values that the schema has where the cursor is."""
    if cursor.is_key:
        yield from _keys(cursor, cursor.path[:-1])
        return
    if cursor.begins_line:  # a mapping may begin here
        yield from _keys(cursor, cursor.path)
    for schema in _at(cursor.path):
        yield from _values(schema)


def _keys(cursor: Cursor, mapping: Path) -> Iterator[Name]:
    """Yield the keys that the mapping at a path may have besides those it has."""
    depth = len(mapping)
    given = {path[depth] for path in cursor.earlier if path[:depth] == mapping != path}
    for schema in _at(mapping):
        properties = schema.get("properties", {})
        if not given <= {*properties} and not schema.get("additionalProperties", True):
            continue  # an alternative for other mappings
        excluding = _excluding(schema)
        for key, of_value in properties.items():
            if key not in given and not given & excluding[key]:
                yield _key(key, of_value)
        for names in _alternatives(schema.get("propertyNames", {})):
            yield from (Name("key", name, "") for name in names.get("enum", ()))


def _excluding(schema: Json) -> Mapping[str, set[object]]:
    """Return the keys that exclude each key of a mapping."""
    found: dict[str, set[object]] = defaultdict(set)
    for key, dependent in schema.get("dependentSchemas", {}).items():
        for other, of_value in dependent.get("properties", {}).items():
            if of_value.get("enum") == []:
                found[key].add(other)
                found[other].add(key)
    return found


def _key(key: str, schema: Json) -> Name:
    texts = next(each for each in _alternatives(schema) if "description" in each)
    details = str(texts.get("markdownDescription", texts["description"]))
    return Name("key", key, texts.get("title", ""), details=details)


def _values(schema: Json) -> Iterator[Name]:
    values = schema.get("enum", ())
    meanings = schema.get("enumDescriptions") or [""] * len(values)
    for value, meaning in zip(values, meanings, strict=True):
        yield Name("value", value, meaning)
    if schema.get("type") == "boolean":
        yield Name("value", "true", "")
        yield Name("value", "false", "")


def _at(path: Path) -> Sequence[Json]:
    """Return the schemas of the value at a path: all that may apply."""
    schemas = [*_alternatives(load_schema())]
    for step in path:
        schemas = [
            alternative
            for schema in schemas
            for below in _below(schema, step)
            for alternative in _alternatives(below)
        ]
    return schemas


def _below(schema: Json, step: object) -> Iterator[Json]:
    """Yield the schema of the values at a key, or at an index."""
    found = schema.get("items")
    if isinstance(step, str):
        others = schema.get("additionalProperties")
        found = schema.get("properties", {}).get(step, others)
    if isinstance(found, dict):
        yield found


def _alternatives(schema: Json) -> Iterator[Json]:
    """Yield a schema, and those that it refers to or combines."""
    yield schema
    if reference := schema.get("$ref"):
        name = reference.removeprefix("#/$defs/")
        yield from _alternatives(load_schema()["$defs"][name])
    for part in (*schema.get("anyOf", ()), *schema.get("allOf", ())):
        yield from _alternatives(part)
