"""Whatever the text, a spec is read or refused with diagnostics, never with a crash."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from passgen import checks, loader, resolve, schema, schema_validator
from passgen.diagnostics import SpecError
from passgen.schema_predicate import compile_predicate
from passgen.source import SourceFile

SPEC = """\
name: Loops
summary: Loop passes.
passes:
  TileLoops: &tile
    argument: tile-loops
    summary: Tile loops
    description: |
      Tiles loops.
    anchor: func.func
    dependentDialects: [affine, arith]
    constructor: my_dialect.tile:TileLoops
    options:
      - {name: tileSize, argument: tile-size, type: uint32, default: 4}
      - {name: mode, argument: mode, type: enum, values: [a, {value: b}], default: a}
      - {name: sizes, argument: sizes, listOf: int64}
      - {name: own, argument: own, type: {python: "m:T"}, default: "5"}
    statistics:
      - {name: numTiled, displayName: num-tiled}
"""

INDICATORS = (*"\t\n\r[]{}'\"|>#,", "  ", "- ", ": ", "? ", "---\n", "...\n", "<<")
REFERENCES = ("&a ", "*a", "*tile", "!!int ", "!x ", "%YAML 3.0\n")
SCALARS = ("null", "true", "1e999", "0x" + "f" * 500, ".nan", "9" * 5000, "字")
CHARACTERS = ("\ufeff", "\0", "\u2028", "\ud800")
WORDS = ("enum", "values: []", "passes:", "\n    options: 5\n")

FRAGMENTS = st.sampled_from((*INDICATORS, *REFERENCES, *SCALARS, *CHARACTERS, *WORDS))


def refused(text: str) -> SpecError | None:
    """Run all phases; return the refusal if there is one."""
    try:
        data = loader.load(SourceFile("spec.yaml", text))
        schema.validate(data)
        checks.check(resolve.resolve(data))
    except SpecError as error:
        return error
    return None


def assert_read_or_explained(text: str) -> None:
    error = refused(text)
    if error is None:
        return
    assert error.diagnostics
    lines = text.removeprefix("\ufeff").count("\n") + 1
    for diagnostic in error.diagnostics:
        assert diagnostic.location is not None
        assert 1 <= diagnostic.location.line <= lines
        assert diagnostic.location.length >= 1
        assert "\n" not in diagnostic.message
        assert diagnostic.render().startswith("spec.yaml:")


def test_the_spec_that_is_mutated_is_right() -> None:
    assert refused(SPEC) is None


@given(st.text())
@example("\ufeff")
@example("[" * 100_000)
@example("{a: " * 100_000)
@example("- " * 100_000)
@example("? " * 1000)
@example("'" * 99)
@example("a: " + "9" * 5000)
def test_any_text(text: str) -> None:
    assert_read_or_explained(text)


@given(st.lists(FRAGMENTS).map("".join))
def test_any_run_of_yaml_indicators(text: str) -> None:
    assert_read_or_explained(text)


@given(st.binary())
@example(b"\xff")
def test_any_bytes(data: bytes) -> None:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        with pytest.raises(SpecError, match="expected text in UTF-8"):
            loader.decode("spec.yaml", data)
    else:
        assert loader.decode("spec.yaml", data).text == text
        assert_read_or_explained(text)


@st.composite
def mutated_specs(draw: st.DrawFn) -> str:
    text = SPEC
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 20)))
        text = text[:start] + draw(FRAGMENTS | st.just("")) + text[end:]
    return text


@given(mutated_specs())
@settings(max_examples=300)
def test_mutated_spec(text: str) -> None:
    assert_read_or_explained(text)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["enum", "int8", "a", "A", "m:T", "a.b", "", "a b", "x\n"]),
    lambda children: (
        st.lists(children, max_size=3)
        | st.dictionaries(st.sampled_from(["value", "python", "name"]), children)
    ),
    max_leaves=4,
)

SCHEMA: dict[str, Any] = schema.inline(schema.load_schema())["properties"]["passes"][
    "additionalProperties"
]


def mappings(part: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return mappings with the keys of `part`, their values right, wrong or absent."""
    return st.fixed_dictionaries(
        {},
        optional={
            key: st.sampled_from(each["examples"]) | JSON
            for key, each in part["properties"].items()
        },
    )


def passes() -> st.SearchStrategy[object]:
    one_or_shared = SCHEMA["properties"]["options"]["items"]["anyOf"]
    options = mappings(one_or_shared[0])
    right = st.just({"argument": "a", "summary": "A"})
    return st.builds(
        lambda base, rest, some: {
            **base,
            **rest,
            **({"options": some} if some else {}),
        },
        right | st.just({}),
        mappings(SCHEMA) | st.just({}),
        st.lists(options, max_size=2),
    )


@given(passes() | JSON)
@settings(max_examples=500)
def test_predicate_and_jsonschema_agree(value: object) -> None:
    expected = schema_validator.Validator(SCHEMA).is_valid(value)

    assert compile_predicate(SCHEMA)(value) == expected
