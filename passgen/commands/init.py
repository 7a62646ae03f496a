"""`passgen init`: settings of editors that complete and check specs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from passgen import resources
from passgen.commands.outcome import CommandParser, Outcome
from passgen.diagnostics import UserError
from passgen.output import OutputFile, json_text, write

_DESCRIPTION: Final = """\
Write settings into this folder, so that the editor completes and checks the
specs below it: VS Code with the YAML extension, or Zed. The schema of specs is
copied beside them; run this command again after an update of passgen."""

_EPILOG: Final = """\
examples:
  passgen init --editor zed
  passgen init 'specs/*.yaml'
"""

SCHEMA: Final = ".passgen/pass-group.schema.json"
"""The copy of the schema in a project."""

PATTERN: Final = "*.passes.yaml"
"""The names of specs that editors recognize, unless told otherwise."""

_EDITORS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "vscode": (".vscode/settings.json", ("yaml.schemas",)),
    "zed": (
        ".zed/settings.json",
        ("lsp", "yaml-language-server", "settings", "yaml", "schemas"),
    ),
}
"""The settings of each editor, and the keys that lead to its schemas."""


def find_schema(folder: Path) -> Path:
    """Return the copy of the schema for specs in `folder`, which may have to be made.

    It is that of the folder or the nearest one above that has one.
    """
    places = (parent / SCHEMA for parent in (folder, *folder.resolve().parents))
    return next((place for place in places if place.is_file()), folder / SCHEMA)


class SettingsError(UserError):
    """The schema cannot be added to existing settings."""


class _InitArguments(argparse.Namespace):
    patterns: list[str]
    editors: list[str] | None = None


def run(argv: Sequence[str], _folder: Path | None) -> Outcome:
    """Write the settings that `argv` asks for."""
    parser = CommandParser("passgen init", _DESCRIPTION, _EPILOG)
    parser.add_argument(
        "patterns",
        metavar="PATTERN",
        nargs="*",
        help=f"names of spec files, {PATTERN.replace('%', '%%')} by default",
    )
    parser.add_argument(
        "--editor",
        dest="editors",
        action="append",
        choices=list(_EDITORS),
        help="the editor, vscode by default; may be repeated",
    )
    arguments = parser.parse_args(argv, _InitArguments())
    patterns = arguments.patterns or [PATTERN]
    text = resources.schema().read_text(encoding="utf-8")
    files = [OutputFile(Path(SCHEMA), text)]
    editors = dict.fromkeys(arguments.editors or ["vscode"])
    files += [_settings(*_EDITORS[editor], patterns) for editor in editors]
    write(files)
    return Outcome(lines=tuple(str(file.path) for file in files))


def _settings(name: str, keys: Sequence[str], patterns: Sequence[str]) -> OutputFile:
    """Return the settings in the file `name`, with the schema of `patterns` added.

    Raises:
        SettingsError: the file cannot be read, or is not plain JSON.
    """
    path = Path(name)
    schema = f"./{SCHEMA}"
    wanted = patterns[0] if len(patterns) == 1 else list(patterns)
    settings = _read(path, keys, {schema: wanted})
    inside = settings
    for number, key in enumerate(keys):
        inside = inside.setdefault(key, {})
        if not isinstance(inside, dict):
            place = ".".join(keys[: number + 1])
            message = (
                f"{path}: error: '{place}' is no object, so no schema can be added"
            )
            raise SettingsError(message)
    if inside.get(schema) == wanted:
        return OutputFile(path, path.read_text(encoding="utf-8"))
    inside[schema] = wanted
    return OutputFile(path, json_text(settings))


def _read(path: Path, keys: Sequence[str], addition: dict[str, Any]) -> dict[str, Any]:
    """Return the settings in the file at `path`, empty if there is none."""
    try:
        text = path.read_text(encoding="utf-8")
        settings = json.loads(text) if text.strip() else {}
    except FileNotFoundError:
        return {}
    except OSError as error:
        message = f"{path}: error: it cannot be read: {error.strerror}"
        raise SettingsError(message) from error
    except ValueError as error:  # such as comments, which editors allow
        where = " > ".join(keys)
        message = (
            f"{path}: error: it is not plain JSON, and comments would be lost: "
            f"{error}\n"
            f"note: add this to {where}: {json.dumps(addition)}"
        )
        raise SettingsError(message) from error
    if not isinstance(settings, dict):
        message = f"{path}: error: found no object, expected the settings of an editor"
        raise SettingsError(message)
    return settings
