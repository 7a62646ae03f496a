"""The JSON of `llvm-tblgen --dump-json`, read with types: the base of `dump`.

A dump may be of any version of the tool, truncated, or edited. Unexpected JSON is an
error that names the place, so that later steps need no checks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from passgen.diagnostics import Diagnostic, Note, SpecError
from passgen.source import Location, SourceFile

_PLACE: Final = re.compile(r"(?P<file>.+):(?P<line>[0-9]{1,9})", re.DOTALL)
_CUT: Final = re.compile(r"\s*|t|tr|tru|f|fa|fal|fals|n|nu|nul|-|u[0-9a-fA-F]{0,4}")
"""The rest of a truncated dump after the last token."""

IDENTIFIER: Final = re.compile("[A-Za-z0-9_]+")
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class JsonRecord:
    """A record of any class."""

    name: str
    is_anonymous: bool
    superclasses: tuple[str, ...]
    place: tuple[str, int] | None
    """The file's name and the line of the record; old versions have none."""

    fields: Mapping[str, Any]
    """All fields, with values of any kind."""


@dataclass(frozen=True)
class JsonDump:
    """The records of a file and of all that it includes."""

    records: Mapping[str, JsonRecord]
    _instances: Mapping[str, tuple[str, ...]]

    def instances(self, class_name: str) -> tuple[str, ...]:
        """Return the names of the records of a class; each is there."""
        return self._instances.get(class_name, ())


def read_dump_text(text: str, source: SourceFile) -> JsonDump:
    """Return the records of the dump `text`.

    Args:
        text: the output of `llvm-tblgen --dump-json`.
        source: the `.td` file; without a text, the file of the dump itself.

    Raises:
        SpecError: it is no dump.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise _not_json(text, error, source) from error
    except RecursionError as error:
        message = "found values that are nested too deeply to be read"
        raise SpecError([Diagnostic(message, _deepest_place(source))]) from error
    except ValueError as error:
        raise _damage_error("found no JSON dump of llvm-tblgen", source) from error
    if not isinstance(data, dict) or "!instanceof" not in data:
        raise _damage_error("found no JSON dump of llvm-tblgen", source)
    return _Reader(source).dump(data)


def _deepest_place(source: SourceFile) -> Location:
    """Return the place of the parenthesis inside of most others."""
    depth = deepest = place = 0
    for found in re.finditer("[()]", source.text):
        depth += 1 if found[0] == "(" else -1
        if depth > deepest:
            deepest, place = depth, found.start()
    before = source.text[:place]
    line_start = before.rfind("\n") + 1
    return Location(source, before.count("\n") + 1, place - line_start + 1)


def reference_of(item: object) -> str:
    """Return the name of the record that a field's value refers to, if any."""
    name = item.get("def") if isinstance(item, dict) else None
    return name if is_text(name) else ""


def is_text(value: object) -> TypeGuard[str]:
    """Return whether `value` is text that UTF-8 can encode."""
    return isinstance(value, str) and not _LONE_SURROGATE.search(value)


def _not_json(text: str, error: json.JSONDecodeError, source: SourceFile) -> SpecError:
    if error.msg.startswith("Unterminated") or _CUT.fullmatch(text, error.pos):
        message = "the dump of llvm-tblgen ends before it is complete"
    else:
        message = "found no JSON dump of llvm-tblgen"
    # Locations in the dump mean nothing in the `.td` file.
    line, column = (1, 1) if source.text else (error.lineno, error.colno)
    return _damage_error(message, source, line, column)


def _damage_error(
    message: str, source: SourceFile, line: int = 1, column: int = 1
) -> SpecError:
    note = Note("make one with: llvm-tblgen --dump-json -I DIR Passes.td")
    return SpecError([Diagnostic(message, Location(source, line, column), (note,))])


class _Reader:
    """Reads the parts that records of all classes have."""

    def __init__(self, source: SourceFile) -> None:
        self._source = source

    def dump(self, data: Mapping[str, Any]) -> JsonDump:
        records = {
            name: self._record(name, value)
            for name, value in data.items()
            if not name.startswith("!")
        }
        listed = data["!instanceof"]
        if not isinstance(listed, dict):
            raise self._unexpected_error("'!instanceof'", listed, "a mapping")
        self._require_identifiers("a class of '!instanceof'", listed)
        instances = {
            class_name: self._texts(f"'{class_name}' of '!instanceof'", names)
            for class_name, names in listed.items()
        }
        for class_name, names in instances.items():
            for name in names:
                if name in records and class_name in records[name].superclasses:
                    continue
                message = f"record '{name}' of the dump is listed as '{class_name}', "
                message += "and is not there" if name not in records else "and is none"
                raise _damage_error(message, self._source)
        return JsonDump(records, instances)

    def _record(self, name: str, data: object) -> JsonRecord:
        if not is_text(name):
            raise self._unexpected_error("the name of a record", name, "text")
        what = f"record '{name}'"
        if not isinstance(data, dict):
            raise self._unexpected_error(what, data, "a mapping")
        is_anonymous = data.get("!anonymous")
        if not isinstance(is_anonymous, bool):
            flag = f"'!anonymous' of {what}"
            raise self._unexpected_error(flag, is_anonymous, "true or false")
        classes = data.get("!superclasses")
        superclasses = self._texts(f"'!superclasses' of {what}", classes)
        fields = {key: data[key] for key in data if not key.startswith("!")}
        self._require_identifiers(f"a class of {what}", superclasses)
        self._require_identifiers(f"a field of {what}", fields)
        place = self._place(what, data.get("!locs", []))
        return JsonRecord(name, is_anonymous, superclasses, place, fields)

    def _place(self, what: str, places: object) -> tuple[str, int] | None:
        found = self._texts(f"'!locs' of {what}", places)
        if not found:
            return None
        match = _PLACE.fullmatch(found[-1])
        if match is None:
            raise self._unexpected_error(
                f"'!locs' of {what}", places, "a file and its line"
            )
        return match["file"], int(match["line"])

    def _texts(self, what: str, value: object) -> tuple[str, ...]:
        if isinstance(value, list) and all(map(is_text, value)):
            return tuple(value)
        raise self._unexpected_error(what, value, "a list of texts")

    def _require_identifiers(self, what: str, names: Iterable[str]) -> None:
        for name in names:
            if not IDENTIFIER.fullmatch(name):
                raise self._unexpected_error(what, name, "an identifier")

    def _unexpected_error(self, what: str, found: object, expected: str) -> SpecError:
        text = json.dumps(found)
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        message = f"{what} of the dump is {shown}, expected {expected}"
        return _damage_error(message, self._source)


_SHOWN: Final = 60
"""Characters of a wrong value that a message shows."""
