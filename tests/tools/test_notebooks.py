"""The result of a run in the cell of a notebook, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from passgen_rules.code_colors import PALETTE
from passgen_runtime import OperationPass, PassOptions
from passgen_tools import run
from tests.browser import PHONE

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [
    pytest.mark.browser,
    pytest.mark.parametrize("page", [PHONE], indirect=True, ids=["phone"]),
]


class Complain(OperationPass[PassOptions]):
    argument = "complain"

    def run_on_operation(self) -> None:
        self.emit_warning("a" * 200)


@pytest.mark.parametrize(
    ("body", "system", "is_dark"),
    [
        ("", "light", False),
        ("", "dark", True),
        ('data-jp-theme-light="false"', "light", True),
        ('data-jp-theme-light="true"', "dark", False),
        ('class="vscode-dark"', "light", True),
        ('class="vscode-light"', "dark", False),
    ],
)
def test_a_run_is_as_light_as_the_notebook(
    page: Page,
    tmp_path: Path,
    body: str,
    system: Literal["light", "dark"],
    is_dark: bool,  # noqa: FBT001 - a column
) -> None:
    notebook = tmp_path / "notebook.html"
    html = run("func.func(cse)", "func.func @f() { return }")._repr_html_()
    notebook.write_text(f"<!doctype html><body {body}>{html}", encoding="utf-8")
    page.emulate_media(color_scheme=system)
    page.goto(notebook.as_uri())

    variable = "getComputedStyle(document.querySelector('pre')).getPropertyValue"
    for name in ("ground", "value"):
        assert page.evaluate(f"{variable}('--{name}')") == PALETTE[name][is_dark]


def test_long_messages_scroll_inside_of_a_run(page: Page, tmp_path: Path) -> None:
    notebook = tmp_path / "notebook.html"
    html = run([Complain()], "module {}")._repr_html_()
    notebook.write_text(f"<!doctype html><body>{html}", encoding="utf-8")
    page.goto(notebook.as_uri())

    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= page.evaluate("window.innerWidth")
