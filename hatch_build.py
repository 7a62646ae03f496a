"""The build hook of this project: refuses an editable install that cannot work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class LinkCheck(BuildHookInterface[Any]):
    """Checks the symbolic link to the rules, which an editable install imports."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Abort an editable install if git has written the link as a text file."""
        del build_data
        link = Path(self.root, "passgen", "passgen_rules")
        if version == "editable" and not link.is_dir():
            self.app.abort(
                "'passgen/passgen_rules' is no symbolic link, which an editable install"
                " needs: run `git config core.symlinks true`, delete it and run `git"
                " checkout passgen/passgen_rules`"
            )
