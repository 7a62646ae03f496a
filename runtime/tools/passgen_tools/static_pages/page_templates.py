"""HTML pages without a script, of templates in which `@NAME@` stands for a part."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Final

from passgen_rules.code_colors import css_variables

_NAME: Final = re.compile("@([A-Z_]+)@")
_FOLDER: Final = "page"


@dataclass(frozen=True)
class PageTemplates:
    """The templates of a page, in the folder `page` of a package."""

    package: str

    def filled(self, name: str, parts: Mapping[str, str]) -> str:
        """Return a template with its parts, in which no part is searched for names."""
        template = self._text(name).removesuffix("\n")
        return _NAME.sub(lambda match: parts[match[1]], template)

    def page(self, parts: Mapping[str, str]) -> str:
        """Return the page of `page.html`, which loads nothing from elsewhere.

        Its style is that of all pages, and `page.css`. A content security policy
        allows this style only, by its hash.
        """
        shared = resources.files(__package__).joinpath("static_pages.css")
        style = css_variables() + shared.read_text("utf-8") + self._text("page.css")
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        own = {"STYLE": style, "STYLE_HASH": f"'sha256-{digest}'"}
        return self.filled("page.html", {**parts, **own}) + "\n"

    def _text(self, name: str) -> str:
        folder = resources.files(self.package) / _FOLDER
        return folder.joinpath(name).read_text(encoding="utf-8")


def html_text(text: str) -> str:
    """Return a text as HTML; a file name may be no text."""
    return html.escape(text.encode(errors="backslashreplace").decode())
