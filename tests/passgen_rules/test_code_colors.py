"""The colours of code, and the tokens of IR that have them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from passgen_rules.code_colors import (
    CODE_COLORS,
    CODE_GROUNDS,
    IR_TOKENS,
    PALETTE,
    css_variables,
)

TEXTS = (*CODE_COLORS, "accent", "failed", "quiet")
"""The colours of texts. The last three stand on no changed word."""


def luminance(color: str) -> float:
    """Return the relative luminance of `#rrggbb`, as WCAG 2 computes it."""
    values = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4
        for value in values
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def unreadable(mode: int) -> Iterator[str]:
    for text in TEXTS:
        grounds = CODE_GROUNDS if text in CODE_COLORS else CODE_GROUNDS[:2]
        for ground in grounds:
            ratio = contrast(PALETTE[text][mode], PALETTE[ground][mode])
            if ratio < 4.5:
                yield f"{text} on {ground}: {ratio:.2f}"


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_every_text_is_readable_on_every_ground(mode: int) -> None:
    assert list(unreadable(mode)) == []


def test_a_color_in_both_modes_is_a_variable() -> None:
    for name, (light, dark) in PALETTE.items():
        declared = re.findall(rf"--{name}: (#\w+);", css_variables())
        assert declared == [light, dark]


@pytest.mark.parametrize(
    ("line", "colors"),
    [
        ("%0:2 = arith.addi %x, %x#1 : i32", "value op value value type"),
        ("func.func private @f() -> index", "op symbol type"),
        ('"a.b"(%x) {c = "d\\"e"}', "string value string"),
        ("^bb0(%a: memref<4x?xf32, #map>):  // no i32", "symbol value type comment"),
        ("!a.b<(i32) -> tensor<vector<4xi1>>> -2.5e-3", "type"),
        ('@"a b" %', "symbol"),
    ],
)
def test_tokens_of_ir_have_colors(line: str, colors: str) -> None:
    pattern = "|".join(f"({pattern})" for _, pattern in IR_TOKENS)
    found = list(re.finditer(pattern, line))

    assert "".join(match[0] for match in found) == line
    kinds = (IR_TOKENS[(match.lastindex or 0) - 1][0] for match in found)
    assert " ".join(filter(None, kinds)) == colors
