"""How soon a playground shows a result, runs again, and is usable after a stop.

    python -m tests.benchmarks.playground [--rounds N]

It needs `make browser`. Headless Chromium opens the page once, and in each round again,
from its cache; then the same texts run again, and a long run is stopped. Times are the
best of the rounds, as other processes may be busy. Prints one line for each figure, and
exits 1 if one misses its target.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Final

from playwright.sync_api import BrowserContext, Page, sync_playwright

from passgen.commands.serving import Handler
from passgen_tools.opt.playground import write_playground
from tests.benchmarks.paired import report

PYODIDE: Final = Path(__file__).parents[2] / "build/pyodide/node_modules/pyodide"
TARGETS_S: Final = {
    "the first result, from the cache": 6.0,
    "another run": 0.3,
    "be usable after a stop": 5.0,
}
SIZE_TARGET_MB: Final = 20.0
PROGRESS_TARGET_S: Final = 1.0

LONG_IR: Final = """
func.func @fill(%x: f32, %buffer: memref<100000xf32>) {
  affine.for %i = 0 to 100000 {
    affine.store %x, %buffer[%i] : memref<100000xf32>
  }
  func.return
}
"""
LONG_PIPELINE: Final = (
    "builtin.module(func.func(affine-loop-unroll{unroll-factor=50000}))"
)


def main() -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        write_playground(Path(folder), PYODIDE)
        files = (path for path in Path(folder).rglob("*") if path.is_file())
        size_mb = sum(path.stat().st_size for path in files) / 1e6
        misses = report("MB of a playground", size_mb, SIZE_TARGET_MB)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        with served(Path(folder)) as address:
            context = browser.new_context()
            report("s to the first result, cold", opened(context, address)[1], None)
            times = [round_of(context, address) for _ in range(rounds)]
        browser.close()
    best = [min(column) for column in zip(*times, strict=True)]
    misses |= report("s to the first sign of progress", best[0], PROGRESS_TARGET_S)
    for (name, target_s), time_s in zip(TARGETS_S.items(), best[1:], strict=True):
        misses |= report(f"s to {name}", time_s, target_s)
    return int(misses)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve `folder` as `passgen site --serve` does; give its address."""
    handler = partial(Handler, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}/index.html"
        server.shutdown()


def opened(context: BrowserContext, address: str) -> tuple[float, float, Page]:
    """Open the page; return the times to progress and to a result, and the page."""
    page = context.new_page()
    begin_s = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.locator("#status", has_text="Loading Python").wait_for()
    progress_s = time.perf_counter() - begin_s
    page.locator("#status", has_text="changed something").wait_for(timeout=120_000)
    return progress_s, time.perf_counter() - begin_s, page


def round_of(context: BrowserContext, address: str) -> tuple[float, ...]:
    """Return the times to progress, a result, another one, and to be usable again."""
    progress_s, first_s, page = opened(context, address)
    ir, pipeline = page.input_value("#ir"), page.input_value("#pipeline")
    again_s = run(page, ir, pipeline)
    page.fill("#ir", LONG_IR)
    page.fill("#pipeline", LONG_PIPELINE)
    page.click("#run")
    page.locator("#status", has_text="Running").wait_for()
    begin_s = time.perf_counter()
    page.click("#stop")
    page.locator("#run:enabled").wait_for(timeout=120_000)
    stopped_s = time.perf_counter() - begin_s
    page.close()
    return progress_s, first_s, again_s, stopped_s


def run(page: Page, ir: str, pipeline: str) -> float:
    """Return the time from a click to the result of both texts."""
    page.fill("#ir", ir)
    page.fill("#pipeline", pipeline)
    page.locator("#run:enabled").wait_for()
    begin_s = time.perf_counter()
    page.click("#run")
    page.locator("#status", has_text="changed something").wait_for(timeout=120_000)
    page.locator("#stop:disabled").wait_for()
    return time.perf_counter() - begin_s


if __name__ == "__main__":
    sys.exit(main())
