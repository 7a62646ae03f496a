"""The normal layout of specs changes indentation and blanks, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from passgen.diagnostics import SpecError
from passgen.source import SourceFile
from passgen.spec import layout, loader
from passgen.spec.located import plain

ROOT = Path(__file__).parents[3]
SPECS = sorted(
    path
    for pattern in ("specs/*.yaml", "tests/tablegen/*.yaml", "tests/passgen/**/*.yaml")
    for path in ROOT.glob(pattern)
)
DUMPED = sorted(Path(__file__).with_name("dumped").glob("*.yaml"))

TEXTS = st.lists(
    st.sampled_from(
        ["\n", "\n\n", " ", "  a", "b c d e f g", "# h", "- x", '"', "\\", "'"]
    )
).map("".join)
DATA = st.dictionaries(
    TEXTS,
    st.recursive(
        TEXTS,
        lambda inner: st.lists(inner, max_size=3)
        | st.dictionaries(TEXTS, inner, max_size=3),
        max_leaves=8,
    ),
    min_size=1,
)

CASES = {
    "two spaces a level": ("a:\n    b:\n        c: 1\n", "a:\n  b:\n    c: 1\n"),
    "a list stands right of its key": ("a:\n- b\n- c\n", "a:\n  - b\n  - c\n"),
    "one space after a dash": ("a:\n  -   b: 1\n      c: 2\n", "a:\n  - b: 1\n    c: 2\n"),
    "lists in lists": ("a:\n- -  b\n  - c\n", "a:\n  - - b\n    - c\n"),
    "comments go along": (
        "# a\na:\n    # b\n    b: 1  # c\n    # d\n# e\nc: 2\n",
        "# a\na:\n  # b\n  b: 1  # c\n  # d\n# e\nc: 2\n",
    ),
    "the last comment": ("a:\n    b: 1\n    # c\n", "a:\n  b: 1\n  # c\n"),
    "a hash in a text": ("a: |\n    # b\n     c\nd: '#'\n", "a: |\n  # b\n   c\nd: '#'\n"),
    "texts of several lines": (
        "a:\n    b: |\n          c\n\n            d\n    e: >-\n     f\n",
        "a:\n  b: |\n    c\n\n      d\n  e: >-\n    f\n",
    ),
    "a text that says its indentation": ("a:\n    b: |2\n        c\n", "a:\n  b: |2\n      c\n"),
    "blanks at the end of a text": ("a:\n    b: |2-\n        c\n       \nd: 1\n", "a:\n  b: |2-\n      c\n     \nd: 1\n"),
    "blanks inside a text": ("a: |\n   b  \n   \n\n\n   c\n", "a: |\n  b  \n  \n\n\n  c\n"),
    "values in brackets": (
        "a:\n    b: [1,\n        2]\n    c: {d: 1,\n\n        e: 2}\n",
        "a:\n  b: [1,\n      2]\n  c: {d: 1,\n\n      e: 2}\n",
    ),
    "quoted lines": ('a:\n    b: "c\n      d"\n', 'a:\n  b: "c\n    d"\n'),
    "blank lines in quotes": (
        'a:\n    b: "c \n\n   \n      # d\\ \n\n\n      # e"  \n\n\n    f: 1\n',
        'a:\n  b: "c \n\n\n    # d\\ \n\n\n    # e"\n\n  f: 1\n',
    ),
    "blank lines in a plain text": ("a:\n    b: c\n\n\n      d\n", "a:\n  b: c\n\n\n    d\n"),
    "a comment at no entry's column": (
        "a:\n    b: 1\n  # c\n    d: 1\n  # e\n",
        "a:\n  b: 1\n  # c\n  d: 1\n# e\n",
    ),
    "blank lines that a text keeps": ("a:\n    b: |+\n        c\n\n\n\n    d: 1\n", "a:\n  b: |+\n    c\n\n\n\n  d: 1\n"),
    "a text without a line end": ("a:\n    b: |\n        c", "a:\n  b: |\n    c"),
    "long keys": ("a:\n    ? b\n    :   - 1\n        - 2\n", "a:\n  ? b\n  : - 1\n    - 2\n"),
    "blank lines": ("\n\na: 1\n\n\n\nb: 2   \n\n", "a: 1\n\nb: 2\n"),
    "line ends": ("a: 1\r\nb: 2", "a: 1\nb: 2\n"),
    "anchors": ("a: &x\n    - 1\nb: *x\n", "a: &x\n  - 1\nb: *x\n"),
}  # fmt: skip


def laid_out(text: str) -> str:
    return layout(SourceFile("a.yaml", text))


@pytest.mark.parametrize("name", CASES)
def test_layout(name: str) -> None:
    given, expected = CASES[name]

    assert laid_out(given) == expected
    assert laid_out(expected) == expected


@pytest.mark.parametrize("path", SPECS, ids=lambda path: str(path.relative_to(ROOT)))
def test_layout_changes_no_meaning_and_is_done_once(path: Path) -> None:
    text = path.read_bytes().decode("utf-8", "replace")
    try:
        before = repr(plain(loader.load(SourceFile("a.yaml", text))))
    except SpecError:
        return
    once = laid_out(text)

    assert repr(plain(loader.load(SourceFile("a.yaml", once)))) == before
    assert laid_out(once) == once
    assert [each for each in once.split() if each == "#"] == [
        each for each in text.split() if each == "#"
    ]


@given(
    DATA,
    st.sampled_from((2, 4, 7)),
    st.sampled_from((20, 80)),
    st.sampled_from((None, "'", '"', "|", ">")),
)
@settings(deadline=None)
def test_output_of_pyyaml_is_laid_out(
    data: dict[str, object], indent: int, width: int, style: str | None
) -> None:
    text = yaml.safe_dump(data, indent=indent, width=width, default_style=style)
    try:
        before = repr(plain(loader.load(SourceFile("a.yaml", text))))
    except SpecError:
        return
    once = laid_out(text)

    assert repr(plain(loader.load(SourceFile("a.yaml", once)))) == before
    assert laid_out(once) == once


@pytest.mark.parametrize("path", DUMPED, ids=lambda path: path.stem)
def test_files_that_other_tools_write_are_laid_out(
    path: Path, golden: Callable[[Path, str], None]
) -> None:
    """`dumped` has one spec as PyYAML, ruamel.yaml and prettier write it."""
    text = path.read_text("utf-8")
    once = laid_out(text)

    golden(path.with_suffix(".formatted"), once)
    before = plain(loader.load(SourceFile("a.yaml", text)))
    assert plain(loader.load(SourceFile("a.yaml", once))) == before
    assert laid_out(once) == once


def test_the_layout_of_any_indentation_is_stable() -> None:
    draw = random.Random(0)  # noqa: S311 - no secret
    text = (ROOT / "specs/affine.yaml").read_text("utf-8")
    for _ in range(20):
        factor = draw.randrange(1, 5)
        wider = "\n".join(
            " " * (factor * (len(line) - len(line.lstrip(" ")))) + line.lstrip(" ")
            for line in text.split("\n")
        )
        try:
            loader.load(SourceFile("a.yaml", wider))
        except SpecError:  # dashes and what follows them have come apart
            continue
        assert laid_out(laid_out(wider)) == laid_out(wider)
