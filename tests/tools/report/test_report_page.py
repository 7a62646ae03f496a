"""The page of a report in a real browser."""

from __future__ import annotations

import shlex
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from passgen_runtime.passes.canonicalize import Canonicalizer
from passgen_runtime.passes.cse import CSE
from passgen_tools.record import Change, RunRecord, begin_record, record
from passgen_tools.report import html_page, report_data
from tests.recording import Session
from tests.tools.report.recorded_runs import (
    DRIVER,
    HOSTILE,
    changes,
    failed,
    recorded,
    recorded_by_driver,
    recorded_hostile,
    recorded_many,
    recorded_variant,
    refused_by_verifier,
    signalled,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page

NONE = "\N{EN DASH}"

pytestmark = pytest.mark.browser


@pytest.fixture
def report(page: Page, tmp_path: Path) -> Page:
    return opened(page, tmp_path, recorded(tmp_path / "run.db"))


@pytest.fixture
def two_runs(page: Page, tmp_path: Path) -> Page:
    records = recorded(tmp_path / "a.db"), recorded_variant(tmp_path / "b.db")
    return opened(page, tmp_path, *records)


def opened(page: Page, folder: Path, *records: Path, place: str = "") -> Page:
    """Show the report of one record or two, which must ask for no other file."""
    file = folder / "run.html"
    file.write_text(html_page(report_data(*records), HOSTILE), encoding="utf-8")
    address = file.as_uri()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(f"{address}{place}")
    page.wait_for_selector("body[data-ready]")
    assert [each.partition("#")[0] for each in requests] == [address]
    return page


def test_the_first_change_is_shown(report: Page) -> None:
    assert report.inner_text("#detail h2") == "cse on @f"
    removed = report.locator("#detail tr.removed").all_inner_texts()
    assert any("arith.addi" in line for line in removed)
    assert report.locator("#failure").is_hidden()


def test_passes_without_changes_are_folded(report: Page) -> None:
    rows = report.locator("#passes .row.pass").all_inner_texts()

    assert [row.split("\n")[0] for row in rows] == [
        "▾ cse",
        "▸ canonicalize",
        "▸ plant",
        "▸ symbol-dce",
    ]
    assert "did nothing, 3 unchanged" in rows[1]


def test_keys_move_from_change_to_change(report: Page) -> None:
    report.keyboard.press("j")
    assert report.inner_text("#detail h2") == "plant on @g"
    assert "planted an attribute" in report.inner_text("#detail")
    report.keyboard.press("j")
    assert report.inner_text("#detail h2") == "symbol-dce on builtin.module"
    assert report.inner_text("#detail h3") == "@unused, removed"
    report.keyboard.press("k")
    assert report.inner_text("#detail h2") == "plant on @g"


def test_keys_work_after_a_click_on_the_checkbox(report: Page) -> None:
    report.check("#all")
    report.keyboard.press("j")

    assert report.inner_text("#detail h2") == "cse on @unused"


def test_a_filter_keeps_passes_and_operations_of_a_name(report: Page) -> None:
    report.keyboard.press("/")
    report.keyboard.type("@g")

    rows = report.locator("#passes .row:not(.anchor)").all_inner_texts()
    assert [row.split("\n")[0] for row in rows] == ["▾ plant", "@g"]


def test_history_finds_the_planted_pass(report: Page) -> None:
    report.click("[data-view=history]")
    report.fill("#text", "planted")
    report.keyboard.press("Enter")

    assert "plant introduced it" in report.inner_text("#found")
    report.click("#found .link")
    assert report.inner_text("#detail h2") == "plant on @g"


@pytest.mark.parametrize("step", [1, 2, 3, 99])
def test_history_tells_what_the_record_tells(
    page: Page, tmp_path: Path, step: int
) -> None:
    path = recorded(tmp_path / "run.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        # As of a log that does not show the IR before each pass.
        query = "UPDATE execution SET before_id = NULL WHERE id % ?"
        connection.execute(query, (step,))
    record = RunRecord(path)
    shown = opened(page, tmp_path, path)

    for text in ("arith.addi %x", "%0, %0", "planted", "func.return", "@unused", "{"):
        found = shown.evaluate("(text) => page.record.history(text)", text)
        assert events_of(found, "introduced", 0) == events(
            record, record.introduced(text)
        )
        assert events_of(found, "removed", -1) == events(record, record.removed(text))


def events_of(
    history: list[dict[str, Any]], kind: str, at: int
) -> set[tuple[str, int, bool]]:
    """Return the first or last event of a kind in each operation of a history."""
    some = (
        (entry["path"], [each for each in entry["events"] if each["kind"] == kind])
        for entry in history
    )
    return {
        (path, same[at]["index"], same[at]["isCertain"]) for path, same in some if same
    }


def events(record: RunRecord, changes: list[Change]) -> set[tuple[str, int, bool]]:
    return {
        (each.operation, record.executions.index(each.execution), each.is_certain)
        for each in changes
    }


def test_history_of_a_text_that_a_log_does_not_show_before(
    page: Page, tmp_path: Path
) -> None:
    path = recorded(tmp_path / "run.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE execution SET before_id = NULL WHERE pass_id IN"
            " (SELECT id FROM pass WHERE argument IN ('cse', 'plant'))"
        )
    shown = opened(page, tmp_path, path, place="#text=arith.addi %25x, %25x")

    (entry,) = shown.locator("#found .found").all_inner_texts()
    assert entry.split("\n") == ["@f", "first seen after cse"]
    shown.fill("#text", "@g()")
    shown.keyboard.press("Enter")
    (entry,) = shown.locator("#found .found").all_inner_texts()
    assert entry.split("\n") == [
        "@g",
        "first seen after cse",
        "the operation around it was seen changed after plant",
    ]
    shown.click("text=first seen after cse")
    assert shown.inner_text("#detail h2") == "cse on @g"
    selected = shown.inner_text("#passes [aria-selected=true]")
    assert selected.startswith("@g")


def test_a_text_is_last_seen_before_a_pass(page: Page, tmp_path: Path) -> None:
    path = recorded(tmp_path / "run.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        # The second pass on @f did what the first one did.
        connection.execute(
            "UPDATE execution SET before_id = NULL, after_id ="
            " (SELECT after_id FROM execution WHERE id = 1) WHERE id = 2"
        )
        connection.execute("UPDATE execution SET after_id = before_id WHERE id = 1")
    (change,) = RunRecord(path).removed("muli %0, %1")
    assert change.execution.path.endswith("/canonicalize[1]")
    assert not change.is_certain
    shown = opened(page, tmp_path, path, place="#text=muli %250, %251")

    (entry,) = shown.locator("#found .found").all_inner_texts()
    assert entry.split("\n") == ["@f", "last seen before canonicalize"]


def test_a_click_on_a_value_asks_for_its_history(report: Page) -> None:
    report.locator("#detail tr.removed .op").first.click()

    assert report.input_value("#text") == "arith.addi"
    assert "cse changed how often it occurs (2 → 1)" in report.inner_text("#found")


def test_texts_side_by_side_before_and_after(report: Page) -> None:
    report.click("text=side by side")
    assert report.locator("#detail .side td.half.removed").count() > 0
    report.click("#detail >> text=before")
    assert "arith.muli" in report.inner_text("#detail .ir")


def test_a_link_leads_to_an_execution(page: Page, tmp_path: Path) -> None:
    record = recorded(tmp_path / "run.db")
    index = changes(report_data(record))[1]
    shown = opened(page, tmp_path, record, place=f"#execution={index}")

    assert shown.inner_text("#detail h2") == "plant on @g"


def test_times_have_a_chart_and_a_table(report: Page) -> None:
    report.click("[data-view=time]")

    assert report.locator(".flame button").count() == 7
    assert "func.func[0]/cse[0]" in report.inner_text("#time table >> nth=0")


def test_the_command_runs_the_driver_with_the_flags_that_the_pass_needs(
    page: Page, tmp_path: Path
) -> None:
    shown = opened(page, tmp_path, recorded_by_driver(tmp_path / "run.db"))
    shown.evaluate(
        "Object.defineProperty(navigator, 'clipboard', {value:"
        " {writeText: async (text) => { window.copied = text; }}})"
    )

    shown.click("text=copy command")
    shown.wait_for_selector("text=copied")
    assert shlex.split(shown.evaluate("window.copied")) == [
        *DRIVER,
        "before.mlir",
        "--pass-pipeline=builtin.module(cse)",
    ]


def test_a_failed_run_shows_where_it_ended(page: Page, tmp_path: Path) -> None:
    shown = opened(page, tmp_path, failed(tmp_path / "run.db"))

    failure = shown.inner_text("#failure")
    assert "The run failed." in failure
    assert "ValueError: no such loop" in failure
    assert "failed on @g" in failure
    (row,) = shown.locator("#passes .row.pass").all_inner_texts()
    assert row.split("\n")[:2] == ["▾ fail", "failed"]
    # Of the stack: the user's frames and the last one.
    assert "recorded_runs.py" in failure
    assert "pass_manager" not in failure
    shown.click("text=1 frame of the pass manager")
    assert "run_on_operation" in shown.inner_text("#failure")
    shown.click("text=1 error raised because of it")
    assert "pass_manager" in shown.inner_text("#failure")


@pytest.mark.parametrize(
    ("run", "errors"),
    [
        (signalled, ["error: expected a loop", "error: expected tile sizes"]),
        (refused_by_verifier, ["contains empty block"]),
    ],
)
def test_a_failure_without_an_exception_shows_errors_and_no_frames(
    page: Page, tmp_path: Path, run: Callable[[Path], Path], errors: list[str]
) -> None:
    shown = opened(page, tmp_path, run(tmp_path / "run.db"))

    failure = shown.inner_text("#failure")
    assert [error for error in errors if error not in failure] == []
    assert "pass 'fail' failed on 'func.func' operation: @g" in failure
    for word in (
        "Traceback",
        "File ",
        "pass_manager",
        "passgen_runtime",
        "of the pass",
    ):
        assert word not in failure


def test_a_failed_run_opens_where_it_ended(page: Page, tmp_path: Path) -> None:
    shown = opened(page, tmp_path, failed(tmp_path / "run.db"))

    assert shown.inner_text("#detail h2") == "fail on @g"
    shown.click("[data-view=time]")
    shown.click("#failure .link >> nth=0")
    assert shown.inner_text("#detail h2") == "fail on @g"


def test_a_killed_run_has_not_ended(page: Page, tmp_path: Path) -> None:
    record = tmp_path / "run.db"
    recorded(record)
    with closing(sqlite3.connect(record)) as connection, connection:
        connection.execute("UPDATE run SET status = 'running', wall_time_s = NULL")
        connection.execute(
            "UPDATE execution SET status = 'running', end_s = NULL, after_id = NULL"
            " WHERE id = (SELECT max(id) FROM execution)"
        )
    shown = opened(page, tmp_path, record)

    assert shown.inner_text("#run-line").startswith("not ended builtin.module")
    assert shown.inner_text("#detail h2") == "symbol-dce on builtin.module"
    facts = shown.inner_text("#detail dl").split("\n")
    assert facts[facts.index("status") + 1] == "not ended"
    assert facts[facts.index("time") + 1] == NONE
    last = shown.locator("#passes .row.pass").last.inner_text()
    assert last.split("\n") == ["▾ symbol-dce", "not ended", NONE]


def test_the_time_of_all_runs_is_their_sum(page: Page, tmp_path: Path) -> None:
    data = report_data(recorded(tmp_path / "run.db"))
    data["runs"] = [data["runs"][0] | {"wallTimeS": each} for each in (0.5, 2.25)]
    file = tmp_path / "run.html"
    file.write_text(html_page(data, "run"), encoding="utf-8")
    page.goto(file.as_uri())
    page.wait_for_selector("body[data-ready]")
    assert page.inner_text("#run-line").startswith("2 runs in 2.75 s")


def test_a_record_without_a_run_advises_nothing(page: Page, tmp_path: Path) -> None:
    record = tmp_path / "run.db"
    begin_record(record)
    shown = opened(page, tmp_path, record)

    assert shown.inner_text("#run-line").startswith("no run")
    assert "No pass has run" in shown.inner_text("#detail")


def test_back_returns_to_what_was_shown_before_a_click(report: Page) -> None:
    report.keyboard.press("j")
    report.click("[data-view=time]")
    report.click("[data-view=history]")
    report.fill("#text", "planted")
    report.keyboard.press("Enter")
    report.click("#found .found .link")
    assert report.inner_text("#detail h2") == "plant on @g"

    report.go_back()
    report.wait_for_selector("#found .found .link")
    assert report.input_value("#text") == "planted"
    report.go_back()
    report.wait_for_selector("#found .found .link", state="detached")
    report.go_back()
    report.wait_for_selector("#time:visible")
    report.go_back()
    report.wait_for_selector("#detail:visible")
    assert report.inner_text("#detail h2") == "plant on @g"


def test_the_address_names_each_view(report: Page) -> None:
    report.click("[data-view=time]")
    report.reload()
    report.wait_for_selector("#time:visible .flame")
    report.click("[data-view=history]")
    report.fill("#text", "arith.addi")
    report.keyboard.press("Enter")
    report.reload()
    report.wait_for_selector("#found .link")
    assert report.input_value("#text") == "arith.addi"


def test_a_filter_is_used_by_keys_alone(report: Page) -> None:
    report.keyboard.press("/")
    report.keyboard.type("@g")
    assert "The filter hides what was selected" in report.inner_text("#detail")
    report.keyboard.press("Enter")
    assert report.inner_text("#detail h2") == "plant on @g"
    report.keyboard.press("j")  # there is no other row
    assert report.inner_text("#detail h2") == "plant on @g"
    report.keyboard.press("/")
    report.keyboard.press("Escape")
    assert report.input_value("#filter") == ""
    report.keyboard.press("j")
    assert report.inner_text("#detail h2") == "symbol-dce on builtin.module"


@pytest.mark.parametrize("place", [":2", ":2:1"])
def test_a_location_has_a_history(page: Page, tmp_path: Path, place: str) -> None:
    data = report_data(recorded(tmp_path / "run.db"))
    for each in data["operations"]:
        lines = {"@f": 2, "@unused": 20, "@g": 21}
        each["location"] = f"a.mlir:{lines.get(each['path'], 1)}:1"
    file = tmp_path / "run.html"
    file.write_text(html_page(data, "run"), encoding="utf-8")
    page.goto(f"{file.as_uri()}#text=a.mlir{place}")
    page.wait_for_selector("#found .found")

    (found,) = page.locator("#found .found").all_inner_texts()
    assert found.split("\n") == ["@f at a.mlir:2:1", "cse changed it"]
    page.fill("#text", "a.mlir:4:3")  # is inside of it
    page.keyboard.press("Enter")
    assert "@f at a.mlir:2:1" in page.inner_text("#found")


def test_long_lists_are_drawn_in_parts(page: Page, tmp_path: Path) -> None:
    record = recorded_many(tmp_path / "run.db", 250)
    shown = opened(page, tmp_path, record, place="#execution=149")
    rows = shown.locator("#passes .row.operation")

    selected = shown.inner_text("#passes [aria-selected=true] .name")
    assert (rows.count(), selected) == (100, "@f149")
    more = shown.locator("#passes .row.more").all_inner_texts()
    assert more == ["100 more before", "50 more"]
    shown.click("text=50 more")
    assert (rows.count(), rows.last.locator(".name").inner_text()) == (150, "@f249")
    shown.click("text=100 more before")
    assert (rows.count(), rows.first.locator(".name").inner_text()) == (250, "@f0")


def test_hostile_text_is_shown_as_text(page: Page, tmp_path: Path) -> None:
    shown = opened(page, tmp_path, recorded_hostile(tmp_path / "run.db"))

    assert shown.text_content("#title") == HOSTILE
    # Characters that would break the line or turn the text have names instead.
    named = HOSTILE.replace("\u2028", "⟨U+2028⟩").replace("\u202e", "⟨U+202E⟩")
    assert shown.text_content("#detail h2") == f"spoil on @{named}"
    assert f"remark: {named}" in shown.inner_text("#detail .message")
    assert "x" * 100_000 in shown.inner_text("#detail tr.added >> nth=0")
    assert shown.locator("img").count() == 0
    assert shown.locator("script").count() == 2
    width = shown.evaluate("document.documentElement.scrollWidth")
    assert width <= shown.evaluate("window.innerWidth")


def test_a_long_line_has_a_history(page: Page, tmp_path: Path) -> None:
    shown = opened(
        page, tmp_path, recorded_hostile(tmp_path / "run.db"), place="#text=xxxxx"
    )

    assert "spoil introduced it" in shown.inner_text("#found")


def test_nothing_is_wider_than_the_window(two_runs: Page) -> None:
    for view in ("compare", "changes", "history", "time"):
        two_runs.click(f"[data-view={view}]")
        width = two_runs.evaluate("document.documentElement.scrollWidth")
        assert width <= two_runs.evaluate("window.innerWidth")


CUT_OFF = """() => [...document.querySelectorAll("body *")].filter((each) =>
  each.checkVisibility() && getComputedStyle(each).overflow !== "visible"
  && (each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1)
).map((each) => each.id || each.className)"""


@pytest.mark.parametrize("mode", ["inline", "side by side"])
def test_paper_cuts_nothing_off_and_is_light(
    page: Page, tmp_path: Path, mode: str
) -> None:
    page.emulate_media(color_scheme="dark")
    shown = opened(page, tmp_path, recorded_hostile(tmp_path / "run.db"))
    shown.click(f"text={mode}")
    assert shown.evaluate(CUT_OFF)

    shown.emulate_media(media="print", color_scheme="dark")

    assert shown.evaluate(CUT_OFF) == []
    width = shown.evaluate("document.documentElement.scrollWidth")
    assert width <= shown.evaluate("window.innerWidth")
    colors = shown.evaluate(
        "[getComputedStyle(document.body).backgroundColor,"
        " getComputedStyle(document.querySelector('.added')).printColorAdjust]"
    )
    assert colors == ["rgb(255, 255, 255)", "exact"]


def test_paper_has_the_whole_error(page: Page, tmp_path: Path) -> None:
    record = failed(tmp_path / "run.db")
    with closing(sqlite3.connect(record)) as connection, connection:
        connection.execute("UPDATE run SET error = ?", ("ValueError: bad\n" * 200,))
    shown = opened(page, tmp_path, record)
    assert shown.evaluate(CUT_OFF)

    shown.emulate_media(media="print")

    assert shown.evaluate(CUT_OFF) == []


def test_two_runs_begin_with_their_first_divergence(two_runs: Page) -> None:
    assert "First divergence: plant on @g" in two_runs.inner_text("#divergence")
    assert two_runs.inner_text("#detail h2") == "plant on @g"
    assert "the same in both runs" in two_runs.inner_text("#detail dl")
    (removed,) = two_runs.locator("#detail tr.removed").all_inner_texts()
    (added,) = two_runs.locator("#detail tr.added").all_inner_texts()
    assert "alert(1)" in removed
    assert "else" in added


def test_other_inputs_and_options_are_the_first_suspects(
    page: Page, tmp_path: Path
) -> None:
    records = tmp_path / "a.db", tmp_path / "b.db"
    texts = "func.func @f() { return }", "func.func @g() { return }"
    for path, text, limit in zip(records, texts, (10, 20), strict=True):
        session = Session(text)
        nested = session.manager.nest("func.func")
        nested.add_pass(Canonicalizer(max_iterations=limit))
        with record(session.manager, path):
            session.run()
    shown = opened(page, tmp_path, *records)

    lines = shown.inner_text("#divergence").splitlines()
    assert lines[0] == "The inputs differ, so later differences may come from them."
    assert "Passes with other options: canonicalize" in lines
    shown.click("#divergence button:text-is('canonicalize')")
    assert shown.locator("#passes .row.pass[aria-expanded=true]").count() == 1


def test_history_counts_occurrences(page: Page, tmp_path: Path) -> None:
    session = Session("""
        func.func @f(%x: i32) -> i32 {
          %0 = arith.muli %x, %x : i32
          %1 = arith.muli %x, %x : i32
          %2 = arith.addi %0, %1 : i32
          func.return %2 : i32
        }
        """)
    session.manager.nest("func.func").add_pass(CSE())
    with record(session.manager, tmp_path / "run.db"):
        session.run()
    shown = opened(page, tmp_path, tmp_path / "run.db")
    shown.click("[data-view=history]")
    shown.fill("#text", "arith.muli")
    shown.keyboard.press("Enter")

    assert "cse changed how often it occurs (2 → 1)" in shown.inner_text("#found")


@pytest.mark.parametrize(
    ("old", "new", "marked"),
    [
        ("1.000000e+00 : f32", "1.000000e-05 : f32", ["1.000000e+00", "1.000000e-05"]),
        ("%c = arith.constant -8", "%c = arith.constant 8", ["-8", "8"]),
        ("[0x1F, 10]", "[0x2F, 10]", ["0x1F", "0x2F"]),
    ],
)
def test_a_number_is_one_word(
    two_runs: Page, old: str, new: str, marked: list[str]
) -> None:
    found = two_runs.evaluate(
        "([old, now]) => words(old, now).flat()"
        ".filter((each) => each.isMarked).map((each) => each.text)",
        [old, new],
    )

    assert found == marked


def test_the_passes_of_two_runs_stand_in_one_list(two_runs: Page) -> None:
    rows = two_runs.locator("#passes .row.pass").all_inner_texts()

    cells = [row.split("\n") for row in rows]
    assert [(name, note) for name, note, *_ in cells] == [
        ("▸ begin", "only in B"),
        ("▸ cse", "equal"),
        ("▸ canonicalize", "equal"),
        ("▾ plant", "differs in 1"),
        ("▸ symbol-dce", "only in A, changed 1"),
    ]
    assert [(a == NONE, b == NONE) for _, _, a, b in cells] == [
        (True, False),
        (False, False),
        (False, False),
        (False, False),
        (False, True),
    ]
    facts = two_runs.locator("#passes .row.fact").all_inner_texts()
    assert [each.split("\n") for each in facts] == [
        ["planted an attribute", "remark", "1", "0"]
    ]


def test_a_pass_without_a_time_shows_none(page: Page, tmp_path: Path) -> None:
    records = recorded(tmp_path / "a.db"), recorded_variant(tmp_path / "b.db")
    with closing(sqlite3.connect(records[1])) as connection, connection:
        connection.execute(
            "UPDATE execution SET end_s = NULL WHERE pass_id ="
            " (SELECT id FROM pass WHERE argument = 'cse')"
        )
    shown = opened(page, tmp_path, *records)

    times = shown.locator("#passes .row.pass >> nth=1").locator(".number")
    old, new = times.all_inner_texts()
    assert (old.endswith("s"), new) == (True, "")
    shown.click("[data-view=time]")
    rows = shown.locator("#time table >> nth=0").locator("tr").all_inner_texts()
    (untimed,) = [each.split("\t") for each in rows if each.startswith(NONE)]
    assert untimed[:2] == [NONE, NONE]
    assert untimed[-1].endswith("/cse[1]")


def test_keys_move_from_difference_to_difference(two_runs: Page) -> None:
    two_runs.keyboard.press("j")

    assert two_runs.inner_text("#detail h2") == "symbol-dce on builtin.module"
    assert two_runs.inner_text("#detail h3") == "@unused, removed"
    two_runs.keyboard.press("k")
    assert two_runs.inner_text("#detail h2") == "plant on @g"


def test_a_difference_leads_to_what_the_pass_did_in_each_run(two_runs: Page) -> None:
    two_runs.click("text=what it did in B")

    assert two_runs.inner_text("#detail h2") == "plant on @g"
    assert "b.db" in two_runs.inner_text("#detail dl")
    assert two_runs.locator("#divergence").is_hidden()
    headings = two_runs.locator("#passes .row.run").all_inner_texts()
    assert [each[:2] for each in headings] == ["A:", "B:"]


def test_history_tells_two_runs_apart(two_runs: Page) -> None:
    two_runs.click("[data-view=history]")
    two_runs.fill("#text", "planted")
    two_runs.keyboard.press("Enter")

    entries = two_runs.locator("#found .found code").all_inner_texts()
    assert [(each[:2], each[-2:]) for each in entries] == [("A:", "@g"), ("B:", "@g")]


def test_a_link_leads_to_a_difference(page: Page, tmp_path: Path) -> None:
    records = recorded(tmp_path / "a.db"), recorded_variant(tmp_path / "b.db")
    shown = opened(page, tmp_path, *records, place="#compare=4.0")

    assert shown.inner_text("#detail h2") == "symbol-dce on builtin.module"
