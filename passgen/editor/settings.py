"""The settings that an editor gives to the server, and what is wrong with them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from passgen.passgen_rules.suggestions import nearest_name


@dataclass(frozen=True)
class Settings:
    """What the user of an editor may choose."""

    specs: tuple[str, ...] = ()
    """Patterns of the specs that belong together, from the root; by default those in
    the folder of a spec."""

    schema: bool = True
    """Whether to answer from the schema as well: another server may do so."""

    driver: tuple[str, ...] = ()
    """The command line of a driver, which can list its passes."""

    registered: tuple[str, ...] = ()
    """Passes of the driver, which pipelines in texts may name."""


def read_settings(options: object) -> tuple[Settings, list[str]]:
    """Return the settings in the options of an editor, and what is wrong with them.

    A setting that is wrong has its default.
    """
    settings = Settings()
    if not isinstance(options, Mapping):
        found = [] if options is None else [_wrong(options, "an object")]
        return settings, [f"initialization options: {text}" for text in found]
    messages = []
    for name, value in options.items():
        if name not in _READERS:
            meant = nearest_name(str(name), _READERS)
            hint = f"did you mean '{meant}'?" if meant else f"known: {_KNOWN}"
            messages.append(f"unknown option '{name}'; {hint}")
        elif value is not None:
            try:
                settings = replace(settings, **{name: _READERS[name](value)})
            except _WrongError as error:
                messages.append(f"option '{name}': {error}")
    return settings, messages


class _WrongError(Exception):
    """The value of a setting is wrong."""


def _wrong(found: object, expected: str) -> str:
    return f"found {json.dumps(found, ensure_ascii=False)}, expected {expected}"


def _patterns(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise _WrongError(_wrong(value, 'a list, such as ["specs/*.yaml"]'))
    for pattern in value:
        if not isinstance(pattern, str) or not _is_pattern(pattern):
            raise _WrongError(_wrong(pattern, "a pattern relative to the root"))
    return tuple(value)


def _is_pattern(text: str) -> bool:
    try:
        next(Path("no such folder").glob(text), None)
    except (ValueError, NotImplementedError):  # empty, or an absolute path
        return False
    return True


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise _WrongError(_wrong(value, "true or false"))
    return value


def _command(value: object) -> tuple[str, ...]:
    expected = 'a command line, such as "passgen-opt"'
    if not isinstance(value, str):
        raise _WrongError(_wrong(value, expected))
    try:
        return tuple(shlex.split(value))
    except ValueError as error:  # a quote is not closed
        raise _WrongError(_wrong(value, expected)) from error


_READERS: Final[Mapping[str, Callable[[object], Any]]] = {
    "specs": _patterns,
    "schema": _flag,
    "driver": _command,
}
"""What reads each setting."""

_KNOWN: Final = ", ".join(_READERS)
