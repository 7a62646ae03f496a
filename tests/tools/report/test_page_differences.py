"""The differences that a page shows: those of `--mlir-print-ir-diff`."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

from passgen_runtime.passes.cse import CSE
from passgen_tools.ir_diff import ir_diff
from passgen_tools.record import record
from passgen_tools.report import html_page, report_data
from tests.cases.reader import read_cases
from tests.recording import Session

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

FUNCTION = """\
func.func @f(%x: i32) -> i32 {
  %0 = arith.muli %x, %x : i32
  %1 = arith.muli %x, %x : i32
  %2 = arith.addi %0, %x : i32
  %3 = arith.subi %2, %x : i32
  %4 = arith.addi %3, %1 : i32
  func.return %4 : i32
}
"""

CHANGED_LINES = """(pairs) => pairs.map(([before, after]) => {
  const split = (text) => text.replace(/\\n$/, "").split("\\n");
  const old = split(before), now = split(after), { lines, edits } = matchIR(old, now);
  return edits.filter(([kind]) => kind !== "same")
    .map(([kind, i, j]) => (kind === "removed" ? `-${lines[i]}` : `+${now[j]}`));
})"""


@pytest.fixture
def report(browser: Browser, tmp_path: Path) -> Page:
    """Show the page of a run of `cse`."""
    session = Session(FUNCTION)
    session.manager.nest("func.func").add_pass(CSE())
    with record(session.manager, tmp_path / "run.db"):
        session.run()
    file = tmp_path / "run.html"
    data = report_data(tmp_path / "run.db")
    file.write_text(html_page(data, "run"), encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    page.wait_for_selector("body[data-ready]")
    return page


def changed_lines(before: str, after: str) -> list[str]:
    lines = ir_diff(before, after).splitlines()
    return [line for line in lines if line[0] in "-+"]


def test_a_page_holds_the_cases_of_the_diff(report: Page) -> None:
    cases = read_cases("ir_diffs")
    shown = report.evaluate(
        CHANGED_LINES, [(case["before"], case["after"]) for case in cases]
    )

    for case, lines in zip(cases, shown, strict=True):
        assert lines == case["changed"], case["name"]


def test_a_page_and_the_diff_agree_on_any_texts(report: Page) -> None:
    random = Random(0)  # noqa: S311 - of test data
    pairs = [random_pair(random) for _ in range(200)]
    shown = report.evaluate(CHANGED_LINES, pairs)

    for pair, lines in zip(pairs, shown, strict=True):
        assert lines == changed_lines(*pair)


def random_pair(random: Random) -> tuple[str, str]:
    """Return a text of blocks with operations, and a changed form of it."""
    num_lines = random.randint(0, 60)
    lines = [
        (random.choice("abcd"), random.randrange(number + 1), random.randrange(3))
        for number in range(num_lines)
    ]
    others = list(lines)
    for _ in range(random.randint(0, 8)):
        place = random.randint(0, len(others))
        match random.randrange(3):
            case 0:
                del others[place : place + random.randint(1, 3)]
            case 1:
                others[place:place] = random.sample(lines, min(2, num_lines))
            case _:
                moved = others[place : place + 2]
                others[place : place + 2] = []
                others[:0] = moved
    return printed(lines), printed(others)


def printed(lines: list[tuple[str, int, int]]) -> str:
    """Return lines of an operation, an operand and a form as IR."""
    text = ["func.func @f(%x: i32) {"]
    for number, (name, operand, form) in enumerate(lines):
        used = f"%{operand}" if operand < number else "%x"
        text += {
            0: [f"  %{number} = t.{name} %x, {used}"],
            1: [f"  t.{name} {used}", f"  %{number} = t.a"],
            2: [f"  cf.br ^bb{number}({used})", f"^bb{number}(%{number}: i32):"],
        }[form]
    return "\n".join([*text, "}", ""])


def test_a_line_that_is_numbered_anew_is_shown_as_equal(report: Page) -> None:
    assert changes_of(report) == [
        ("removed", "%old_1 = arith.muli %x, %x : i32"),
        ("removed", "%3 = arith.addi %2, %old_1 : i32"),
        ("added", "%3 = arith.addi %2, %0 : i32"),
    ]
    equal = report.locator("#detail tr[class='']").all_inner_texts()
    assert "%2 = arith.subi %1, %x : i32" in [line.strip() for line in equal]


def test_the_name_of_a_removed_value_leads_to_its_history(report: Page) -> None:
    report.click("#detail tr.removed .value:text-is('%old_1')")

    assert report.input_value("#text") == "%1"


def changes_of(page: Page) -> list[tuple[str | None, str]]:
    """Return the changed lines in the detail, each with its kind."""
    rows = page.locator("#detail tr.removed, #detail tr.added").all()
    return [
        (row.get_attribute("class"), row.locator("td.code").inner_text().strip())
        for row in rows
    ]
