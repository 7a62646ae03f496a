"""A documentation site about passes, whose pages Sphinx turns into HTML.

It has an index of all passes and pipelines, and a page for each of them and for each
group. `sphinx_extension` adds them to a site.
"""

from passgen.site.code_style import DarkStyle, LightStyle, theme_options
from passgen.site.example_check import DEFAULT_DRIVER
from passgen.site.pages import FILTERS, NOTICE, SitePage, site_pages
from passgen.site.trials import empty_example, first_example

__all__ = [
    "DEFAULT_DRIVER",
    "FILTERS",
    "NOTICE",
    "DarkStyle",
    "LightStyle",
    "SitePage",
    "empty_example",
    "first_example",
    "site_pages",
    "theme_options",
]
