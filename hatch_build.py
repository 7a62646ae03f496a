"""The build hook of this distribution: a wheel has its templates compiled."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PassgenBuildHook(BuildHookInterface[Any]):
    """Adds compiled templates to a wheel, and refuses what cannot work."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the templates by the Jinja of the build.

        An editable installation shows each change of a template at once, and needs the
        symbolic link to the rules.
        """
        if version == "editable":
            self._check_link()
            return
        sys.path.insert(0, self.root)
        import passgen  # noqa: PLC0415 - see above

        # A source distribution, and a checkout without symbolic links, lack the link.
        passgen.__path__.append(str(Path(self.root, "runtime")))
        from passgen.render import compile_templates  # noqa: PLC0415 - see above

        self.folder = tempfile.TemporaryDirectory(prefix="passgen-templates-")
        compile_templates(Path(self.folder.name))
        build_data["force_include"][self.folder.name] = "passgen/compiled_templates"

    def finalize(self, *_: object) -> None:
        """Remove the compiled templates, which the wheel has."""
        if hasattr(self, "folder"):
            self.folder.cleanup()

    def _check_link(self) -> None:
        """Abort if git has written the symbolic link as a text file."""
        if not Path(self.root, "passgen", "passgen_rules").is_dir():
            self.app.abort(
                "'passgen/passgen_rules' is no symbolic link, which an editable install"
                " needs: run `git config core.symlinks true`, delete it and run `git"
                " checkout passgen/passgen_rules`"
            )
