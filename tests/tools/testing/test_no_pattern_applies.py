"""`assert_no_pattern_applies` names the pattern that applies."""

from __future__ import annotations

import pytest

from passgen_runtime.context import Context
from passgen_runtime.errors import IRError
from passgen_tools.ir_libraries import find_ir_library
from passgen_tools.testing import assert_no_pattern_applies
from tests.passes_to_cover import SOURCE, TWICE, Reduce

THRICE = TWICE.replace("constant 2", "constant 3")
NO_PRODUCT = TWICE.replace("muli", "addi")


@pytest.fixture(params=["xdsl", pytest.param("mlir", marks=pytest.mark.bindings)])
def context(request: pytest.FixtureRequest) -> Context:
    library = find_ir_library(request.param)
    assert library is not None
    return library.context()


def test_ir_that_no_pattern_matches_is_fine(context: Context) -> None:
    assert_no_pattern_applies(Reduce, THRICE, context)


def test_the_pattern_that_applies_is_named_with_the_difference(
    context: Context,
) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_no_pattern_applies(Reduce, TWICE, context)

    text = str(caught.value)
    assert text.startswith(f"pattern 'mulToAdd' at {SOURCE}:7 applies\n--- expected\n")
    assert "-    %0 = arith.muli" in text
    assert "+    %0 = arith.addi" in text
    assert "mulByOne" not in text


def test_a_pattern_that_is_disabled_does_not_apply(context: Context) -> None:
    pass_ = Reduce(disabled_patterns=["mulToAdd"])

    assert_no_pattern_applies(pass_, TWICE, context)


def test_ir_from_which_no_pattern_starts_proves_nothing(context: Context) -> None:
    with pytest.raises(AssertionError) as caught:
        assert_no_pattern_applies(Reduce, NO_PRODUCT, context)

    assert str(caught.value) == (
        "no pattern of 'reduce' starts from an operation of the IR: arith.muli, "
        "arith.subi"
    )


def test_a_pass_without_an_enabled_pattern_proves_nothing() -> None:
    names = [pattern.name for pattern in Reduce.patterns]

    with pytest.raises(AssertionError, match="IR: no pattern is enabled"):
        assert_no_pattern_applies(Reduce(disabled_patterns=names), TWICE)


def test_wrong_ir_is_an_error() -> None:
    with pytest.raises(IRError):
        assert_no_pattern_applies(Reduce, TWICE.replace("muli", "mulli"))
