"""The report as a value that the cell of a notebook shows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from passgen_tools.report import Report
from tests.tools.report.recorded_runs import recorded

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture
def report(tmp_path: Path) -> Report:
    return Report(recorded(tmp_path / "run.db"))


def test_it_is_the_record_as_plain_data(report: Report) -> None:
    assert repr(report) == f"<Report of '{report.path}': 3 of 10 executions changed>"
    assert [each.operation for each in report.changed] == ["@f", "@g", "builtin.module"]
    assert report.timing["builtin.module/func.func[0]/cse[0]"] > 0
    assert report.statistics["builtin.module/symbol-dce[1]"] == {"num-dce'd": 1}
    (change,) = report.introduced("planted")
    assert (change.operation, change.execution.text) == ("@g", "plant")


def test_no_text_of_the_run_leaves_the_frame(report: Report) -> None:
    shown = report._repr_html_()

    assert shown.startswith('<iframe sandbox="allow-scripts allow-forms"')
    assert shown.count("<") == 2
    assert shown.endswith('"></iframe>')


@pytest.mark.browser
def test_the_page_works_in_a_cell(page: Page, report: Report, tmp_path: Path) -> None:
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html>{report._repr_html_()}", encoding="utf-8")
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(notebook.as_uri())
    cell = page.frame_locator("iframe")

    # The frame may be another process, so its texts are waited for.
    title = "#detail h2:text-is('{}')".format
    cell.locator(title("cse on @f")).wait_for(timeout=10_000)
    cell.locator("#detail h2").click()
    page.keyboard.press("j")
    cell.locator(title("plant on @g")).wait_for(timeout=10_000)
    cell.locator("[data-view=history]").click()
    cell.locator("#text").fill("arith.muli")
    cell.locator("#text").press("Enter")
    cell.locator("#found .link").first.click()
    cell.locator(title("cse on @f")).wait_for(timeout=10_000)
    assert errors == []
    # Its scripts have no access to the notebook around.
    assert page.frames[1].evaluate("window.origin") == "null"
