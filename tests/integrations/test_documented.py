"""What the page on builds shows of CMake, Meson and make is what the tests build."""

from __future__ import annotations

from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent
PAGE = EXAMPLES.parents[1] / "docs/how-to/build.md"


@pytest.mark.parametrize(
    ("language", "example"),
    [
        ("cmake", "cmake/CMakeLists.txt"),
        ("meson", "meson/meson.build"),
        ("make", "make/Makefile"),
    ],
)
def test_the_page_shows_the_end_of_the_example(language: str, example: str) -> None:
    _, _, block = PAGE.read_text("utf-8").partition(f"```{language}\n")
    shown, _, _ = block.partition("```\n")

    assert shown
    assert (EXAMPLES / example).read_text("utf-8").endswith(f"\n{shown}")
