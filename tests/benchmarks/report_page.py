"""How large pages of reports are, and how long they take in a browser.

    python -m tests.benchmarks.report_page [--rounds N]

A module of 1,000 functions has 10,000 operations; fifty passes run on each function and
change the given share of them. Headless Chromium opens the page: the times go on until
the passes and the first change are painted, and then what follows a click on a pass, a
click on an operation, and a search of a text that each change has brought. The large
page has the run of 1 % twenty times, on functions with other names: 200,000 operations
and a million calls of passes. Times are the best of the rounds, as other processes may
be busy, in units of the first paint of an empty page. Prints one line for each figure, and exits 1 if one misses its target.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Page, sync_playwright
from xdsl.dialects.builtin import IntAttr

from passgen_runtime import OperationPass, PassManager, PassOptions
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_tools.record import record
from passgen_tools.report import html_page, report_data
from tests.benchmarks.paired import report
from tests.benchmarks.recording import module

NUM_PASSES: Final = 50
TIMES: Final = 20
"""How often the functions of the large module are those of the small one."""

SIZE_TARGETS_MB: Final = {1: 0.5, 10: 1.0, 100: 5.0}
"""By the share of functions that each pass changes, in percent."""

TARGETS: Final = {
    "the first paint": 10,
    "a clicked pass": 2,
    "a clicked operation": 2,
    "the result of a search": 4,
}
"""Times in units of the first paint of an empty page."""

OPENING_TARGET: Final = 55.0
_EMPTY: Final = "<!doctype html><title>empty</title><body data-ready=1>empty"

_AFTER_PAINT: Final = """
const painted = () => new Promise(
  (done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))));
"""

_WATCH: Final = f"""(() => {{
{_AFTER_PAINT}
new MutationObserver(async (_, observer) => {{
  if (!document.body?.dataset.ready) return;
  observer.disconnect();
  window.readyMs = await painted();
}}).observe(document, {{ subtree: true, attributes: true, childList: true }});
}})()"""
"""Notes when the page, with its passes and the first change, is painted."""

_BEGIN: Final = f"{_AFTER_PAINT} await painted(); const begin = performance.now();"
_END: Final = "return await painted() - begin;"

_CLICKS: Final = {
    "a clicked pass": ("document.querySelectorAll('#passes .row.pass')[25].click();"),
    "a clicked operation": (
        "document.querySelector('#passes .row.operation:not([aria-selected=true])')"
        ".click();"
    ),
    "the result of a search": (
        "document.getElementById('text').value = 'touched';"
        "document.getElementById('history-form').requestSubmit();"
    ),
}


class Touch(OperationPass[PassOptions]):
    """Gives some functions an attribute that no function had."""

    argument = "touch"
    anchor = "func.func"

    def __init__(self, number: int, percent: int) -> None:
        super().__init__()
        self.number = number
        self.percent = percent

    def run_on_operation(self) -> None:
        index = int(self.operation.sym_name.data[1:])
        if (index + self.number) % 100 < self.percent:
            self.operation.attributes["touched"] = IntAttr(self.number)


def run_passes(path: Path, percent: int) -> None:
    """Record a run of passes that change `percent` of the functions each."""
    context = XDSLContext()
    manager = PassManager(context)
    functions = manager.nest("func.func")
    for number in range(NUM_PASSES):
        functions.add_pass(Touch(number, percent))
    with record(manager, path):
        manager.run(module(context))


def enlarged(data: dict[str, Any], times: int) -> dict[str, Any]:
    """Return the data of a run on functions that are there `times` as often."""
    executions = data["executions"]
    larger = {**data, "ir": [], "operations": [], "executions": {}}
    num_ir, num_operations = len(data["ir"]), len(data["operations"])
    for number in range(times):
        for each in data["operations"]:
            larger["operations"].append({**each, "path": f"{each['path']}_{number}"})
        for each in data["ir"]:
            text = each["text"].replace("(", f"_{number}(", 1)
            children = [(name, num_ir * number + ir) for name, ir in each["children"]]
            larger["ir"].append({**each, "text": text, "children": children})
    steps = {"operation": num_operations, "before": num_ir, "after": num_ir}
    for name, column in executions.items():
        step = steps.get(name)
        larger["executions"][name] = [
            each if step is None else each + step * number
            for number in range(times)
            for each in column
        ]
    return larger


def opened(browser: Browser, file: Path) -> Page:
    """Return a new page that shows `file`."""
    page = browser.new_page()
    page.add_init_script(_WATCH)
    page.goto(file.as_uri())
    page.wait_for_function("window.readyMs")
    return page


def times_ms(browser: Browser, file: Path, rounds: int) -> dict[str, float]:
    """Return the best times of what a reader does first."""
    times: dict[str, list[float]] = {name: [] for name in TARGETS}
    for _ in range(rounds):
        page = opened(browser, file)
        times["the first paint"].append(page.evaluate("readyMs"))
        for name, act in _CLICKS.items():
            if name == "the result of a search":
                page.click("[data-view=history]")
            # The policy of the page allows no code that is made while it runs.
            timed = f"async () => {{ {_BEGIN} {act} {_END} }}"
            times[name].append(page.evaluate(timed))
        assert page.locator("#found .found").count() > 0
        page.close()
    return {name: min(found) for name, found in times.items()}


def unit_ms(browser: Browser, folder: Path, rounds: int) -> float:
    """Return the best time to the first paint of an empty page."""
    file = folder / "empty.html"
    file.write_text(_EMPTY, encoding="utf-8")
    times_ms: list[float] = []
    for _ in range(rounds):
        page = opened(browser, file)
        times_ms.append(page.evaluate("readyMs"))
        page.close()
    return min(times_ms)


def main() -> int:
    """Print all figures; return 1 if one misses its target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    misses = False
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        path, file = Path(folder, "run.db"), Path(folder, "run.html")
        unit = unit_ms(browser, Path(folder), rounds)
        report("ms to the first paint of an empty page", unit, None)
        for percent, target_mb in SIZE_TARGETS_MB.items():
            run_passes(path, percent)
            data = report_data(path)
            file.write_text(html_page(data, "benchmark"), encoding="utf-8")
            where = f"each of {NUM_PASSES} passes changes {percent} %"
            size_mb = file.stat().st_size / 1e6
            misses |= report(f"MB of a page, {where}", size_mb, target_mb)
            for name, time_ms in times_ms(browser, file, rounds).items():
                misses |= report(f"{name}, {where}", time_ms / unit, TARGETS[name])
            if percent == 1:
                large = html_page(enlarged(data, TIMES), "benchmark")
        file.write_text(large, encoding="utf-8")
        times = times_ms(browser, file, rounds)
        name = f"the first paint of {len(large) / 1e6:.1f} MB of 200,000 operations"
        misses |= report(name, times["the first paint"] / unit, OPENING_TARGET)
        for name in _CLICKS:
            report(f"{name} there", times[name] / unit, None)
        browser.close()
    return int(misses)


if __name__ == "__main__":
    sys.exit(main())
