"""Links from passes to their declarations and implementations in a repository.

https://example.com/mine/blob/main/{path}#L{line}
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from passgen.diagnostics import UserError
from passgen.source import Location


@dataclass(frozen=True)
class SourceLink:
    """A place in a source."""

    label: str
    href: str
    """Empty if the site does not know the address of the sources."""


@dataclass(frozen=True)
class Sources:
    """The folder of sources on disk, and their address for readers."""

    url: str = ""
    """The address of a line, with `{path}` and `{line}`; empty if there is none."""

    folders: tuple[Path, ...] = ()
    """The roots of imports, where constructors are looked up."""

    def __post_init__(self) -> None:
        """Check the address.

        Raises:
            UserError: it names no path, or is no address of a web page.
        """
        if self.url and ("{path}" not in self.url or not _ADDRESS.match(self.url)):
            message = (
                f"address of sources: found '{self.url}', expected one such as "
                "'https://example.com/mine/blob/main/{path}#L{line}'"
            )
            raise UserError(message)

    def declaration(self, location: Location) -> SourceLink:
        """Return a link to `location`, which is in a spec."""
        return self._link(Path(location.source.name), location.line)

    def implementation(self, constructor: str) -> SourceLink:
        """Return a link to the class that `constructor`, `module:Class`, names."""
        module, _, name = constructor.partition(":")
        found = _class(self.folders, module, name)
        link = self._link(*found) if found else SourceLink("", "")
        return SourceLink(constructor, link.href)

    def _link(self, path: Path, line: int) -> SourceLink:
        shown = path.absolute().relative_to(_repository(path)).as_posix()
        href = self.url.replace("{path}", quote(shown)).replace("{line}", str(line))
        return SourceLink(f"{shown}:{line}", href)


_ADDRESS = re.compile(r"https?://|\.{0,2}/")


def _repository(path: Path) -> Path:
    """Return the folder of the repository that `path` is in, or its own folder."""
    folders = path.absolute().parents
    return next(
        (folder for folder in folders if (folder / ".git").exists()), folders[0]
    )


def _class(folders: Sequence[Path], module: str, name: str) -> tuple[Path, int] | None:
    """Return the file and the line of a class, if one of `folders` has it."""
    stem = module.replace(".", "/")
    begins = re.compile(rf"class {re.escape(name)}\b")
    for folder in folders:
        for path in (folder / f"{stem}.py", folder / stem / "__init__.py"):
            if path.is_file():
                lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
                found = (at for at, line in enumerate(lines, 1) if begins.match(line))
                return path, next(found, 1)
    return None
