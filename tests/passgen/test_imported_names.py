"""Names that a spec accepts, made of those in a `.td` file."""

from __future__ import annotations

import pytest

from passgen.imported_names import Names, argument, option_argument


@pytest.mark.parametrize(
    ("text", "of_pass", "of_option"),
    [
        ("tile-size", "tile-size", "tile-size"),
        ("tile[size]", "tile[size]", "tile-size"),
        ("tile (size)", "tile-size", "tile-size"),
        ("--tile", "tile", "tile"),
        ("tile-", "tile-", "tile-"),
        ("()", "tile-loops", "tile-loops"),
    ],
)
def test_an_argument_is_one_that_pipelines_can_spell(
    text: str, of_pass: str, of_option: str
) -> None:
    assert argument(text, "tileLoops", Names()) == of_pass
    assert option_argument(text, "tileLoops", Names()) == of_option
