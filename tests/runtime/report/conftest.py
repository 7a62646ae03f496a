"""The browser of the tests of sites shows reports, too."""

from tests.docs.conftest import browser, page

__all__ = ["browser", "page"]
