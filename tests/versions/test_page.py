"""The page of `make versions`."""

from __future__ import annotations

import pytest

from tests.versions import page
from tests.versions.environments import TRIALS, Trial

TORCH = Trial("torch-mlir", "mlir:torch_mlir")
CIRCT = Trial("circt", "mlir:circt")
XDSL = Trial("xdsl", "xdsl", "==0.74.*")

NAMES = (
    *("Python pass", "native passes", "patterns", "forms", "statistics"),
    "reproducers",
)
RAN = dict.fromkeys(NAMES, "")
VERSIONS = {"version": "1.0", "python": "3.11.7", "found": True}


def row_of(text: str, start: str) -> list[str]:
    """Return the cells of the row that begins with `start`."""
    (line,) = [line for line in text.splitlines() if line.startswith(f"| {start}")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_what_ran_is_a_row() -> None:
    result = {**VERSIONS, "trials": RAN, "passes": {"22": "5 of 9", "24": "6 of 8"}}

    text = page.page([(TORCH, result), (XDSL, result)], "2026-11-28")

    assert "on 2026-11-28." in text
    assert row_of(text, "`torch-mlir`") == [
        *("`torch-mlir`", "1.0", "3.11.7", "`mlir:torch_mlir`", *["yes"] * 7),
        *("5 of 9", "6 of 8"),
    ]
    assert row_of(text, "`xdsl`") == ["`xdsl`", "1.0", "3.11.7", *["yes"] * 6]
    assert "What is missing" not in text


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (
            {**VERSIONS, "trials": {**RAN, "patterns": "PipelineError: no PDL\nnote"}},
            "- `circt` 1.0, patterns: PipelineError: no PDL\n",
        ),
        (
            {**VERSIONS, "error": "it lacks Operation.walk\nnote: install another"},
            "- `circt` 1.0: it lacks Operation.walk\n",
        ),
        ({"error": "ERROR: /home/me/a.so: bad"}, "- `circt` : ERROR: a.so: bad\n"),
    ],
)
def test_what_is_missing_has_its_reason(result: dict[str, object], reason: str) -> None:
    text = page.page([(CIRCT, result)], "2026-11-28")

    assert f"What is missing:\n\n{reason}" in text
    assert "no" in row_of(text, "`circt`")


def test_the_page_has_each_package_that_is_tried() -> None:
    text = page.PAGE.read_text(encoding="utf-8")

    for trial in TRIALS:
        assert f"| `{trial.distribution}` |" in text


def test_the_page_has_the_names_of_the_table() -> None:
    """`make versions` renews it, or this section alone can be copied."""
    assert "\n".join(page.names_section()) in page.PAGE.read_text(encoding="utf-8")
