"""Playgrounds in a real browser: that of the documentation, and one of an author's group.

`make browser` installs Pyodide; PASSGEN_REQUIRE_BROWSER=1 makes its lack fail.
"""

from __future__ import annotations

import base64
import re
import subprocess
import sys
import zlib
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from tests.browser import DESK, PHONE
from tests.docs.built_sites import ROOT, built_site
from tests.requirements import missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FrameLocator, Page, Request

pytestmark = pytest.mark.browser

PYODIDE = ROOT / "build/pyodide/node_modules/pyodide"
LONG_MS = 60_000
"""How long a machine that does much else may take to start Python."""

ENDLESS = """\
from passgen_runtime import OperationPass, PassOptions

class Endless(OperationPass[PassOptions]):
    argument = "endless"

    def run_on_operation(self) -> None:
        while True:
            pass

def register_dialects_and_passes(builder):
    builder.registry.register_pass(Endless)
"""

FLAGS = """async (flag) => {
  const { loadPyodide } = await import("./pyodide/pyodide.mjs");
  const python = (globalThis.python ??= await loadPyodide());
  const packages = await fetch("packages.zip");
  const folder = "/lib/python3.14/site-packages";
  python.unpackArchive(await packages.arrayBuffer(), "zip", { extractDir: folder });
  python.globals.set("flag", flag);
  return python.runPython(`
import contextlib, io
from passgen_tools.opt import main
messages = io.StringIO()
with contextlib.redirect_stderr(messages):
    code = main(["-", flag])
f"{code} {messages.getvalue()}"
`);
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the toy compiler, with a playground."""
    if not PYODIDE.is_dir():
        missing("Pyodide is not installed: run `make pyodide`", "BROWSER")
    folder = tmp_path_factory.mktemp("plugin")
    (folder / "endless_plugin.py").write_text(ENDLESS, encoding="utf-8")
    plugins = [
        "--playground=tests.toy_compiler.plugin",
        "--playground=endless_plugin",
        f"--pyodide={PYODIDE}",
        f"--source={folder}",
    ]
    command = ["-m", "passgen.cli", "site", "tests/toy_compiler/toy_compiler.yaml"]
    return built_site(tmp_path_factory, "toy", *command, *plugins, "-o")


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """The address at which `passgen site --serve` shows the site."""
    command = [sys.executable, "-m", "passgen.cli", "site", "--serve", "--port=0"]
    command += ["-o", str(site)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


@pytest.fixture(scope="module")
def playground(browser: Browser, address: str) -> Iterator[Page]:
    """A page that has started Python; `load` gives it other texts."""
    page = browser.new_page()
    errors: list[str] = []
    requests: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.context.on("request", lambda request: _note_request(request, requests))
    page.goto(f"{address}playground/index.html")
    wait_for_result(page)
    yield page
    page.close()

    assert errors == []
    assert requests
    assert [url for url in requests if not url.startswith(address)] == []


def _note_request(request: Request, requests: list[str]) -> None:
    if not request.url.startswith("data:"):
        requests.append(request.url)


def load(page: Page, ir: str, pipeline: str) -> None:
    """Type both texts, and run."""
    page.fill("#ir", ir)
    page.fill("#pipeline", pipeline)
    page.keyboard.press("Escape")
    page.click("#run")
    page.locator("#stop:disabled").wait_for(timeout=LONG_MS)


def wait_for_result(page: Page | FrameLocator) -> None:
    done = re.compile(r"changed something|Failed after")
    page.locator("#status", has_text=done).wait_for(timeout=LONG_MS)


def show(page: Page, view: str) -> str:
    page.click(f"[data-view={view}]")
    return page.inner_text("#view")


TWICE = """\
func.func @twice(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  %1 = arith.addi %x, %x : i32
  %2 = arith.muli %0, %1 : i32
  func.return %2 : i32
}
"""
CSE = "builtin.module(func.func(cse))"


def test_a_run_shows_ir_changes_statistics_and_the_report(playground: Page) -> None:
    load(playground, TWICE, CSE)

    assert "arith.muli %0, %0" in show(playground, "output")
    assert "%old_1 = arith.addi" in show(playground, "changes")
    assert playground.locator("#view .removed").count() == 2
    assert "Pass statistics report" in show(playground, "reports")
    playground.click("[data-view=report]")
    report = playground.frame_locator("#view iframe")
    report.locator("#detail", has_text="@twice").wait_for()
    playground.click("[data-view=output]")


def test_ir_has_the_colours_of_reports_in_both_panes(playground: Page) -> None:
    load(playground, TWICE, CSE)
    show(playground, "output")
    for pane in ("#colors", "#view"):
        for kind, text in (("value", "%x"), ("type", "i32"), ("symbol", "@twice")):
            assert playground.locator(f"{pane} .{kind}").first.inner_text() == text
        operations = playground.locator(f"{pane} .op").all_inner_texts()
        assert {"func.func", "arith.addi", "arith.muli"} <= set(operations)
    drawn = playground.locator("#colors").text_content()
    assert drawn == f"{TWICE}\n"  # what the field has, the line after its end too
    long = TWICE * 300
    # To type so many lines takes a browser half a minute.
    playground.evaluate(
        """text => {
          ir.value = text;
          ir.dispatchEvent(new Event("input"));
          ir.scrollTop = ir.scrollHeight;
        }""",
        long,
    )
    playground.locator("#colors", has_text="func.return").wait_for()
    lines = str(playground.locator("#colors").text_content()).count("\n")
    assert 5 < lines < 100  # only those in view


def test_the_changes_are_shown_first_until_another_view_is_chosen(
    browser: Browser, address: str
) -> None:
    page = browser.new_page()
    page.goto(f"{address}playground/index.html")
    wait_for_result(page)
    shown = page.locator("[role=tab][aria-selected=true]")
    assert shown.inner_text() == "Changes"
    page.click("[data-view=reports]")
    page.reload()
    wait_for_result(page)
    assert shown.inner_text() == "Statistics and times"
    page.close()


def test_a_caret_and_the_line_above_it_scroll_together(playground: Page) -> None:
    playground.set_viewport_size(PHONE)
    load(playground, TWICE, f"builtin.module(func.func({'cse,' * 20}csee))")
    source = playground.locator("#view .source").first
    width, room, carets = source.evaluate(
        "box => [box.scrollWidth, box.clientWidth, box.textContent]"
    )

    assert width > room
    line, caret, _ = carets.split("\n")
    assert caret.index("^") == line.index("csee")
    body = playground.evaluate("document.documentElement.scrollWidth")
    assert body == PHONE["width"]
    playground.set_viewport_size(DESK)


def test_an_error_stands_at_its_line_in_the_words_of_the_terminal(
    playground: Page,
) -> None:
    load(playground, TWICE.replace("muli", "muly"), CSE)

    assert playground.inner_text("#view").startswith("input.mlir:4:")
    assert playground.locator("#lines .error").all_inner_texts() == ["4\n"]
    playground.locator("#view button.place").first.click()
    place = playground.evaluate("document.getElementById('ir').selectionStart")
    assert TWICE[:place].count("\n") == 3

    load(playground, TWICE, CSE)
    assert playground.locator("#lines .error").count() == 0


def test_the_pipeline_is_completed_and_its_pass_explained(playground: Page) -> None:
    playground.fill("#pipeline", "")
    playground.locator("#pipeline").press_sequentially("builtin.module(sym")
    playground.locator("#candidates li", has_text="symbol-privatize").wait_for()
    playground.keyboard.press("ArrowDown")
    playground.keyboard.press("Enter")
    playground.locator("#pipeline").press_sequentially("{")
    playground.locator("#candidates li", has_text="exclude=").wait_for()
    playground.keyboard.press("Tab")

    assert playground.input_value("#pipeline") == (
        "builtin.module(symbol-privatize{exclude="
    )
    summary = playground.locator("#pass summary")
    summary.filter(has_text="symbol-privatize").wait_for()
    playground.keyboard.press("Escape")


def test_the_form_sets_an_option_and_runs(playground: Page) -> None:
    load(playground, TWICE, "builtin.module(symbol-privatize)")
    playground.locator("#pipeline").press("ArrowLeft")
    playground.click("#pass summary")
    field = playground.locator("#options [name=exclude]")
    field.fill("twice")
    field.press("Enter")
    playground.locator("#result", has_text="func.func @twice").wait_for()
    playground.locator("#status", has_text="0 of 1 passes changed").wait_for()

    assert playground.input_value("#pipeline") == (
        "builtin.module(symbol-privatize{exclude=twice})"
    )
    playground.click("#pass summary")


def test_a_late_answer_keeps_what_is_typed_into_the_form(playground: Page) -> None:
    from playwright.sync_api import expect  # noqa: PLC0415 - an extra

    load(playground, TWICE, "builtin.module(canonicalize)")
    playground.locator("#pipeline").press("ArrowLeft")
    playground.locator("#pass summary", has_text="canonicalize").click()
    field = playground.locator("#options [name=max-num-rewrites]")
    field.press_sequentially("12")
    playground.locator("#pipeline").evaluate("""pipeline => {
      pipeline.value = "builtin.module(canonicalize{max-iterations=5})";
      pipeline.setSelectionRange(20, 20);
      pipeline.dispatchEvent(new Event("input"));
    }""")
    other = playground.locator("#options [name=max-iterations]")
    expect(other).to_have_value("5")

    assert field.input_value() == "12"
    field.fill("")
    playground.click("#pass summary")


def test_arrow_keys_change_what_is_shown_of_the_result(playground: Page) -> None:
    load(playground, TWICE, CSE)
    playground.focus("[data-view=output]")
    playground.keyboard.press("ArrowRight")
    shown = playground.locator("[role=tab][aria-selected=true]")

    assert shown.inner_text() == "Changes"
    assert playground.locator(":focus").inner_text() == "Changes"
    playground.keyboard.press("ArrowLeft")
    assert shown.inner_text() == "IR"


def test_the_page_opens_with_the_first_example_and_fits_a_phone(
    browser: Browser, address: str
) -> None:
    page = browser.new_page(viewport=PHONE)
    page.goto(f"{address}playground/index.html")
    wait_for_result(page)

    assert page.input_value("#pipeline") == "builtin.module(one-shot-bufferize)"
    assert page.inner_text("#status").endswith("1 of 1 passes changed something")
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width == PHONE["width"]
    page.click("[data-view=changes]")
    assert page.locator("#view .added").first.is_visible()
    page.close()


def test_a_pass_on_two_functions_is_one_pass(playground: Page) -> None:
    load(playground, TWICE + TWICE.replace("twice", "again"), CSE)

    status = playground.inner_text("#status")
    assert status.endswith(": 1 of 1 passes changed something")


def test_output_of_other_texts_is_grey(playground: Page) -> None:
    load(playground, TWICE, CSE)
    playground.fill("#ir", f"{TWICE}// changed")

    assert playground.locator("#view.old").count() == 1
    load(playground, TWICE, CSE)
    assert playground.locator("#view.old").count() == 0


def test_the_help_of_a_pass_is_rendered(playground: Page) -> None:
    load(playground, TWICE, CSE)
    playground.locator("#pipeline").press("Home")
    playground.locator("#pipeline").press("End")
    for _ in range(3):
        playground.locator("#pipeline").press("ArrowLeft")
    playground.locator("#pass summary", has_text="cse").wait_for()

    assert playground.locator("#help pre").count() > 0
    assert "```" not in (playground.text_content("#help") or "")


def test_a_link_holds_both_texts(playground: Page, browser: Browser) -> None:
    load(playground, TWICE, CSE)
    playground.click("#link")
    playground.locator("#status", has_text="The link is").wait_for()
    other = browser.new_page()
    other.goto(playground.url)
    wait_for_result(other)

    assert len(playground.url) < 400
    assert other.input_value("#ir") == TWICE
    assert other.input_value("#pipeline") == CSE
    assert "arith.muli %0, %0" in other.inner_text("#view")
    other.goto(playground.url[:-20])
    other.locator("#failure", has_text="The link is damaged").wait_for()
    other.close()


@pytest.mark.parametrize(
    "state",
    [b"[" * 20_000_000, b"null", b'{"ir": 1, "pipeline": []}'],
    ids=["too long", "null", "no texts"],
)
def test_a_hostile_link_changes_nothing_and_the_next_run_mends_the_page(
    playground: Page, state: bytes
) -> None:
    load(playground, TWICE, CSE)
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = compressor.compress(state) + compressor.flush()
    link = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    playground.evaluate("(link) => void (location.hash = link)", link)
    playground.locator("#failure", has_text="The link is damaged").wait_for()
    playground.locator("#run:enabled").wait_for()

    assert playground.input_value("#ir") == TWICE
    load(playground, TWICE, CSE)
    assert playground.locator("#failure").is_hidden()


def test_an_endless_pass_is_stopped_and_the_texts_stay(playground: Page) -> None:
    playground.fill("#ir", TWICE)
    playground.fill("#pipeline", "builtin.module(endless)")
    playground.keyboard.press("Escape")
    playground.click("#run")
    playground.locator("#status", has_text="Running").wait_for()
    playground.click("[data-view=output]")  # the page does not freeze
    playground.click("#stop")
    playground.locator("#status", has_text="Stopped; ready").wait_for(timeout=LONG_MS)

    assert playground.input_value("#ir") == TWICE
    assert playground.input_value("#pipeline") == "builtin.module(endless)"
    load(playground, TWICE, CSE)
    assert "arith.muli %0, %0" in show(playground, "output")


@pytest.mark.parametrize("flag", ["--jobs=2", "--contain", "--timeout=1"])
def test_flags_that_need_threads_or_processes_say_so(
    playground: Page, flag: str
) -> None:
    name = flag.partition("=")[0]
    said = playground.evaluate(FLAGS, flag)

    assert said.startswith(f"2 passgen-opt: for the {name} option: Python in a browser")
    assert "has neither threads nor processes" in said


def test_a_page_of_a_pass_runs_its_example(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(f"{address}toy_compiler/one-shot-bufferize.html")
    page.click(".passgen-run a")
    frame = page.frame_locator(".passgen-playground")
    wait_for_result(frame)

    assert "memref.store %x, %tensor[%i]" in frame.locator("#view").inner_text()
    assert frame.locator("#pipeline").input_value() == (
        "builtin.module(one-shot-bufferize)"
    )
    page.click(".passgen-run a")
    assert page.locator(".passgen-playground").count() == 0
    page.close()


def test_a_page_opened_from_disk_says_how_to_serve_it(
    browser: Browser, site: Path
) -> None:
    page = browser.new_page()
    page.goto((site / "playground/index.html").as_uri())

    assert "passgen site --serve" in page.inner_text("#failure")
    page.close()


class StrictHandler(SimpleHTTPRequestHandler):
    """Serves files with a policy that lets no WebAssembly run."""

    extensions_map = {".mjs": "text/javascript", "": "application/octet-stream"} | {
        ".js": "text/javascript",
        ".html": "text/html",
        ".css": "text/css",
        ".wasm": "application/wasm",
    }

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", "default-src 'self'")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_a_page_that_may_not_run_webassembly_says_so(
    browser: Browser, site: Path
) -> None:
    handler = partial(StrictHandler, directory=site)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever).start()
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/playground/index.html")
        try:
            page.locator("#failure", has_text="'wasm-unsafe-eval'").wait_for()
            said = page.inner_text("#failure")
        finally:
            server.shutdown()
            page.close()

    assert said.startswith("Python has not started: ")
