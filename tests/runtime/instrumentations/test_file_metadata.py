"""The metadata section: what is written is read, and what is there stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passgen_runtime import IRError
from passgen_runtime.instrumentations.file_metadata import (
    append_external_resources,
    external_resources,
    metadata_start,
    quote,
    unquote,
)
from passgen_runtime.instrumentations.reproducer import Reproducer, read_reproducer

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXTS)
def test_strings_round_trip(text: str) -> None:
    assert unquote(quote(text)) == text
    assert "\n" not in quote(text)


@given(TEXTS, st.booleans(), st.booleans())
def test_reproducers_round_trip(
    pipeline: str, disable_threading: bool, verify_each: bool  # noqa: FBT001 - drawn
) -> None:
    made = Reproducer(
        pipeline, disable_threading=disable_threading, verify_each=verify_each
    )
    text = made.append_to(
        '"builtin.module"() ({}) {a = "{-# not this"} : () -> () // {-#'
    )

    assert read_reproducer(text, "r.mlir") == made
    assert read_reproducer(made.append_to(made.append_to("")), "r.mlir") == made


def test_other_resources_stay() -> None:
    text = (
        'm\n\n{-#\n  dialect_resources: {\n    d: {\n      k: "0x00"\n    }\n  }\n#-}\n'
    )
    text = append_external_resources(text, [("one", {"a b": 'x"y', "c": True})])
    text = append_external_resources(
        text, [("two", {"d": False}), ("three", {"e": "1"})]
    )

    assert text == """\
m

{-#
  dialect_resources: {
    d: {
      k: "0x00"
    }
  },
  external_resources: {
    two: {
      d: false
    },
    three: {
      e: "1"
    },
    one: {
      "a b": "x\\22y",
      c: true
    }
  }
#-}
"""


@pytest.mark.parametrize(
    ("section", "error"),
    [
        ("{-# a", "f:1:6: error: expected ':'"),
        ("{-# a:", "f:1:7: error: expected a value"),
        ("{-# : 1 #-}", "f:1:5: error: expected a key"),
        ("{-# a: 1 b", "f:1:10: error: expected ',' or '#-}'"),
        ("{-#\n a: {b: 1 #-}", "f:2:11: error: expected ',' or '}'"),
        ('{-# a: "x', "f:1:8: error: expected a value"),
    ],
)
def test_error_damaged_section(section: str, error: str) -> None:
    with pytest.raises(IRError) as raised:
        external_resources(section, "f")

    assert str(raised.value) == error


@pytest.mark.parametrize(
    "text", ["", "module {}", '"{-#"', "// {-#", 'a "\\"{-#" // {-# \n b']
)
def test_no_section(text: str) -> None:
    assert metadata_start(text) is None
    assert read_reproducer(text, "f") is None
