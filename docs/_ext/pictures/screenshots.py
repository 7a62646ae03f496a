"""The screenshots of the documentation: pages in headless Chromium, light and dark.

    PYTHONPATH=docs/_ext python -m pictures.screenshots

`make pictures` calls it. Two calls give two pictures: times are those of the machine.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal

from playwright.sync_api import Browser, ViewportSize, sync_playwright

from passgen_runtime import parse_pass_manager
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes import shipped_registry
from passgen_tools.record import record
from passgen_tools.report import html_page, report_data

_DOCS: Final = Path(__file__).parents[2]
_SIZE: Final[ViewportSize] = {"width": 1200, "height": 640}
_COLUMN: Final[ViewportSize] = {"width": 490, "height": 480}
"""The size of a picture that is as wide as a column, or a phone, and legible there."""

_ONLY_CHANGES: Final = """
#detail > :not(h2, .ir), #list .controls { display: none }
#run-line code { display: none }
"""
"""The style of such a picture: what else a report says has no room."""

_THEMES: Final[dict[str, Literal["light", "dark"]]] = {"": "light", "-dark": "dark"}
"""Color schemes by the suffix of the file."""

_MATMUL: Final = _DOCS / "demo" / "matmul.mlir"
_NORMALIZE: Final = "affine-loop-normalize{promote-single-iter=true}"
_HOIST: Final = "affine-loop-invariant-code-motion"
_REST: Final = "affine-loop-unroll{unroll-factor=4}),canonicalize,cse,symbol-dce"


_POWER: Final = """\
func.func @power(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %0 = arith.addi %x, %zero : i32
  %1 = arith.muli %0, %0 : i32
  %2 = arith.muli %x, %x : i32
  %3 = arith.muli %1, %2 : i32
  return %3 : i32
}
"""


def _record(path: Path, pipeline: str, ir: str = "") -> Path:
    """Record the run of `pipeline` on `ir`, or on the demo's matrix multiplication."""
    context = XDSLContext()
    ir = ir or _MATMUL.read_text(encoding="utf-8")
    module = context.parse(ir, _MATMUL.name)
    manager = parse_pass_manager(pipeline, context, shipped_registry())
    with record(manager, path):
        manager.run(module)
    return path


def _report(folder: Path) -> str:
    """Return the page of one run."""
    pipeline = f"builtin.module(func.func({_NORMALIZE},{_HOIST},{_REST})"
    return html_page(report_data(_record(folder / "run.db", pipeline)), "run.db")


def _first_report(folder: Path) -> str:
    """Return the page of a run of three passes on one function."""
    pipeline = "builtin.module(func.func(canonicalize,cse),symbol-dce)"
    return html_page(
        report_data(_record(folder / "first.db", pipeline, _POWER)), "run.db"
    )


def _two_runs(folder: Path) -> str:
    """Return the page of two runs, one of them without a pass."""
    without = f"builtin.module(func.func({_NORMALIZE},{_REST})"
    with_pass = f"builtin.module(func.func({_NORMALIZE},{_HOIST},{_REST})"
    data: dict[str, Any] = report_data(
        _record(folder / "before.db", without), _record(folder / "after.db", with_pass)
    )
    data["comparison"]["records"] = ["before.db", "after.db"]
    return html_page(data, "before.db and after.db")


SCREENSHOTS: Final[dict[str, Callable[[Path], str]]] = {
    "first-report": _first_report,
    "report": _report,
    "report-two-runs": _two_runs,
}
"""The page of every screenshot by its file in `_static/pictures`, without suffixes."""


def _shoot(browser: Browser, page: Path, picture: Path) -> None:
    is_column = picture.name == "first-report"
    for suffix, scheme in _THEMES.items():
        tab = browser.new_page(
            viewport=_COLUMN if is_column else _SIZE,
            device_scale_factor=2 if is_column else 1,
            color_scheme=scheme,
            bypass_csp=True,  # for the style
        )
        tab.goto(page.as_uri())
        tab.wait_for_selector("body[data-ready]")
        if is_column:
            tab.add_style_tag(content=_ONLY_CHANGES)
        tab.screenshot(path=picture.with_name(f"{picture.name}{suffix}.png"))
        tab.close()


def main() -> None:
    """Write all screenshots."""
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        # Root, as containers are, may run chromium without its sandbox only.
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for picture, page in SCREENSHOTS.items():
            file = folder / "page.html"
            file.write_text(page(folder), encoding="utf-8")
            _shoot(browser, file, _DOCS / "_static" / "pictures" / picture)
        browser.close()


if __name__ == "__main__":
    main()
