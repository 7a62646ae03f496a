"""Layouts of an enum's values in C++ flags, which repeat none of the values."""

from __future__ import annotations

import pytest

from passgen.cpp import Enumerator, group_records
from passgen.cpp.layouts import enum_layout, with_values
from passgen.source import SourceFile
from passgen.spec import read

VALUES = (Enumerator("Fast", "fast", "In a hurry"), Enumerator("kSlow", "slow", ""))


@pytest.mark.parametrize(
    ("flags", "layout"),
    [
        (
            (
                'cl::values(clEnumValN(M::Fast, "fast", "In a hurry"),\n'
                '           clEnumValN(M::kSlow, "slow", "slow"))'
            ),
            "cl::values(clEnumValN(M::$name, $value, $description),\n           ...)",
        ),
        (
            (
                'cl::values(clEnumValN(M::Fast,\n"fast", "In a hurry"), '
                'clEnumValN(M::kSlow, "slow", "slow"))'
            ),
            (
                "cl::values(clEnumValN(M::$name,\n$value, $description), "
                "clEnumValN(M::$name, $value, $description))"
            ),
        ),
        (
            (
                'cl::values(clEnumValN(M::Fast, "fast", "In a " "hurry"), '
                'clEnumValN(N::Slow, "slow", "not fast"))'
            ),
            (
                'cl::values(clEnumValN(M::$name, $value, "In a " "hurry"), '
                'clEnumValN(N::Slow, $value, "not fast"))'
            ),
        ),
        ("my::modes()", "my::modes()"),
    ],
    ids=["alike", "laid out each", "spelled otherwise", "elsewhere"],
)
def test_a_layout_has_marks_for_what_the_values_say(flags: str, layout: str) -> None:
    assert enum_layout(flags, VALUES) == layout
    assert with_values(layout, VALUES) == flags


def test_a_text_and_a_comment_have_no_marks() -> None:
    flags = 'cl::desc("$name"), /* $value */ R"($description)"'

    assert with_values(flags, VALUES) == flags


def test_a_value_that_is_added_to_the_spec_is_added_to_the_flags() -> None:
    spec = """\
passes:
  A:
    argument: a
    summary: A
    options:
      - name: mode
        argument: mode
        type: enum
        values: [fast, {value: slow, cpp: kSlow}, none]
        cpp:
          type: Mode
          flags: cl::values(clEnumValN(Mode::$name, $value, $description), ...)
"""
    [record] = group_records(read(SourceFile("a.yaml", spec)))

    assert record.options[0].flags == (
        'cl::values(clEnumValN(Mode::Fast, "fast", "fast"), '
        'clEnumValN(Mode::kSlow, "slow", "slow"), '
        'clEnumValN(Mode::None, "none", "none"))'
    )
