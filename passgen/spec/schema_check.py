"""A check of specs against their JSON Schema that only says whether they are valid.

Most specs are valid, and importing jsonschema takes longer than everything else that is
done with a small one. So `schema` asks jsonschema only for the violations of a spec
that is invalid here. Each subschema becomes a function when a value first needs it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias

Json: TypeAlias = dict[str, Any]

Check: TypeAlias = Callable[[Any], bool]
"""Returns whether a value is valid."""


def compile_schema(schema: Json) -> Check:
    """Return the check of `schema`, whose references name parts of its `$defs`."""
    return _Compiler(schema["$defs"]).compile(schema)


class _Compiler:
    """Makes the checks of subschemas."""

    def __init__(self, definitions: Json) -> None:
        self.definitions = definitions
        self.checks: dict[str, Check] = {}
        """Those of definitions, by their names."""

    def compile(self, schema: Json) -> Check:
        """Return the check of `schema`, made at its first call."""
        checks: list[Check] = []
        is_made = False

        def is_valid(value: Any) -> bool:  # noqa: ANN401 - JSON data
            nonlocal is_made
            if not is_made:
                checks.extend(self._checks(schema))
                is_made = True
            for check in checks:  # noqa: SIM110 - `all` takes twice the time
                if not check(value):
                    return False
            return True

        return is_valid

    def compile_all(self, schemas: list[Json]) -> list[Check]:
        """Return the check of each of `schemas`."""
        return [self.compile(schema) for schema in schemas]

    def compile_values(self, schemas: Json) -> dict[str, Check]:
        """Return the check of each of `schemas`, by its name."""
        return {name: self.compile(schema) for name, schema in schemas.items()}

    def definition(self, reference: str) -> Check:
        """Return the check of the definition that a `$ref` names."""
        name = reference.removeprefix("#/$defs/")
        if name not in self.checks:
            self.checks[name] = self.compile(self.definitions[name])
        return self.checks[name]

    def _checks(self, schema: Json) -> list[Check]:
        """Return a check for each keyword of `schema` that is one of values."""
        return [
            KEYWORDS[keyword](self, operand, schema)
            for keyword, operand in schema.items()
            if keyword not in ANNOTATIONS
        ]


ANNOTATIONS: Final = frozenset(
    {"$schema", "$defs", "title", "description", "examples", "errorMessage"}
    | {"markdownDescription", "enumDescriptions", "defaultSnippets", "doNotSuggest"}
    | {"then"}  # part of `if`
)
"""Keywords that need no check of their own."""

_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),  # not 1.0, unlike in JSON Schema; see `schema`
    "number": (int, float),
    "object": (dict,),
    "string": (str,),
}


def _type(_: _Compiler, names: str | list[str], __: Json) -> Check:
    listed = [names] if isinstance(names, str) else names
    # Not `isinstance`: in Python, but not in JSON, a boolean is an integer.
    types = {type_ for name in listed for type_ in _TYPES[name]}
    return lambda value: type(value) in types


def _const(_: _Compiler, constant: object, __: Json) -> Check:
    # Numbers would have to be equal across types.
    assert isinstance(constant, (str, bool)), constant
    return lambda value: type(value) is type(constant) and value == constant


def _enum(_: _Compiler, texts: list[str], __: Json) -> Check:
    known = frozenset(texts)
    return lambda value: isinstance(value, str) and value in known


def _pattern(_: _Compiler, pattern: str, __: Json) -> Check:
    match = re.compile(pattern).fullmatch  # see `schema`
    return lambda value: not isinstance(value, str) or match(value) is not None


def _minimum(_: _Compiler, least: int, __: Json) -> Check:
    return lambda value: type(value) not in _TYPES["number"] or not value < least


def _maximum(_: _Compiler, most: int, __: Json) -> Check:
    return lambda value: type(value) not in _TYPES["number"] or not value > most


def _min_items(_: _Compiler, least: int, __: Json) -> Check:
    return lambda value: not isinstance(value, list) or len(value) >= least


def _max_items(_: _Compiler, most: int, __: Json) -> Check:
    return lambda value: not isinstance(value, list) or len(value) <= most


def _unique_items(_: _Compiler, are_unique: object, __: Json) -> Check:
    assert are_unique is True

    def is_valid(value: Any) -> bool:  # noqa: ANN401 - JSON data
        if not isinstance(value, list):
            return True
        # `items` refuses lists and mappings. In JSON, `true` and 1 are different.
        scalars = [
            (isinstance(item, bool), item)
            for item in value
            if not isinstance(item, (dict, list))
        ]
        return len(set(scalars)) == len(scalars)

    return is_valid


def _items(compiler: _Compiler, schema: Json, _: Json) -> Check:
    check = compiler.compile(schema)
    return lambda value: not isinstance(value, list) or all(map(check, value))


def _min_properties(_: _Compiler, least: int, __: Json) -> Check:
    return lambda value: not isinstance(value, dict) or len(value) >= least


def _required(_: _Compiler, names: list[str], __: Json) -> Check:
    needed = frozenset(names)
    return lambda value: not isinstance(value, dict) or needed <= value.keys()


def _properties(compiler: _Compiler, schemas: Json, _: Json) -> Check:
    checks = compiler.compile_values(schemas)
    return lambda value: (
        not isinstance(value, dict)
        or all(checks[key](value[key]) for key in value if key in checks)
    )


def _additional_properties(
    compiler: _Compiler, additional: Json | Literal[False], schema: Json
) -> Check:
    known = schema.get("properties", {}).keys()
    if additional is False:
        return lambda value: not isinstance(value, dict) or value.keys() <= known
    check = compiler.compile(additional)
    return lambda value: (
        not isinstance(value, dict)
        or all(check(value[key]) for key in value if key not in known)
    )


def _property_names(compiler: _Compiler, schema: Json, _: Json) -> Check:
    check = compiler.compile(schema)
    return lambda value: not isinstance(value, dict) or all(map(check, value))


def _dependent_schemas(compiler: _Compiler, schemas: Json, _: Json) -> Check:
    checks = compiler.compile_values(schemas)
    return lambda value: (
        not isinstance(value, dict)
        or all(check(value) for key, check in checks.items() if key in value)
    )


def _any_of(compiler: _Compiler, schemas: list[Json], _: Json) -> Check:
    checks = compiler.compile_all(schemas)
    return lambda value: any(check(value) for check in checks)


def _all_of(compiler: _Compiler, schemas: list[Json], _: Json) -> Check:
    checks = compiler.compile_all(schemas)
    return lambda value: all(check(value) for check in checks)


def _if(compiler: _Compiler, condition: Json, schema: Json) -> Check:
    applies = compiler.compile(condition)
    check = compiler.compile(schema["then"])
    return lambda value: not applies(value) or check(value)


def _ref(compiler: _Compiler, reference: str, _: Json) -> Check:
    return compiler.definition(reference)


KEYWORDS: Final[dict[str, Callable[[_Compiler, Any, Json], Check]]] = {
    "$ref": _ref,
    "additionalProperties": _additional_properties,
    "allOf": _all_of,
    "anyOf": _any_of,
    "const": _const,
    "dependentSchemas": _dependent_schemas,
    "enum": _enum,
    "if": _if,
    "items": _items,
    "maxItems": _max_items,
    "maximum": _maximum,
    "minItems": _min_items,
    "minProperties": _min_properties,
    "minimum": _minimum,
    "pattern": _pattern,
    "properties": _properties,
    "propertyNames": _property_names,
    "required": _required,
    "type": _type,
    "uniqueItems": _unique_items,
}
"""The makers of checks: each takes the value of its keyword, and the subschema."""
