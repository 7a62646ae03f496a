"""The check that only says whether a spec is valid says what jsonschema says."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passgen.source import SourceFile
from passgen.spec.loader import load
from passgen.spec.located import plain
from passgen.spec.schema import load_schema, schema_of
from passgen.spec.schema_check import ANNOTATIONS, KEYWORDS, compile_schema
from passgen.spec.schema_violations import Validator, finder_of

ROOT = Path(__file__).parents[2]
FILES = [
    *sorted(ROOT.glob("tests/passgen/golden/*/*.yaml")),
    *sorted(ROOT.glob("tests/passgen/allowed/*.yaml")),
]
SPECS = [plain(load(SourceFile(str(file), file.read_text("utf-8")))) for file in FILES]
CHECKS = [compile_schema(schema_of(is_included=each)) for each in (False, True)]
FINDERS = [finder_of(schema_of(is_included=each)) for each in (False, True)]

SCALARS = [
    *(None, True, False, 0, 1, 2, -1, 256, 257, 32768, 1 << 31, 1 << 63, 1 << 64),
    *(0.0, 1.0, 1.5, -0.0, math.inf, math.nan, "", " ", "a", "A", "a-b", "aB", "A_b"),
    *(
        "a.b",
        "m:f",
        "-a",
        "a\n",
        "\n",
        "a\nb",
        "a b",
        "'",
        "1",
        "enum",
        "any",
        "é",
        "字",
    ),
    *("uint32", "memref", "error", "func.func", "option-added", "xdsl", "x" * 300),
]
"""Values on both sides of what types, bounds and patterns accept."""

MUTANTS = 20
"""The number of mutated specs in an example of the property."""

SCHEMAS = frozenset({"items", "not", "if", "then", "propertyNames"})
LISTS = frozenset({"allOf", "anyOf"})
MAPPINGS = frozenset({"$defs", "dependentSchemas", "properties"})


def containers(value: object) -> Iterator[Any]:
    """Yield each mapping and list in `value`, the outer ones first."""
    if isinstance(value, dict):
        yield value
        for each in value.values():
            yield from containers(each)
    elif isinstance(value, list):
        yield value
        for each in value:
            yield from containers(each)


KEYS = sorted(
    {
        key
        for part in containers(load_schema())
        if isinstance(part, dict)
        for key in part.get("properties", ())
    }
)
PARTS = [part for spec in SPECS for part in containers(spec)]
VALUES = [*PARTS, *SCALARS]


def subschemas(schema: object) -> Iterator[dict[str, Any]]:
    """Yield each subschema of `schema`."""
    if not isinstance(schema, dict):  # as of `additionalProperties: false`
        return
    yield schema
    for keyword, operand in schema.items():
        if keyword in SCHEMAS or keyword == "additionalProperties":
            yield from subschemas(operand)
        elif keyword in LISTS:
            for each in operand:
                yield from subschemas(each)
        elif keyword in MAPPINGS:
            for each in operand.values():
                yield from subschemas(each)


SUBSCHEMAS = [
    {**schema, "$defs": load_schema()["$defs"]} for schema in subschemas(load_schema())
]


def some_value(random_: random.Random) -> object:
    """Return a value for anything in a spec."""
    choices = [SCALARS, PARTS, [[], {}]]
    return copy.deepcopy(random_.choice(random_.choices(choices, [6, 3, 1])[0]))


def mutate(spec: object, random_: random.Random) -> None:
    """Replace, remove, rename, add or repeat something in `spec`."""
    part = random_.choice([*containers(spec)])
    if isinstance(part, list):
        place = random_.randrange(len(part) + 1)
        kept = random_.choice([place, place + 1])
        new = [*part[:1], some_value(random_)]
        part[place:kept] = random_.sample(new, random_.randrange(len(new) + 1))
        return
    key = random_.choice([*part]) if part else random_.choice(KEYS)
    match random_.choice(["replace", "remove", "rename", "add"]):
        case "replace":
            part[key] = some_value(random_)
        case "remove":
            part.pop(key, None)
        case "rename":
            part[random_.choice(KEYS)] = part.pop(key, None)
        case "add":
            part[random_.choice(KEYS)] = some_value(random_)


def verdicts(spec: object) -> tuple[list[bool], list[bool]]:
    """Return what the check says and what jsonschema says, of a spec and of a part."""
    return (
        [check(spec) for check in CHECKS],
        [not any(True for _ in find(spec)) for find in FINDERS],
    )


@pytest.mark.parametrize(
    "spec", SPECS, ids=[str(file.relative_to(ROOT)) for file in FILES]
)
def test_a_valid_spec_is_valid_for_both(spec: object) -> None:
    assert verdicts(spec) == ([True, True], [True, True])


@given(st.integers(0, 1 << 64))
def test_the_verdict_on_a_mutated_spec_is_that_of_jsonschema(seed: int) -> None:
    random_ = random.Random(seed)  # noqa: S311 - no secret
    for _ in range(MUTANTS):
        spec = copy.deepcopy(random_.choice(SPECS))
        for _ in range(random_.randrange(1, 4)):
            mutate(spec, random_)
        found, expected = verdicts(spec)

        assert found == expected, spec


@given(st.integers(0, 1 << 64))
def test_the_verdict_on_a_part_of_a_spec_is_that_of_jsonschema(seed: int) -> None:
    random_ = random.Random(seed)  # noqa: S311 - no secret
    for _ in range(2 * MUTANTS):
        schema = random_.choice(SUBSCHEMAS)
        check = compile_schema(schema)
        valid = [*schema.get("examples", ()), *filter(check, VALUES)]
        value = [copy.deepcopy(random_.choice(valid or SCALARS))]
        for _ in range(random_.randrange(1, 3)):
            mutate(value, random_)
        for each in value:
            assert check(each) == Validator(schema).is_valid(each), (schema, each)


@pytest.mark.parametrize(
    ("items", "are_unique"),
    [(["a", "b"], True), (["a", "a"], False), ([True, 1], True), ([1, 1.0], False)],
)
def test_items_are_equal_as_in_json(items: list[object], *, are_unique: bool) -> None:
    schema = {"uniqueItems": True, "$defs": {}}

    assert compile_schema(schema)(items) == Validator(schema).is_valid(items)
    assert compile_schema(schema)(items) == are_unique


def test_each_keyword_of_the_schema_is_checked() -> None:
    for schema in subschemas(load_schema()):
        assert schema.keys() <= KEYWORDS.keys() | ANNOTATIONS
        assert ("then" in schema) <= ("if" in schema)
