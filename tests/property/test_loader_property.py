"""Any text is read as a spec or refused with diagnostics, never with a traceback."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from passgen import checks
from passgen.diagnostics import SpecError
from passgen.source import SourceFile
from passgen.spec import loader, read

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
    """Return the error of reading and checking the spec `text`, if any."""
    try:
        checks.check(read(SourceFile("spec.yaml", text)))
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


def test_the_spec_that_is_mutated_is_valid() -> None:
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
@settings(max_examples=3 * settings().max_examples)
def test_mutated_spec(text: str) -> None:
    assert_read_or_explained(text)
