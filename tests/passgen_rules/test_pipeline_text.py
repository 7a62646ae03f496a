"""The text of pipelines: names that it can spell, and strings and lists in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passgen_rules.pipeline_text import (
    PipelineTextError,
    Span,
    TextSlice,
    is_name,
    is_option_name,
    list_text,
    parse_elements,
    parse_options,
    quote,
    split_list,
    text_of,
)

NAMES = [
    "cse",
    "tile-loops",
    "a.b-c",
    "A1",
    "1.a",
    "a_b",
    "a*b`c_",
    "ä",
    "a/b",
    "a:b",
    "a<b>",
]
NO_NAMES = ["", " ", "a b", "a\tb", "a(", "a)", "a,b", "a{", "a}", "a=b", "'a'", 'a"']
CHARACTERS = "ab ,='\"{}[]()\\$\n\t\r\0\x1f\u00e9\u2028\U0001f600-<`"
hostile = st.text(st.sampled_from(CHARACTERS), max_size=8) | st.text(max_size=8)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_parsed_as_such(name: str) -> None:
    (element,) = parse_elements(f"{name}{{{name}=1}}").elements

    assert is_name(name)
    assert is_option_name(name)
    assert element.name == name
    assert [option.key for option in element.options] == [name]


@pytest.mark.parametrize("text", NO_NAMES)
def test_another_text_is_no_name(text: str) -> None:
    assert not is_name(text)
    assert not is_option_name(text)


@pytest.mark.parametrize("bracket", "[]")
def test_a_bracket_is_part_of_a_name_but_of_no_option(bracket: str) -> None:
    assert is_name(f"a{bracket}")
    assert not is_option_name(f"a{bracket}")


@given(hostile)
def test_a_string_comes_back(text: str) -> None:
    assert text_of(TextSlice.of(quote(text))) == text


@given(st.lists(hostile, max_size=3))
def test_a_list_of_strings_comes_back(texts: list[str]) -> None:
    (option,) = parse_options(f"o={list_text(map(quote, texts))}")

    assert option.value is not None
    assert list(map(text_of, split_list(option.value))) == texts


@pytest.mark.parametrize(
    ("text", "message", "span", "notes"),
    [
        ("cse)", "encountered extra closing ')' creating unbalanced parentheses while parsing pipeline", Span(3, 4), ()),
        ("any(cse", "encountered unbalanced parentheses while parsing pipeline", Span(7, 8), ("'any(' is not closed",)),
        ("a{b=c", "missing closing '}' while processing pass options", Span(1, 2), ()),
        ("a{b} c", "expected ',' after parsing pipeline", Span(5, 6), ()),
    ],
)  # fmt: skip
def test_a_mistake_has_a_place(
    text: str, message: str, span: Span, notes: tuple[str, ...]
) -> None:
    with pytest.raises(PipelineTextError) as caught:
        parse_elements(text)

    error = caught.value
    assert (error.message, error.text, error.span) == (message, text, span)
    assert error.notes == notes
    assert str(error) == message
