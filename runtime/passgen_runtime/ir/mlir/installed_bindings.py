"""The packages that have MLIR's Python bindings, found without importing one.

MLIR's build writes the modules `ir` and `_mlir_libs` of all bindings into one folder.
An installed distribution lists its files in its RECORD. A folder of the path without
distributions, such as that of a build of LLVM, is searched itself.
"""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distributions, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Final

ENTRY_POINT_GROUP: Final = "passgen.mlir_bindings"
"""The entry points that announce more packages with bindings, as their values."""

_LIBRARIES: Final = "_mlir_libs"
_LIBRARIES_MODULE: Final = f"{_LIBRARIES}/__init__.py"
_MAIN_MODULE: Final = "ir.py"

_LIBRARY_SUFFIXES: Final = frozenset({".so", ".dylib", ".dll"})

_PATTERNS: Final = (f"*/{_LIBRARIES_MODULE}", f"*/*/{_LIBRARIES_MODULE}")
"""The places of bindings below a folder of the path: `mlir`, `iree/compiler`."""


def installed_packages() -> list[str]:
    """Return the packages that distributions or folders of the path have, sorted."""
    path = [Path(entry).absolute() for entry in sys.path]
    announced = [
        point.value
        for point in entry_points(group=ENTRY_POINT_GROUP)
        if folder_of(point.value) is not None
    ]
    found = (_package_name(folder, path) for folder in _folders(path))
    return sorted({*announced, *filter(None, found)})


def folder_of(package: str) -> Path | None:
    """Return the folder of the bindings in `package`, `None` if it has none."""
    top, *inner = package.split(".")
    spec = find_spec(top)
    for entry in (spec and spec.submodule_search_locations) or ():
        folder = Path(entry, *inner)
        if (folder / _MAIN_MODULE).is_file():
            return folder
    return None


def libraries_shared_with_others(package: str) -> Iterator[tuple[str, list[str]]]:
    """Yield imported bindings, with the names of libraries that `package` has as well.

    The dynamic loader of a system may load only one library of a name.
    """
    folder = folder_of(package)
    own = set() if folder is None else _library_names(folder / _LIBRARIES)
    for name, module in sorted(sys.modules.items()):
        other, _, last = name.rpartition(".")
        if last == _LIBRARIES and other != package:
            others = [_library_names(Path(entry)) for entry in module.__path__]
            if shared := own.intersection(*others):
                yield other, sorted(shared)


def _library_names(folder: Path) -> set[str]:
    """Return the names of the shared libraries in `folder` that are no modules."""
    return {
        file.name
        for file in folder.glob("*")
        if file.suffix in _LIBRARY_SUFFIXES and not file.name.startswith("_")
    }


def _folders(path: Iterable[Path]) -> Iterator[Path]:
    """Yield the folders of bindings, some of them perhaps twice."""
    without_distributions = {*path} - {Path(os.__file__).absolute().parent}
    for distribution in distributions():
        without_distributions.discard(_place(distribution, ""))
        yield from _recorded_folders(distribution)
    for entry in without_distributions:
        for pattern in _PATTERNS:
            for found in entry.glob(pattern):
                yield found.parents[1]


def _recorded_folders(distribution: Distribution) -> Iterator[Path]:
    """Yield the folders of bindings in the RECORD of `distribution`."""
    record = distribution.read_text("RECORD") or ""
    if _LIBRARIES_MODULE not in record:  # no row needs to be parsed
        return
    for row in csv.reader(record.splitlines()):
        if row and row[0].endswith(f"/{_LIBRARIES_MODULE}"):
            yield _place(distribution, row[0]).parents[1]


def _place(distribution: Distribution, file: str) -> Path:
    """Return the path of a file in the RECORD of `distribution`."""
    return Path(str(distribution.locate_file(file))).absolute()


def _package_name(folder: Path, path: Iterable[Path]) -> str | None:
    """Return the name that imports `folder`, `None` if it is no package with bindings.

    Of two folders of the path, one may be inside of the other one.
    """
    if not (folder / _MAIN_MODULE).is_file():
        return None
    roots = [root for root in path if root in folder.parents]
    if not roots:
        return None
    names = folder.relative_to(max(roots, key=lambda root: len(root.parts))).parts
    return ".".join(names) if all(map(str.isidentifier, names)) else None
