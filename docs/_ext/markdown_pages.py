"""The pages that `llms.txt` names, as Markdown beside the pages of the site."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final

from sphinx.application import Sphinx

_LINK: Final = re.compile(r"\]\(([^)]+\.md)\)")


def _copy(app: Sphinx, error: Exception | None) -> None:
    if error is not None or app.builder.name != "html":
        return
    source, site = Path(app.srcdir), Path(app.outdir)
    for name in _LINK.findall((source / "llms.txt").read_text(encoding="utf-8")):
        shutil.copyfile(source / name, site / name)


def setup(app: Sphinx) -> dict[str, bool]:
    """Copy the pages after the site is written."""
    app.connect("build-finished", _copy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
