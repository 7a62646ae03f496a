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

from playwright.sync_api import Browser, sync_playwright

from passgen_runtime import parse_pass_manager
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.passes import shipped_registry
from passgen_tools.record import record
from passgen_tools.report import html_page, report_data
from pictures.small_png import small_png

_DOCS: Final = Path(__file__).parents[2]
_WIDTH: Final = 490
"""The width of a picture: that of a column, or a phone, so that it is legible there."""

_SCALE: Final = 2
_HEIGHTS: Final = {"first-report": round(_WIDTH * 258 / 420)}
"""Heights that are not those of all that a page shows: `pipeline.svg` stands beside."""

_CROPPED: Final = """
#detail > :not(h2, .legend, .ir), .controls { display: none }
#run-line code { display: none }
#passes { max-height: none; padding: 0 }
"""
"""The style that leaves out what the words around the pictures do not mention."""

_SMALLER: Final = {
    "first-report": "header, .anchor { display: none } #detail { padding-block: 8px }"
}
"""More style, by picture."""

_THEMES: Final[dict[str, Literal["light", "dark"]]] = {"": "light", "-dark": "dark"}
"""Color schemes by the suffix of the file."""

_NORMALIZE: Final = "affine-loop-normalize"
_HOIST: Final = "affine-loop-invariant-code-motion"
_REST: Final = "affine-loop-unroll),canonicalize,cse,symbol-dce"


_POWER: Final = """\
func.func @power(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %0 = arith.addi %x, %zero : i32
  %1 = arith.muli %0, %0 : i32
  %2 = arith.muli %1, %1 : i32
  return %2 : i32
}
"""
_SCALED: Final = """\
func.func @scale(%A: memref<16xf32>, %x: f32) {
  affine.for %i = 0 to 16 step 2 {
    %a = affine.load %A[%i] : memref<16xf32>
    %square = arith.mulf %x, %x : f32
    %b = arith.mulf %a, %square : f32
    affine.store %b, %A[%i] : memref<16xf32>
  }
  return
}
"""


def _record(path: Path, pipeline: str, ir: str) -> Path:
    """Record the run of `pipeline` on `ir`."""
    context = XDSLContext()
    module = context.parse(ir, "input.mlir")
    manager = parse_pass_manager(pipeline, context, shipped_registry())
    with record(manager, path):
        manager.run(module)
    return path


def _report(folder: Path) -> str:
    """Return the page of one run."""
    pipeline = f"builtin.module(func.func({_NORMALIZE},{_HOIST},{_REST})"
    return html_page(
        report_data(_record(folder / "run.db", pipeline, _SCALED)), "run.db"
    )


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
        _record(folder / "before.db", without, _SCALED),
        _record(folder / "after.db", with_pass, _SCALED),
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
    height = _HEIGHTS.get(picture.name)
    for suffix, scheme in _THEMES.items():
        tab = browser.new_page(
            viewport={"width": _WIDTH, "height": height or _WIDTH},
            device_scale_factor=_SCALE,
            color_scheme=scheme,
            bypass_csp=True,  # for the style
        )
        tab.goto(page.as_uri())
        tab.wait_for_selector("body[data-ready]")
        tab.add_style_tag(content=_CROPPED + _SMALLER.get(picture.name, ""))
        path = picture.with_name(f"{picture.name}{suffix}.png")
        path.write_bytes(small_png(tab, tab.screenshot(full_page=height is None)))
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
