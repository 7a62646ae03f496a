"""The folder of a playground: its page, Pyodide, and the Python code that runs there.

Nothing in it is built, and the page loads nothing from elsewhere. The code is that of
the installed packages, in one archive.
"""

from __future__ import annotations

import html
import json
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module, metadata, resources
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from passgen_rules.code_colors import css_variables
from passgen_runtime.errors import PassError
from passgen_runtime.pass_manager_builder import PassManagerBuilder
from passgen_runtime.pass_registry import PassRegistry
from passgen_runtime.passes import with_shipped
from passgen_runtime.plugins import load_plugins
from passgen_tools.report import ir_tokens_script, page_sources

_ROOTS: Final = ("mlir-passgen-tools", "xdsl")
"""The distributions that every playground has, with all that they need."""

_UNLISTED: Final = ("passgen_rules",)
"""Packages beside the one that an editable distribution is named after."""

_PAGE_FILES: Final = ("playground.js", "worker.js")
_PYODIDE_FILES: Final = (
    *("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm"),
    *("pyodide-lock.json", "python_stdlib.zip"),
)
_DISTRIBUTION_FILES: Final = ("METADATA", "entry_points.txt")
_REQUIREMENT: Final = re.compile(r"([\w.-]+)[^;]*(?:;(.*))?", re.DOTALL)


class PlaygroundError(PassError):
    """A playground cannot be made."""


def write_playground(  # noqa: PLR0913 - the site gives all of them
    folder: Path,
    pyodide: Path,
    plugins: Sequence[str] = (),
    modules: Sequence[str] = (),
    *,
    title: str = "passgen",
    first: str = "",
) -> list[str]:
    """Write the playground to `folder`; return what it lacks, a line each.

    Args:
        folder: is made if it does not exist.
        pyodide: the folder of the npm package `pyodide`.
        plugins: the passes to offer beside those shipped here and xDSL's.
        modules: what the passes import when they run, to pack as well.
        title: that of the site to which the page belongs.
        first: `ir` and `pipeline` to open with, as JSON.

    Raises:
        PlaygroundError: the npm package is not there, or is of another version; or a
            module does not import.
        PluginError: a plugin does not load.
    """
    _check_pyodide(pyodide)
    builder = PassManagerBuilder(registry=with_shipped(PassRegistry()))
    known = set(sys.modules)
    found = load_plugins(builder, plugins)
    for name in modules:
        _import(name)
    imported = sorted(set(sys.modules) - known)
    packages = _Packages()
    for name in _ROOTS:
        packages.add_distribution(name)
    for name in _UNLISTED:
        packages.add_module(name)
    for plugin in found:
        packages.add_module(plugin.target.partition(":")[0])
    # No distribution names the modules beside a plugin that is a file.
    for module in imported:
        packages.add_import(module)
    (folder / "pyodide").mkdir(parents=True, exist_ok=True)
    for name in _PYODIDE_FILES:
        shutil.copyfile(pyodide / name, folder / "pyodide" / name)
    with ZipFile(folder / "packages.zip", "w") as archive:
        for name, content in sorted(packages.files.items()):
            # Without the time, so that equal packages make an equal archive.
            archive.writestr(ZipInfo(name), content, ZIP_DEFLATED)
    style = css_variables() + _page_file("playground.css").decode()
    (folder / "playground.css").write_text(style, encoding="utf-8")
    (folder / "tokens.js").write_text(ir_tokens_script(), encoding="utf-8")
    for name in _PAGE_FILES:
        (folder / name).write_bytes(_page_file(name))
    values = {
        # The report of a run is a frame in the page, which inherits its policy.
        **page_sources(),
        "PLUGINS": json.dumps(plugins),
        "TITLE": title,
        "FIRST": first,
    }
    text = _page_file("index.html").decode()
    page = re.sub("@([A-Z_]+)@", lambda name: html.escape(values[name[1]]), text)
    (folder / "index.html").write_text(page, encoding="utf-8")
    return packages.lacks


def _import(module: str) -> None:
    try:
        import_module(module)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        message = f"module '{module}', which a pass needs, does not import: {reason}"
        raise PlaygroundError(message) from error


def _page_file(name: str) -> bytes:
    return resources.files(__package__).joinpath("page", name).read_bytes()


def _check_pyodide(folder: Path) -> None:
    pinned = json.loads(_page_file("package.json"))["dependencies"]["pyodide"]
    note = f"note: `npm install pyodide@{pinned}` installs it in node_modules/pyodide"
    try:
        package = json.loads((folder / "package.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        message = f"'{folder}' is not the folder of the npm package pyodide\n{note}"
        raise PlaygroundError(message) from error
    if package.get("version") != pinned:
        message = f"'{folder}' has pyodide {package.get('version')}, not {pinned}"
        raise PlaygroundError(f"{message}\n{note}")


class _Packages:
    """The files of installed packages, by their names in the archive."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.lacks: list[str] = []
        self._distributions: set[str] = set()
        self._modules = metadata.packages_distributions()

    def add_distribution(self, name: str) -> None:
        """Add the packages of a distribution and of those that it needs."""
        if _normal(name) in self._distributions:
            return
        self._distributions.add(_normal(name))
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            self.lacks.append(f"{name} is not installed")
            return
        for module in self._top_modules(distribution):
            self._add_package(module)
        for file in _DISTRIBUTION_FILES:
            if text := distribution.read_text(file):
                folder = f"{_normal(name)}-{distribution.version}.dist-info"
                self.files[f"{folder}/{file}"] = text.encode()
        for requirement in distribution.requires or ():
            match = _REQUIREMENT.match(requirement)
            assert match is not None
            # What an extra or an old Python needs is there only by chance.
            if match[2] is None:
                self.add_distribution(match[1])

    def add_module(self, module: str) -> None:
        """Add the outermost package of `module`, and the distribution that has it."""
        parts = module.split(".")
        ancestors = (".".join(parts[: end + 1]) for end in range(len(parts)))
        self._add_package(next(filter(_has_file, ancestors)))
        for entry in metadata.entry_points(group="passgen.plugins"):
            if entry.module.partition(".")[0] == parts[0] and entry.dist is not None:
                self.add_distribution(entry.dist.name)
        for name in self._modules.get(parts[0], ()):
            self.add_distribution(name)

    def add_import(self, module: str) -> None:
        """Add an imported module, unless it is Python's or a package added has it."""
        top = module.partition(".")[0]
        spec = sys.modules[module].__spec__
        if top in sys.stdlib_module_names or spec is None or not spec.has_location:
            return
        place = module.replace(".", "/")
        names = (f"{place}.py", f"{place}/__init__.py")
        if not any(name in self.files for name in names):
            self.add_module(module)

    def _top_modules(self, distribution: metadata.Distribution) -> Iterator[str]:
        found = [
            module
            for module, owners in self._modules.items()
            if distribution.name in owners and _has_file(module)
        ]
        # An editable installation does not list its modules.
        guess = distribution.name.replace("-", "_").removeprefix("mlir_")
        yield from found or ([guess] if _has_file(guess) else [])

    def _add_package(self, module: str) -> None:
        spec = find_spec(module)
        assert spec is not None
        assert spec.origin is not None
        place = module.replace(".", "/")
        origin = Path(spec.origin)
        if spec.submodule_search_locations is None:
            files = {f"{place}{''.join(origin.suffixes)}": origin}
        else:
            root = origin.parent
            files = {
                f"{place}/{path.relative_to(root).as_posix()}": path
                for path in root.rglob("*")
                if path.is_file() and "__pycache__" not in path.parts
            }
        if any(name.endswith(tuple(EXTENSION_SUFFIXES)) for name in files):
            lack = f"{module} has native code, which no browser runs"
            self.lacks += () if lack in self.lacks else (lack,)
            return
        self.files |= {name: path.read_bytes() for name, path in files.items()}


def _has_file(module: str) -> bool:
    spec = find_spec(module)
    return spec is not None and spec.origin not in {None, "built-in", "frozen"}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
