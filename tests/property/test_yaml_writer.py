"""Data that `spec.writer` writes is read as the same data."""

from __future__ import annotations

import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from passgen.spec import loader, writer
from passgen.spec.located import plain

# Texts that authors of TableGen write, and texts that YAML may misread.
LINES = st.sampled_from(
    [
        *("", " ", "  a", "a ", "---", "...", "# h", "- x", "a: b", "```", "\ttab"),
        *("'", '"', "\\", "*a", "&a", "<<", "null", "012", "yes", "{", "%TAG", "a:"),
        *("? x", "é 🙂"),
    ]
)
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.lists(LINES, max_size=6).map("\n".join),
    st.characters(exclude_categories=["Cs"]).map(lambda char: f"a{char}b"),
)
SCALARS = st.one_of(
    TEXTS,
    st.integers(),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False),
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(TEXTS, DATA, min_size=1, max_size=3))
@example({"passes": {"A": {"d": "first\nsecond\n\n"}, "B": {"d": "  odd\nx\n"}}})
@example({"a" * 80: []})
@example({"a": ["---\n...\n", "\n", " \n x", "a\x85b", "\ufeff", "a\r\nb"]})
def test_reads_as_it_was(data: dict[str, writer.Data]) -> None:
    text = writer.write(data)

    assert plain(loader.load(loader.decode("x.yaml", text.encode()))) == data


def test_texts_that_are_no_texts_in_yaml_1_1_are_quoted() -> None:
    texts = [
        *("yes", "No", "on", "y", "=", "012", "1_000", "12:30", "0b1"),
        "2001-01-01",
    ]

    text = writer.write({"no": texts[0], "texts": texts, "words": ["on", "a"]})

    assert yaml.safe_load(text) == {"no": "yes", "texts": texts, "words": ["on", "a"]}
    assert text.startswith('"no": "yes"\n')
    assert text.endswith('words: ["on", a]\n')


def test_aliases_stand_for_shared_values() -> None:
    common = writer.Shared([{"name": "a"}], "common")
    alias = writer.Alias("common")
    text = writer.write(
        {
            "shared": writer.Commented(common, "of both"),
            "passes": {"A": {"options": alias}, "B": {"options": [alias, {"x": 1}]}},
        }
    )

    assert text == (
        "shared: &common  # of both\n"
        "  - name: a\n"
        "passes:\n"
        "  A:\n"
        "    options: *common\n"
        "\n"
        "  B:\n"
        "    options:\n"
        "      - *common\n"
        "      - x: 1\n"
    )
