"""Layout of generated Python: black, with the settings of the project around it.

    laid_out("affine_passes.py", text, Path("src/generated"))

As for `black` itself, the settings are in the nearest folder above the output that has
a `[tool.black]` or is the root of a repository. A user's global settings are ignored,
so that the result of `passgen --check` is the same on each machine.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from passgen.diagnostics import Diagnostic, RenderError, UserError
from passgen.source import Location, SourceFile, read_file

if TYPE_CHECKING:
    from black import Mode

_Value = TypeVar("_Value")

_PLACE: Final = re.compile(r" \(at line (?P<line>\d+), column (?P<column>\d+)\)")
_KINDS: Final = {int: "a whole number", bool: "true or false", list: "a list of texts"}


class LayoutError(UserError):
    """A `pyproject.toml` cannot be read, or has settings that black refuses."""


def is_python(name: str) -> bool:
    """Return whether an output called `name` is Python, which black lays out."""
    return name.endswith(".py")


def laid_out(name: str, text: str, folder: Path | None) -> str:
    """Return `text` as black lays it out, or unchanged if it is not Python.

    Args:
        name: the name of the output.
        text: the rendered text.
        folder: the folder of the output; without one, black's defaults apply.

    Raises:
        SettingsError: the settings of the project are wrong.
        RenderError: the text is not Python.
    """
    if not is_python(name):
        return text
    import black  # noqa: PLC0415 - takes a while, and not every output is Python
    from black.parsing import InvalidInput  # noqa: PLC0415 - as above

    project = _project(folder) if folder else None
    mode = _mode(*project) if project else black.Mode()
    try:
        return _format(text, mode)
    except InvalidInput as error:
        reason = f"the template made no valid Python: {error}"
        raise RenderError(name, None, reason) from error


@lru_cache(maxsize=256)
def _format(text: str, mode: Mode) -> str:
    """Return `text` as black lays it out; a watch lays out only what has changed."""
    from black import format_str  # noqa: PLC0415 - see `laid_out`

    return format_str(text, mode=mode)


def settings_file(folder: Path) -> Path | None:
    """Return the `pyproject.toml` with the settings of files in `folder`, if any.

    Raises:
        SettingsError: a file that may have them cannot be read.
    """
    project = _project(folder)
    return project[0] if project else None


def _project(folder: Path) -> tuple[Path, dict[str, Any]] | None:
    """Return the `pyproject.toml` that applies to `folder`, and its content."""
    try:
        place = path = Path(os.path.realpath(folder))
    except OSError:  # the current folder is gone; writing to it will report that
        return None
    try:
        for parent in (place, *place.parents):
            path = parent / "pyproject.toml"
            data = _read(path) if path.is_file() else None
            is_root = (parent / ".git").exists() or (parent / ".hg").is_dir()
            if is_root or (data is not None and _black(data) is not None):
                return None if data is None else (path, data)
    except OSError as error:
        reason = error.strerror or str(error)
        raise LayoutError(f"{path}: error: {reason[:1].lower()}{reason[1:]}") from error
    return None


def _mode(path: Path, data: dict[str, Any]) -> Mode:
    """Return the settings in `data`, read from `path`; unknown keys are ignored."""
    from black.files import infer_target_version  # noqa: PLC0415 - see `laid_out`
    from black.mode import Mode, TargetVersion  # noqa: PLC0415 - see `laid_out`

    table = {
        key.replace("--", "").replace("_", "-"): value
        for key, value in (_black(data) or {}).items()
    }

    def error(key: str, value: object, expected: str) -> LayoutError:
        message = f"'{key}' of [tool.black]: found {value!r}, expected {expected}"
        return LayoutError(f"{path}: error: {message}")

    def get(key: str, default: _Value) -> _Value:
        """Return the value of `key`, which is of the type of its default."""
        value = table.get(key, default)
        if type(value) is not type(default):  # True is an int, too
            raise error(key, value, _KINDS[type(default)])
        return value

    names = get("target-version", list[str]())
    versions = {version.name.lower(): version for version in TargetVersion}
    for name in names:
        if str(name) not in versions:
            raise error("target-version", name, f"one of {', '.join(versions)}")
    return Mode(
        target_versions=(
            {versions[name] for name in names}
            or set(infer_target_version(data) or ())  # from `requires-python`
        ),
        line_length=get("line-length", Mode().line_length),
        string_normalization=not get("skip-string-normalization", False),
        magic_trailing_comma=not get("skip-magic-trailing-comma", False),
        preview=get("preview", False),
    )


def _black(data: Mapping[str, Any]) -> dict[str, object] | None:
    """Return the table of black's settings in `data`, if there is one."""
    tools = data.get("tool")
    table = tools.get("black") if isinstance(tools, dict) else None
    return table if isinstance(table, dict) else None


def _read(path: Path) -> dict[str, Any]:
    try:
        text = read_file(path).decode()
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = _PLACE.search(message)
        line = int(place["line"]) if place else text.count("\n") + 1
        column = int(place["column"]) if place else 1
        location = Location(SourceFile(str(path), text), line, column)
        what = _PLACE.sub("", message)
        diagnostic = Diagnostic(what[:1].lower() + what[1:], location)
        raise LayoutError(diagnostic.render()) from error
    except UnicodeDecodeError as error:
        raise LayoutError(f"{path}: error: it is not UTF-8") from error
