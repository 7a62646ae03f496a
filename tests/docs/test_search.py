"""What people search for, and the page of the documentation that must come first."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from search_words import WORDS, split_phrases

from tests.browser import DESK

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

DOCS = Path(__file__).parents[2] / "docs"
QUERIES = {
    "VS Code": "how-to/editors.html",
    "passgen lint": "lint.html",
    "lint": "lint.html",
    "passgen diff": "diff.html",
    "passgen drift": "drift.html",
    "passgen new": "how-to/new-pass.html",
    "passgen site": "how-to/site.html",
    "passgen import": "tablegen.html",
    "tablegen": "tablegen.html",
    "passgen-opt": "driver.html",
    "driver": "driver.html",
    "record": "how-to/record.html",
    "passgen-report": "how-to/report.html",
    "report": "how-to/report.html",
    "passgen-reduce": "how-to/reduce.html",
    "passgen-verify": "how-to/verify.html",
    "Alive2": "how-to/verify.html",
    "llvm-reduce": "how-to/reduce.html",
    "delta debugging": "how-to/reduce.html",
    "test case reduction": "how-to/reduce.html",
    "crash test case too large": "how-to/reduce.html",
    "PassManager": "how-to/pipelines.html",
    "PassManagerBuilder": "pipeline-builder.html",
    "OperationPass": "how-to/pass.html",
    "PassOptions": "how-to/options.html",
    "statistics": "how-to/statistics.html",
    "get_analysis": "how-to/analyses.html",
    "bundles": "pipelines.html",
    "CMake": "how-to/build.html",
    "pytest": "how-to/tests.html",
    "CHECK lines": "how-to/tests.html",
    "notebook": "how-to/notebooks.html",
    "xdsl-opt": "how-to/other-hosts.html",
    "MLIRContext": "mlir-ir.html",
    "processes": "how-to/processes.html",
    "Dask": "how-to/clusters.html",
    "glossary": "glossary.html",
    "performance": "performance.html",
    "cse": "reference/passes/transforms/cse.html",
    "affine-loop-unroll": "reference/passes/affine/affine-loop-unroll.html",
    "summary-too-long": "lint/summary-too-long.html",
    "spec language": "reference/spec.html",
    "test a pass": "how-to/tests.html",
    "test option": "how-to/tests.html",
    "list option": "how-to/options.html",
    "list options": "how-to/options.html",
    "mlir-timing": "concepts/timing.html",
    "executor": "how-to/processes.html",
    "my pass does not run": "concepts/debugging.html",
    "pass never runs": "concepts/debugging.html",
    "matched no operation": "concepts/debugging.html",
    "which pass did change a function": "how-to/report.html",
    "how can I run my passes in parallel": "how-to/processes.html",
    "why does my pass crash": "concepts/debugging.html",
    "bisect": "how-to/find-the-culprit.html",
    "passgen-bisect": "how-to/find-the-culprit.html",
    "which pass broke the output": "how-to/find-the-culprit.html",
    "own dialect": "how-to/own-dialect.html",
    "pattern rewrite walker": "how-to/own-dialect.html",
    "threads": "performance.html",
    "mypy": "how-to/pass.html",
    "licence": "install.html",
    "install": "install.html",
    "unit test": "how-to/tests.html",
    "exit code": "reference/json.html",
    "PYTHONPATH": "how-to/package.html",
    "stale": "how-to/build.html",
    "error location": "how-to/pass.html",
    "wrong result": "how-to/find-the-culprit.html",
    "miscompile": "how-to/find-the-culprit.html",
    "how do I move from PassManager.add(callable) to this": (
        "coming-from/mlir-bindings.html"
    ),
}
"""The page of each query, below the root of the site."""


def declared() -> list[tuple[str, str]]:
    """Return each phrase that a page declares above its title, and the page."""
    return [
        (phrase, page.relative_to(DOCS).with_suffix(".html").as_posix())
        for page in sorted(DOCS.rglob("*.md"))
        for comment in WORDS.findall(page.read_text("utf-8").partition("# ")[0])
        for phrase in split_phrases(comment)
    ]


def test_two_pages_declare_no_phrase_in_common() -> None:
    phrases = [phrase for phrase, _ in declared()]

    assert len(phrases) == len(set(phrases)) > 0


# Searches as a page does that is loaded with the query; the first result is there at
# once, and the others come later.
SEARCH = """(query) => {
  history.replaceState(null, "", `?q=${encodeURIComponent(query)}`);
  Search.init();
  return Search.output.querySelector("a")?.href;
}"""


@pytest.mark.parametrize("page", [DESK], indirect=True, ids=["desk"])
def test_the_page_of_a_name_comes_first(documentation: Path, page: Page) -> None:
    page.goto((documentation / "search.html").as_uri())
    page.wait_for_function("Search.hasIndex()")
    wrong = {}
    for query, expected in (QUERIES | dict(declared())).items():
        found = str(page.evaluate(SEARCH, query)).partition("?")[0]
        found = found.partition("#")[0].removeprefix(f"{documentation.as_uri()}/")
        if found != expected:
            wrong[query] = found

    assert wrong == {}


@pytest.fixture
def address(documentation: Path) -> Iterator[str]:
    """The address of the documentation on a web server."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Print nothing."""

    handler = partial(Quiet, directory=str(documentation))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_server_gives_results_excerpts_and_files_give_none(
    documentation: Path, address: str, page: Page
) -> None:
    query = "search.html?q=segfault"
    page.goto(f"{address}/{query}")
    page.locator("#search-results .context").first.wait_for()
    page.goto(f"{documentation.as_uri()}/{query}")
    page.locator("#search-results li a").first.wait_for()

    # The fixture `page` fails a test whose console has errors, as of refused requests.
    assert page.locator("#search-results .context").count() == 0


def test_a_web_server_may_serve_the_same_files(address: str, page: Page) -> None:
    page.goto(f"{address}/")
    page.goto(f"{address}/search.html?q=passgen+lint")
    page.locator("#search-results li a").first.click()

    page.wait_for_url(f"{address}/lint.html*")
    assert page.locator("h1").inner_text().startswith("Lint specs")


def test_pages_that_agents_are_told_to_read_are_there(documentation: Path) -> None:
    text = (documentation / "llms.txt").read_text("utf-8")

    pages = [part.partition(")")[0] for part in text.split("](")[1:]]
    assert [name for name in pages if not (documentation / name).is_file()] == []
