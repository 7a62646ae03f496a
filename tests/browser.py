"""A real browser for the tests of sites and reports: one for all tests of a process.

Needs Playwright and one of Debian's chromium-headless-shell and chromium;
PASSGEN_REQUIRE_BROWSER=1 makes their lack fail.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.requirements import missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

# The shell has the same engine without windows, and a page takes a third of the time.
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
PHONE: ViewportSize = {"width": 390, "height": 844}
DESK: ViewportSize = {"width": 1280, "height": 900}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - an extra
    except ImportError as error:
        missing(str(error), "BROWSER")
    if CHROMIUM is None:
        missing("chromium is not installed", "BROWSER")
    with sync_playwright() as playwright:
        # Root, as containers are, may run chromium without its sandbox only.
        flags = ["--no-sandbox"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


@pytest.fixture(params=[PHONE, DESK], ids=["phone", "desk"])
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """Give a page that fails the test when its console has an error."""
    page = browser.new_page(viewport=request.param)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console",
        lambda message: (
            errors.append(message.text) if message.type == "error" else None
        ),
    )
    yield page
    page.close()

    assert errors == [], f"the console has {errors}"
