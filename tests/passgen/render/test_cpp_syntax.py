"""Texts in the raw literals of C++."""

from __future__ import annotations

import re

import pytest

from passgen.cpp import cpp_raw

LITERAL = re.compile(r'R"P[DOS]\((.*?)\)P[DOS]"', re.DOTALL)


@pytest.mark.parametrize("delimiter", ["PD", "PO", "PS"])
@pytest.mark.parametrize(
    "text",
    [
        "plain",
        'x )END" y',
        ')END"',
        ')END")END"',
        ')P)END"',
        ')END" R"END(',
        ")END",
        'END")',
        ')EN"',
    ],
)
def test_a_text_cannot_end_its_literal(text: str, delimiter: str) -> None:
    text = text.replace("END", delimiter)
    code = f'R"{delimiter}({cpp_raw(text, delimiter)}){delimiter}"'

    assert "".join(LITERAL.findall(code)) == text
    assert set(LITERAL.sub("", code)) <= {" "}


def test_other_texts_are_written_as_they_are() -> None:
    assert cpp_raw(')PO" )pd" \n \\', "PD") == ')PO" )pd" \n \\'


def test_spaces_around_a_text_are_left_out() -> None:
    assert cpp_raw(" \v\na b\f\r ", "PD") == "a b"
