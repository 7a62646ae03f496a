"""Where `passgen new` puts files: a folder of its own, or a package of a project."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from keyword import iskeyword
from pathlib import Path
from typing import Final

from passgen.diagnostics import UserError

_SCHEMA: Final = ".passgen/pass-group.schema.json"
"""The copy of the schema in a project."""

PROJECT: Final = "pyproject.toml"


class NotAPackageError(UserError):
    """The folder of a package has a name that Python cannot import."""


@dataclass(frozen=True)
class Project:
    """The folders of new passes, and how modules in them are imported.

    Outside of a package, all folders are the same one. The paths are relative to the
    current folder if that of the passes is.
    """

    folder: Path
    """The folder of the spec and the modules."""

    root: Path
    """The folder of the tests, the settings and the schema, where commands are run."""

    imports: Path
    """The folder in which Python finds the modules, or their package."""

    others: tuple[Path, ...] = ()
    """Further folders in which Python finds what the driver imports."""

    @property
    def package(self) -> str:
        """The package of the modules, with a dot at its end; empty if there is none."""
        parts = Path(os.path.relpath(self.folder, self.imports)).parts
        return "".join(f"{part}." for part in parts)

    @property
    def is_flat(self) -> bool:
        """Whether modules, tests and settings share a folder."""
        return self.root == self.folder

    @property
    def search_path(self) -> list[str]:
        """The folders to find modules in, as seen from the root."""
        return [self.from_root(folder) for folder in (self.imports, *self.others)]

    @property
    def schema(self) -> Path:
        """The copy of the schema, which may have to be made.

        It is that of the root or of the nearest folder above that has one.
        """
        above = (self.root, *self.root.resolve().parents)
        places = (folder / _SCHEMA for folder in above)
        return next((each for each in places if each.is_file()), self.root / _SCHEMA)

    def from_root(self, path: Path) -> str:
        """Return `path` as a command that is run in the root names it."""
        return Path(os.path.relpath(path, self.root)).as_posix()

    def program(self, module: str) -> str:
        """Return the command that runs `module`, a file in the folder, in the root."""
        needed = [folder for folder in self.search_path if folder != "."]
        path = f"PYTHONPATH={shlex.quote(os.pathsep.join(needed))} " if needed else ""
        if self.package:
            return f"{path}python -m {self.package}{module}"
        return f"{path}python {shlex.quote(self.from_root(self.folder / module))}.py"

    def renewal(self, spec: Path) -> str:
        """Return the command that renews what `spec` generates, run in the root."""
        output = self.output
        words = ["passgen", *(["-o", output] if output else []), self.from_root(spec)]
        return shlex.join(words)

    @property
    def output(self) -> str | None:
        """The folder of generated files, seen from the root; `None` for the root."""
        return None if self.is_flat else self.from_root(self.folder)

    def new_packages(self) -> Iterator[tuple[Path, str]]:
        """Yield each folder of a package that is to be made, with its dotted name."""
        names = self.package.split(".")[:-1]
        for number in range(1, len(names) + 1):
            folder = self.imports.joinpath(*names[:number])
            if not folder.exists():
                yield folder, ".".join(names[:number])


def find_project(folder: Path, dialect_module: str = "") -> Project:
    """Return the project of passes in `folder`, which may have to be made.

    It is in a package if it has an `__init__.py`, or the folder has that it is made in,
    or if it is below `src` beside a `pyproject.toml`.

    Args:
        folder: the folder of the passes.
        dialect_module: the module of a dialect that the driver imports; empty for none.

    Raises:
        NotAPackageError: a package could not be imported by its name.
    """
    here = folder.absolute()
    here = Path(os.path.normpath(here))
    imports = _root_of_imports(here)
    if imports is None:
        root = imports = here
    else:
        _check_names(here.relative_to(imports).parts, folder)
        above = (imports, *imports.parents)
        root = next((each for each in above if (each / PROJECT).is_file()), imports)
    if root == here:  # keep how the folder is written
        project = Project(folder, folder, folder)
    elif folder.is_absolute():
        project = Project(folder, root, imports)
    else:
        seen_root, seen_imports = map(Path, map(os.path.relpath, (root, imports)))
        project = Project(folder, seen_root, seen_imports)
    if dialect_module:
        found = _folder_of(dialect_module, [imports, Path.cwd(), root])
        if found is not None and found != imports:
            return replace(project, others=(found,))
    return project


def is_found(project: Project, module: str) -> bool:
    """Return whether `module` is in a folder of the project, or is installed."""
    folders = [project.imports, *project.others]
    if _folder_of(module, [each.absolute() for each in folders]):
        return True
    return find_spec(module.partition(".")[0]) is not None


def _root_of_imports(here: Path) -> Path | None:
    """Return the folder in which the package of `here` is, if it is in one."""
    for above in (here, *here.parents):
        if above.name == "src" and (above.parent / PROJECT).is_file():
            return above
    top = here
    while not top.exists():
        top = top.parent
    if not (top / "__init__.py").is_file():
        return None
    while (top / "__init__.py").is_file():
        top = top.parent
    return top


def _check_names(names: tuple[str, ...], folder: Path) -> None:
    for name in names:
        if not name.isidentifier() or iskeyword(name):
            raise NotAPackageError(
                f"{folder}: error: found the folder '{name}' in a package, expected a "
                f"name that Python can import, such as '{_identifier(name)}'"
            )


def _identifier(name: str) -> str:
    word = "".join(char if char.isalnum() else "_" for char in name)
    return word if word.isidentifier() and not iskeyword(word) else f"{word}_"


def _folder_of(module: str, folders: list[Path]) -> Path | None:
    """Return the first of `folders` in which Python would find `module`."""
    place = module.replace(".", "/")
    for folder in folders:
        if (folder / f"{place}.py").is_file() or (folder / place).is_dir():
            return folder
    return None
