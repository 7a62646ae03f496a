"""The settings of pytest that new tests need, in a file that may have others."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from passgen.commands.new_project import PROJECT

_SECTIONS: Final = {
    "pytest.ini": "[pytest]",
    ".pytest.ini": "[pytest]",
    "pytest.toml": "[pytest]",
    PROJECT: "[tool.pytest",
    "tox.ini": "[pytest]",
    "setup.cfg": "[tool:pytest]",
}
"""The files that may have settings of pytest, each with the section of the settings."""

_HEADER: Final = re.compile(
    r"^[ \t]*\[[ \t]*tool\.pytest(\.ini_options)?[ \t]*\][^\n]*\n?", re.MULTILINE
)
_NEXT_HEADER: Final = re.compile(r"^[ \t]*\[", re.MULTILINE)

Settings = Mapping[str, list[str]]
"""The elements that the list of each key needs."""


def names_driver(root: Path, driver: str) -> bool:
    """Return whether settings for tests in `root`, or above, name `driver`."""
    here = root.resolve()
    for folder in (here, *here.parents):
        for name, section in _SECTIONS.items():
            text = _text(folder / name)
            if section in text and f"{driver}:main" in text:
                return True
    return False


def file_to_edit(root: Path) -> Path | None:
    """Return the file in `root` whose settings pytest reads, other than a project's."""
    for name, section in _SECTIONS.items():
        if name != PROJECT and section in _text(root / name):
            return root / name
    return None


def with_settings(path: Path, settings: Settings) -> str | None:
    """Return the text of a `pyproject.toml` with `settings`, and all else as it was.

    Returns:
        `None` if the place of a setting is not found.
    """
    text = path.read_bytes().decode()
    end = "\r\n" if "\r\n" in text else "\n"
    try:
        wanted = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    pytest = wanted.setdefault("tool", {}).setdefault("pytest", {})
    is_native = bool(pytest.keys() - {"ini_options"})
    table = pytest if is_native else pytest.setdefault("ini_options", {})
    if not _HEADER.search(text):
        if table:  # in another form, such as an inline table
            return None
        gap = "" if not text.strip() else end if text.endswith("\n") else end * 2
        text += f"{gap}[tool.pytest.ini_options]{end}"
    for key, values in settings.items():
        for value in values:
            old = table.setdefault(key, [])
            if not isinstance(old, list):
                return None
            if value in old:
                continue
            old.append(value)
            added = _with_element(text, key, value, end, wanted)
            if added is None:
                return None
            text = added
    return text


def _with_element(
    text: str, key: str, value: str, end: str, wanted: Mapping[str, Any]
) -> str | None:
    """Return `text` with `value` in the list of `key`, so that it means `wanted`."""
    header = _HEADER.search(text)
    assert header
    after = _NEXT_HEADER.search(text, header.end())
    stop = after.start() if after else len(text)
    element = json.dumps(value, ensure_ascii=False)
    begin = re.compile(rf"^[ \t]*{re.escape(key)}[ \t]*=[ \t]*\[", re.MULTILINE)
    if start := begin.search(text, header.end(), stop):
        # A bracket may be in a text or a comment: the right one is that which works.
        brackets = re.compile(r"\]").finditer(text, start.end())
        candidates = (
            _inserted(text, bracket.start(), element, end) for bracket in brackets
        )
        return next((each for each in candidates if _means(each, wanted)), None)
    body = header.end() + _length_without_end(text[header.end() : stop])
    line = f"{key} = [{element}]{end}"
    gap = "" if text[:body].endswith("\n") else end
    added = f"{text[:body]}{gap}{line}{text[body:]}"
    return added if _means(added, wanted) else None


def _length_without_end(section: str) -> int:
    """Return the length of `section` without the comments and blank lines at its end.

    A comment there belongs to what follows.
    """
    length = position = 0
    for line in section.splitlines(keepends=True):
        position += len(line)
        if line.strip() and not line.lstrip().startswith("#"):
            length = position
    return length


def _inserted(text: str, bracket: int, element: str, end: str) -> str:
    """Return `text` with `element` before the `bracket` that closes a list."""
    before = text[:bracket].rstrip()
    gap = text[len(before) : bracket]
    comma = "" if before.endswith((",", "[")) else ","
    if "\n" not in gap:
        space = "" if before.endswith("[") else " "
        return f"{before}{comma}{space}{element}{gap}{text[bracket:]}"
    last = before.rpartition("\n")[2]
    is_first = before.endswith("[")
    margin = "    " if is_first else last[: len(last) - len(last.lstrip())]
    return f"{before}{comma}{end}{margin}{element},{gap}{text[bracket:]}"


def _means(text: str, wanted: Mapping[str, Any]) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        return False


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.is_file() else ""
