"""Words of RUN lines."""

from __future__ import annotations

import pytest

from passgen.render.mlir import mlir_word


@pytest.mark.parametrize("text", ["unroll-loops", "loops_opt.py", "a1"])
def test_plain_words_stay_what_they_are(text: str) -> None:
    assert mlir_word(text) == text


@pytest.mark.parametrize("text", ["", "a b", "-a", "a;b", "$x", "a\n"])
def test_error_what_a_shell_would_not_take_as_one_word(text: str) -> None:
    with pytest.raises(ValueError, match="is no plain word of a RUN line"):
        mlir_word(text)
