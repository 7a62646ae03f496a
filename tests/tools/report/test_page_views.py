"""Views of a page that show more than changes: remarks, threads and workers."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from passgen_tools.report import report_data
from tests.browser import DESK, PHONE
from tests.tools.report.recorded_runs import (
    HOSTILE,
    recorded,
    recorded_fixed_point,
    recorded_many,
    recorded_moving,
    recorded_variant,
    with_remarks,
)
from tests.tools.report.test_report_page import opened

if TYPE_CHECKING:
    from playwright.sync_api import Page

MINUS = "\N{MINUS SIGN}"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.parametrize("page", [DESK], indirect=True, ids=["desk"]),
]

REMARKS = [
    ("passed", "unroll", "unrolled", "@f"),
    ("missed", "unroll", "trip count", "@f"),
    ("missed", "unroll", "trip count", "@unused"),
    ("missed", "tile", HOSTILE, "@g"),
]


def test_missed_remarks_are_counted_by_reason(page: Page, tmp_path: Path) -> None:
    path = with_remarks(recorded(tmp_path / "run.db"), *REMARKS)
    shown = opened(page, tmp_path, path)
    shown.click("[data-view=remarks]")

    headings = shown.locator("#remarks h2").all_inner_texts()
    assert headings == ["Missed: 3", "Passed: 1"]
    summaries = shown.locator("#remarks summary").all_inner_texts()
    assert [" ".join(text.split())[:20] for text in summaries] == [
        "2 unroll trip count",
        "1 tile </script><scr",
        "1 unroll unrolled",
    ]


def test_a_long_reason_leaves_room_for_others(page: Page, tmp_path: Path) -> None:
    remarks = ("missed", "p", "x" * 50_000, "@f"), ("missed", "p", "short", "@f")
    path = with_remarks(recorded(tmp_path / "run.db"), *remarks)
    shown = opened(page, tmp_path, path)
    shown.click("[data-view=remarks]")
    assert shown.locator("#remarks summary").last.is_visible()
    assert shown.locator("#remarks").evaluate(
        "view => view.scrollHeight <= view.clientHeight"
    )


def test_a_remark_leads_to_its_pass(page: Page, tmp_path: Path) -> None:
    path = with_remarks(recorded(tmp_path / "run.db"), *REMARKS)
    # The second call of a pass changed nothing, and is not in the list of changes.
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE remark SET execution_id = 2")
    shown = opened(page, tmp_path, path, place="#view=remarks")
    link = shown.locator("#remarks details[open] .link >> nth=1")
    unfolded = shown.inner_text("#remarks details[open] >> nth=0")
    link.click()

    assert "Do." in unfolded
    assert "in.mlir:3:5" in unfolded
    assert shown.inner_text("#detail h2") == "canonicalize on @f"
    assert "in.mlir:3:5: missed: a reason" in shown.inner_text("#detail")
    row = shown.locator("#passes .row.pass", has_text="canonicalize")
    assert "did nothing, 3 unchanged, 3 missed" in row.inner_text()


@pytest.mark.parametrize(("count", "num_open"), [(9, 1), (10, 0)])
def test_few_remarks_are_shown_without_a_click(
    page: Page, tmp_path: Path, count: int, num_open: int
) -> None:
    remarks = [("missed", "unroll", "trip count", "@f")] * count
    path = with_remarks(recorded(tmp_path / "run.db"), *remarks)
    shown = opened(page, tmp_path, path, place="#view=remarks")
    assert shown.locator("#remarks details[open]").count() == num_open
    assert shown.locator("#remarks .remark:visible").count() == num_open * count

    shown.click("#remarks summary")  # unfolds, or folds
    assert shown.locator("#remarks details[open]").count() == 1 - num_open
    shown.wait_for_selector(
        "#remarks .remark", state="hidden" if num_open else "visible"
    )
    assert shown.locator("#remarks .remark").count() == count


def test_remarks_of_two_runs_are_counted_for_each(page: Page, tmp_path: Path) -> None:
    old = with_remarks(recorded(tmp_path / "a.db"), *REMARKS)
    new = with_remarks(recorded_variant(tmp_path / "b.db"), *REMARKS[:2])
    shown = opened(page, tmp_path, old, new)
    shown.click("[data-view=remarks]")

    summary = shown.locator("#remarks summary").first
    assert " ".join(summary.inner_text().split()) == "A 2, B 1 unroll trip count"


def test_without_remarks_there_is_no_view(page: Page, tmp_path: Path) -> None:
    shown = opened(page, tmp_path, recorded(tmp_path / "run.db"))

    assert shown.locator("[data-view=remarks]").is_hidden()


def test_a_skipped_pass_says_so(page: Page, tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE execution SET status = 'skipped' WHERE id = 2")
    shown = opened(page, tmp_path, path, place="#execution=1")

    assert "skipped" in shown.inner_text("#detail")
    row = shown.locator("#passes .row.operation[aria-selected=true]")
    assert "skipped" in row.inner_text()
    assert "unchanged" in str(row.get_attribute("class"))


def test_threads_and_workers_have_lanes(page: Page, tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        # In the order of time, which is drawn from left to right.
        connection.execute(
            "UPDATE execution SET thread = -(id % 2), begin_s = id, end_s = id + 0.5"
        )
    shown = opened(page, tmp_path, path, place="#view=time")

    assert shown.locator(".lane-name").all_inner_texts() == ["thread 0", "worker 1"]
    titles = [
        each.get_attribute("title") or ""
        for each in shown.locator(".lane").nth(1).locator("button").all()
    ]
    assert titles[0].startswith("cse on @f: 500.0 ms, from 1.00 s on")
    assert len(titles) == 5
    shown.locator(".lane button").first.click()
    assert shown.inner_text("#detail h2") == "canonicalize on @f"


def test_a_page_knows_when_passes_have_begun(page: Page, tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db")
    shown = opened(page, tmp_path, path)

    begins = shown.evaluate("page.record.data.executions.beginS")
    assert begins == report_data(path)["executions"]["beginS"]


def test_short_passes_are_one_block_that_widens(page: Page, tmp_path: Path) -> None:
    path = recorded_many(tmp_path / "run.db", 40)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE execution SET begin_s = id * 1e-3, end_s = id * 1e-3 + 5e-4"
        )
        connection.execute("UPDATE execution SET end_s = 100 WHERE id = 40")
    shown = opened(page, tmp_path, path, place="#view=time")

    assert shown.locator(".lane button").count() == 2
    shown.locator(".lane button").first.click()
    assert shown.locator(".lane button").count() == 40
    shown.click("text=the whole time")
    assert shown.locator(".lane button").count() == 2


def test_nothing_is_wider_than_the_window(page: Page, tmp_path: Path) -> None:
    path = with_remarks(recorded(tmp_path / "run.db"), *REMARKS)
    shown = opened(page, tmp_path, path)

    shown.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    for view in ("history", "remarks", "time"):
        shown.click(f"[data-view={view}]")
        width = shown.evaluate("document.documentElement.scrollWidth")
        assert width <= PHONE["width"]
        width = shown.evaluate(f"document.querySelector('#{view}').scrollWidth")
        assert width <= PHONE["width"]


def operations_table(page: Page, at: int = 0) -> list[list[str]]:
    """Return the texts of a table of operations by passes, row by row."""
    rows = page.locator("table.operations").nth(at).locator("tr").all()
    return [row.locator("th, td").all_inner_texts() for row in rows]


def test_history_begins_with_the_operations_that_passes_created_and_erased(
    page: Page, tmp_path: Path
) -> None:
    shown = opened(page, tmp_path, recorded(tmp_path / "run.db"))
    shown.click("[data-view=history]")

    assert operations_table(shown) == [
        ["operation", "before", "cse", "symbol-dce", "after"],
        ["arith.addi", "2", f"{MINUS}1", "", "1"],
        ["arith.muli", "1", "", "", "1"],
        ["builtin.module", "1", "", "", "1"],
        ["func.func", "3", "", f"{MINUS}1", "2"],
        ["func.return", "2", "", "", "2"],
    ]


def test_a_count_leads_to_its_pass_and_a_name_to_its_history(
    page: Page, tmp_path: Path
) -> None:
    shown = opened(page, tmp_path, recorded(tmp_path / "run.db"))
    shown.click("[data-view=history]")
    shown.click(f"table.operations >> text={MINUS}1 >> nth=1")
    assert shown.inner_text("#detail h2") == "symbol-dce on builtin.module"

    shown.click("[data-view=history]")
    shown.click("table.operations >> text=arith.addi")
    assert "cse changed how often it occurs" in shown.inner_text("#found")
    assert shown.locator("table.operations").count() == 0


def test_what_a_pass_did_in_several_operations_is_one_count(
    page: Page, tmp_path: Path
) -> None:
    shown = opened(page, tmp_path, recorded_moving(tmp_path / "run.db"))
    shown.click("[data-view=history]")

    _, constant, *_ = operations_table(shown)
    assert constant == ["arith.constant", "2", f"+3 {MINUS}1", "4"]
    cell = shown.locator("table.operations td .link[title]", has_text="+3")
    assert cell.get_attribute("title") == "in 3 operations, first in @f"


def test_passes_that_a_pass_runs_itself_are_counted_once(
    page: Page, tmp_path: Path
) -> None:
    shown = opened(page, tmp_path, recorded_fixed_point(tmp_path / "run.db"))
    shown.click("[data-view=history]")

    head, addi, *_ = operations_table(shown)
    assert head == ["operation", "before", "cse", "after"]
    assert addi == ["arith.addi", "2", f"{MINUS}1", "1"]


def test_two_runs_have_a_table_each(page: Page, tmp_path: Path) -> None:
    records = recorded(tmp_path / "a.db"), recorded_variant(tmp_path / "b.db")
    shown = opened(page, tmp_path, *records)
    shown.click("[data-view=history]")

    headings = shown.locator("#found h3").all_inner_texts()
    assert [heading[:2] for heading in headings] == ["A:", "B:"]
    assert operations_table(shown, 1)[0] == ["operation", "before", "cse", "after"]


LINES = {
    "  %0, %1:2 = scf.for %i = %a to %b {": "scf.for",
    '"test.op"() ({': "test.op",
    "func.func @f() {": "func.func",
    "module {": "module",
    "return %0 : i32": "return",
    "rewrite %0 {": "rewrite",  # the dialect PDL prints its operations so
    "} else {": None,
    "case 1 {": None,
    "default {": None,
    "^bb0(%x: i32):": None,
    "// a comment": None,
    "#map = affine_map<(d0) -> (d0)>": None,
    "": None,
}


def test_a_line_of_ir_may_begin_an_operation(page: Page, tmp_path: Path) -> None:
    shown = opened(page, tmp_path, recorded(tmp_path / "run.db"))

    names = shown.evaluate("lines => lines.map(operationName)", [*LINES])
    assert dict(zip(LINES, names, strict=True)) == LINES


CHANGED_LINES = [
    ("%0 = arith.addi %a, %b : i32", "%0 = arith.addi %a, %a : i32", "operand 2"),
    ("test.op %a, %b : i32", "test.op %b, %a : i32", "operands 1, 2"),
    ("test.op(%a, %b)", "test.op(%a)", "operands: 2 → 1"),
    ("arith.addi %a, %b : i32", "arith.subi %a, %a : i32", ""),
    ("%0 = test.op %a : i32", "%0 = test.op %a : i64", "type"),
    ("scf.for %i = %a to %b {", "scf.for %i = %a to %c {", "operand 2"),
    (
        "func.func @g(%x: i32) {",
        'func.func @g(%y: i32) attributes {"planted" = "a, {b}", unit} {',
        "attribute planted added, attribute unit added",
    ),
    (
        '"t.op"() <{map = affine_map<(i) -> (i)>, by = [1, 2], gone}> ({',
        '"t.op"() <{map = affine_map<(i) -> (i + 1)>, by = [1, 3]}> ({',
        "attribute map, attribute by, attribute gone removed",
    ),
    ("affine.for %i = 0 to 16 {", "affine.for %i = 0 to 16 step 4 {", ""),
    ("} else {", "} {", ""),
]


def test_a_difference_names_operands_and_attributes(page: Page, tmp_path: Path) -> None:
    shown = opened(page, tmp_path, recorded(tmp_path / "run.db"))

    pairs = [[old, now] for old, now, _ in CHANGED_LINES]
    script = "pairs => pairs.map(([old, now]) => changedParts(old, now).join(', '))"
    assert shown.evaluate(script, pairs) == [parts for *_, parts in CHANGED_LINES]


@pytest.mark.parametrize("mode", ["inline", "side by side"])
def test_changed_parts_are_named_beside_the_new_line(
    page: Page, tmp_path: Path, mode: str
) -> None:
    shown = opened(page, tmp_path, recorded(tmp_path / "run.db"))
    shown.click(f"text={mode}")

    (changed,) = shown.locator("#detail td[data-parts]").all()
    assert changed.get_attribute("data-parts") == "operand 2"
    # It is no part of the text, so that it is not copied.
    assert changed.inner_text().strip() == "%1 = arith.muli %0, %0 : i32"
