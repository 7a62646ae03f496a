"""A JSON Schema compiled to one yes-or-no function, for `schema`.

jsonschema explains what is wrong, at a price per value that a large spec feels: forty
seconds for 100,000 passes, where the predicate takes five. So it is asked about those
passes only that the predicate refuses. The keywords below are all that our schema
uses; another one is refused when the schema is compiled, never ignored, and a property
test holds the two to the same answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

Predicate: TypeAlias = Callable[[Any], bool]

Schema: TypeAlias = Mapping[str, Any]

_Compile: TypeAlias = Callable[[Schema], Predicate]

_ANNOTATIONS: Final = frozenset(
    {"title", "description", "examples", "errorMessage", "$defs"}
)


def compile_predicate(schema: Schema) -> Predicate:
    """Return the function that says whether a value is valid by `schema`.

    References lead to the `$defs` of `schema`: to definitions that hold themselves.

    Raises:
        KeyError: the schema has a keyword that is not known here.
    """
    definitions: dict[str, Predicate] = {}

    def compile_part(part: Schema) -> Predicate:
        parts = tuple(
            keywords[keyword](value, part, compile_part)
            for keyword, value in part.items()
            if keyword not in _ANNOTATIONS
        )
        if len(parts) == 1:
            return parts[0]
        return lambda value: all(test(value) for test in parts)

    def ref(reference: str, _schema: Schema, _compile: _Compile) -> Predicate:
        name = reference.removeprefix("#/$defs/")

        def is_valid(value: Any) -> bool:  # noqa: ANN401 - JSON data
            return definitions[name](value)  # which may hold this very reference

        return is_valid

    keywords = {**_KEYWORDS, "$ref": ref}
    for name, definition in schema.get("$defs", {}).items():
        definitions[name] = compile_part(definition)
    return compile_part(schema)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_integer(value: object) -> bool:
    return _is_number(value) and (isinstance(value, int) or float(value).is_integer())  # type: ignore[arg-type] # a number


_TYPES: Final[dict[str, Predicate]] = {
    "string": lambda value: isinstance(value, str),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "number": _is_number,
    "integer": _is_integer,
}


def _type(names: str | list[str], _schema: Schema, _compile: _Compile) -> Predicate:
    if isinstance(names, str):
        return _TYPES[names]
    tests = tuple(_TYPES[name] for name in names)
    return lambda value: any(test(value) for test in tests)


def _enum(choices: list[str], _schema: Schema, _compile: _Compile) -> Predicate:
    known = frozenset(choices)
    return lambda value: isinstance(value, str) and value in known


def _const(choice: str, schema: Schema, compile_: _Compile) -> Predicate:
    return _enum([choice], schema, compile_)


def _pattern(pattern: str, _schema: Schema, _compile: _Compile) -> Predicate:
    matches = re.compile(pattern).fullmatch
    return lambda value: not isinstance(value, str) or matches(value) is not None


def _required(keys: list[str], _schema: Schema, _compile: _Compile) -> Predicate:
    needed = tuple(keys)
    return lambda value: (
        not isinstance(value, dict) or all(key in value for key in needed)
    )


def _properties(
    schemas: Mapping[str, Schema], _schema: Schema, compile_: _Compile
) -> Predicate:
    tests = {key: compile_(schema) for key, schema in schemas.items()}

    def has_valid_values(value: Any) -> bool:  # noqa: ANN401 - JSON data
        if isinstance(value, dict):
            for key, test in tests.items():
                if key in value and not test(value[key]):
                    return False
        return True

    return has_valid_values


def _additional_properties(
    allowed: Schema | bool,  # noqa: FBT001 - JSON Schema has it so
    schema: Schema,
    compile_: _Compile,
) -> Predicate:
    if allowed is True:
        return lambda _value: True
    if not isinstance(allowed, bool):
        assert "properties" not in schema
        test = compile_(allowed)
        return lambda value: (
            not isinstance(value, dict) or all(map(test, value.values()))
        )
    known = schema["properties"].keys()
    return lambda value: not isinstance(value, dict) or value.keys() <= known


def _property_names(schema: Schema, _schema: Schema, compile_: _Compile) -> Predicate:
    test = compile_(schema)
    return lambda value: not isinstance(value, dict) or all(map(test, value))


def _items(schema: Schema, _schema: Schema, compile_: _Compile) -> Predicate:
    test = compile_(schema)
    return lambda value: not isinstance(value, list) or all(map(test, value))


def _min_items(count: int, _schema: Schema, _compile: _Compile) -> Predicate:
    return lambda value: not isinstance(value, list) or len(value) >= count


def _min_properties(count: int, _schema: Schema, _compile: _Compile) -> Predicate:
    return lambda value: not isinstance(value, dict) or len(value) >= count


def _all_of(schemas: list[Schema], _schema: Schema, compile_: _Compile) -> Predicate:
    tests = tuple(compile_(schema) for schema in schemas)
    return lambda value: all(test(value) for test in tests)


def _any_of(schemas: list[Schema], _schema: Schema, compile_: _Compile) -> Predicate:
    tests = tuple(compile_(schema) for schema in schemas)
    return lambda value: any(test(value) for test in tests)


def _not(schema: Schema, _schema: Schema, compile_: _Compile) -> Predicate:
    test = compile_(schema)
    return lambda value: not test(value)


def _if(condition: Schema, schema: Schema, compile_: _Compile) -> Predicate:
    test = compile_(condition)
    then = compile_(schema["then"])
    return lambda value: not test(value) or then(value)


def _then(_then_schema: Schema, schema: Schema, _compile: _Compile) -> Predicate:
    assert "if" in schema
    return lambda _value: True  # `_if` has asked


def _dependent_schemas(
    schemas: Mapping[str, Schema], _schema: Schema, compile_: _Compile
) -> Predicate:
    tests = {key: compile_(schema) for key, schema in schemas.items()}
    return lambda value: (
        not isinstance(value, dict)
        or all(test(value) for key, test in tests.items() if key in value)
    )


_KEYWORDS: Final[dict[str, Callable[[Any, Schema, _Compile], Predicate]]] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "pattern": _pattern,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "items": _items,
    "minItems": _min_items,
    "minProperties": _min_properties,
    "allOf": _all_of,
    "anyOf": _any_of,
    "not": _not,
    "if": _if,
    "then": _then,
    "dependentSchemas": _dependent_schemas,
}
