"""The values and locations of a spec's YAML, with both of PyYAML's parsers.

Invalid YAML is in `invalid/`.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import yaml

from passgen.diagnostics import SpecError
from passgen.source import Location, SourceFile
from passgen.spec import events, loader
from passgen.spec.located import Mapping, Node, Scalar, Sequence, plain

INVALID = Path(__file__).parents[1] / "invalid"


def load(text: str) -> Mapping:
    return loader.load(SourceFile("spec.yaml", text))


def refusal(data: bytes, name: str = "spec.yaml") -> SpecError:
    with pytest.raises(SpecError) as caught:
        loader.load(loader.decode(name, data))
    return caught.value


def value(text: str) -> object:
    return plain(load(f"key: {text}\n").entries["key"].value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("off", "off"),
        ("y", "y"),
        ("true", True),
        ("True", True),
        ("FALSE", False),
        ("tRue", "tRue"),
        ("null", None),
        ("~", None),
        ("", None),
        ("nUll", "nUll"),
        ("0o17", 15),
        ("0x1F", 31),
        ("-7", -7),
        ("+7", 7),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("1:30", "1:30"),
        ("2026-01-01", "2026-01-01"),
        ("1.", 1.0),
        (".5", 0.5),
        ("-1e3", -1000.0),
        ("1e", "1e"),
        (".", "."),
        ("\n  -", [None]),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("'5'", "5"),
        ('"true"', "true"),
        ("''", ""),
        ("!!str 5", "5"),
        ("! 5", "5"),
        ("!!int '5'", 5),
        ("!!float 5", 5),
        ("!!bool 'true'", True),
        ("!!null ''", None),
        ("!!seq [a]", ["a"]),
        ("!!map {a: b}", {"a": "b"}),
        ("|\n  a\n  b", "a\nb\n"),
        (">-\n  a\n  b", "a b"),
        ("9" * 400, int("9" * 400)),
    ],
)
def test_scalars_follow_the_core_schema_of_yaml_1_2(
    text: str, expected: object
) -> None:
    found = value(text)

    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize("text", ["012", "-010", "+07", "00", "08", "!!int 010"])
def test_error_a_number_that_is_octal_for_others(text: str) -> None:
    with pytest.raises(SpecError, match="octal"):
        value(text)


def test_nan_is_a_number() -> None:
    found = value(".nan")

    assert isinstance(found, float)
    assert math.isnan(found)


def test_keys_that_yaml_1_1_takes_for_truth_values_are_text() -> None:
    assert plain(load("on: a\nno: b\ny: c\n")) == {"on": "a", "no": "b", "y": "c"}


@pytest.mark.parametrize(
    "text", ["a: 1\r\nb:\r\n  - x\r\n", "\ufeffa: 1\nb:\n  - x\n", "a: 1\nb:\n- x"]
)
def test_windows_line_ends_byte_order_mark_and_missing_last_line_end(text: str) -> None:
    assert plain(load(text)) == {"a": 1, "b": ["x"]}


def test_byte_order_mark_counts_for_no_column() -> None:
    source = loader.decode("spec.yaml", b"\xef\xbb\xbfa: 1\n")
    entry = loader.load(source).entries["a"]

    assert entry.key == Location(source, 1, 1)
    assert load("\ufeffa: 1\n").entries["a"].key.column == 1


def test_aliases_stand_for_what_they_name() -> None:
    data = load("a: &x [1, 2]\nb: *x\n&k c: 3\nd: *k\n*k : 4\n".replace("*k :", "e :"))

    assert plain(data) == {"a": [1, 2], "b": [1, 2], "c": 3, "d": "c", "e": 4}
    assert data.entries["b"].value is data.entries["a"].value


def test_alias_as_a_key() -> None:
    assert plain(load("a: &k x\n*k : y\n")) == {"a": "x", "x": "y"}


def test_quoted_merge_key_is_a_key() -> None:
    assert plain(load("'<<': {a: b}\n")) == {"<<": {"a": "b"}}


def test_as_many_levels_as_are_allowed() -> None:
    inside = "[" * (events.MAX_DEPTH - 1) + "]" * (events.MAX_DEPTH - 1)

    assert plain(load(f"a: {inside}\n"))["a"] != []


def spans(node: Node) -> list[tuple[int, int, int]]:
    """Return line, column and length of `node` and what it holds, keys included."""
    place = node.location
    found = [(place.line, place.column, place.length)]
    if isinstance(node, Sequence):
        for item in node.items:
            found += spans(item)
    elif isinstance(node, Mapping):
        for entry in node.entries.values():
            key = entry.key
            found += [(key.line, key.column, key.length), *spans(entry.value)]
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ab: cde", [(1, 1, 2), (1, 1, 2), (1, 5, 3)]),
        ("a: 'b c'", [(1, 1, 1), (1, 1, 1), (1, 4, 5)]),
        ("é: 😀 字", [(1, 1, 1), (1, 1, 1), (1, 4, 3)]),
        ("a:", [(1, 1, 1), (1, 1, 1), (1, 1, 1)]),
        ("a: {b: }", [(1, 1, 1), (1, 1, 1), (1, 4, 5), (1, 5, 1), (1, 5, 1)]),
        ("a: []", [(1, 1, 1), (1, 1, 1), (1, 4, 2)]),
        ("a: [b,\n  c]", [(1, 1, 1), (1, 1, 1), (1, 4, 3), (1, 5, 1), (2, 3, 1)]),
        ("a:\n  - b", [(1, 1, 1), (1, 1, 1), (2, 3, 1), (2, 5, 1)]),
        ("a:\n  b: c", [(1, 1, 1), (1, 1, 1), (2, 3, 1), (2, 3, 1), (2, 6, 1)]),
        ("a: |2-\n   b", [(1, 1, 1), (1, 1, 1), (1, 4, 3)]),
        ("a: > # why\n  b", [(1, 1, 1), (1, 1, 1), (1, 4, 1)]),
        ("a: b\n  c", [(1, 1, 1), (1, 1, 1), (1, 4, 1)]),
        ('a: "b  \n  c"', [(1, 1, 1), (1, 1, 1), (1, 4, 2)]),
    ],
)
def test_places_of_keys_and_values(text: str, expected: list[tuple[int, ...]]) -> None:
    assert spans(load(text)) == expected


def test_a_scalar_knows_its_spelling() -> None:
    node = load("a: 0x1F\n").entries["a"].value

    assert isinstance(node, Scalar)
    assert node.value == 31
    assert node.spelling == "0x1F"


def test_not_utf_8_is_found_before_any_yaml() -> None:
    assert str(refusal(b"a: 1\n\xc3\xa9: \xff\n")) == (
        "spec.yaml:2:4: error: found the byte 0xff, expected text in UTF-8\n"
        "é: \ufffd\n"
        "   ^"
    )


PARSER_DEPENDENT = {
    "yaml-incompatible-version": "one parser says which version it wants",
    "yaml-surrogate": "one parser points at the escape, one at the whole text",
    "yaml-surrogate-pair": "as above",
    "yaml-unknown-escape": "one parser points at the backslash, one after it",
}


@pytest.mark.parametrize(
    "path", sorted(INVALID.glob("yaml-*.yaml")), ids=lambda p: p.stem
)
def test_both_parsers_lead_to_the_same_words(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "_PARSER", yaml.SafeLoader)
    error = refusal(path.read_bytes(), path.name)

    assert len(error.diagnostics) == 1
    if path.stem not in PARSER_DEPENDENT:
        assert f"{error}\n" == path.with_suffix(".err").read_text("utf-8")


def test_error_aliases_that_nest_too_deep() -> None:
    lines = [f"  a{level}: &a{level} [*a{level - 1}]\n" for level in range(1, 2000)]
    text = "sharedOptions:\n  a0: &a0 [x]\n" + "".join(lines)

    (error,) = refusal(text.encode()).diagnostics
    assert error.message == "found lists and mappings nested more than 32 deep"
    assert (error.location or Location(SourceFile("", ""), 0, 0)).line == 32


def test_a_file_of_a_pattern_has_no_other_characters_than_a_spec() -> None:
    spec = SourceFile("spec.yaml", "passes: {A: {patterns: [{pdlFile: a.mlir}]}}\n")

    with pytest.raises(SpecError) as caught:
        loader.load(spec, lambda _: b"// a pdl.pattern\n \0\n")

    place = caught.value.diagnostics[0].location
    assert str(place) == "a.mlir:2:2"
