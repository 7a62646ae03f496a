"""The styles of Pygments have the colours of reports."""

from __future__ import annotations

import pytest

from passgen.passgen_rules.code_colors import CODE_COLORS, CODE_GROUNDS, PALETTE
from passgen.site import DarkStyle, LightStyle


@pytest.mark.parametrize(("style", "mode"), [(LightStyle, 0), (DarkStyle, 1)])
def test_code_on_pages_has_colours_of_the_palette_alone(
    style: type[LightStyle | DarkStyle], mode: int
) -> None:
    texts, grounds = (
        {PALETTE[name][mode].removeprefix("#") for name in names}
        for names in ((*CODE_COLORS, "quiet", "failed"), CODE_GROUNDS)
    )

    assert style.background_color.removeprefix("#") in grounds
    assert {token["color"] for _, token in style} <= texts
    assert {token["bgcolor"] for _, token in style} <= {*grounds, None}
    assert len({token["color"] for _, token in style}) > len(CODE_COLORS)
