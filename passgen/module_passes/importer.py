"""Passes of xDSL to the YAML of a spec.

A pass with a field that no option can be is an error at that field, and left out.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Final

from passgen import naming
from passgen.diagnostics import Diagnostic, Note, Severity, UserError
from passgen.imported_names import (
    block,
    is_argument,
    member_names,
    option_names,
    outside_access,
    pass_name,
    pass_names,
)
from passgen.source import Location, SourceFile
from passgen.spec import Data, write

_Json = Mapping[str, Any]

_PROBE: Final = Path(__file__).with_name("probe.py")
_PATIENCE_S: Final = 300

_TYPES: Final = {
    "bool": "bool",
    "int": "int64",
    "float": "double",
    "str": "string",
    "literal": "enum",
}
"""The types of options, by those of fields."""

_TYPES_NOTE: Final = Note(
    "types are bool, int, float, str, Literal of words, tuple[..., ...], each | None"
)


@dataclass(frozen=True)
class ImportedPasses:
    """The spec of the passes of a module."""

    text: str
    """The YAML of the spec."""

    classes: Mapping[str, str]
    """The class of each pass of the spec, as `module:Class`, by its name there."""

    diagnostics: tuple[Diagnostic, ...]
    """Errors about passes that are left out, and warnings."""


def import_module_passes(
    origin: str, folders: Sequence[Path], name: str | None, implementations: str
) -> ImportedPasses:
    """Return the spec of the passes of `origin`, whose code runs in another process.

    Args:
        origin: a module, whose submodules count, or an object `module:Name`.
        folders: where modules are looked for before those that are installed.
        name: the group's name, empty for none; by default that of the spec's file.
        implementations: the module that will implement the passes; empty for none.

    Raises:
        UserError: nothing can be imported.
    """
    answer = _ask(origin, folders)
    importer = _Importer(implementations, name)
    passes = dict(importer.entries(answer["passes"]))
    for module, reason in answer["errors"].items():
        message = f"passes of '{module}' are left out: it cannot be imported: {reason}"
        importer.report(message, (), severity="warning")
    data: dict[str, Data] = {} if name is None else {"name": name}
    data |= {"summary": f"Passes of {origin}", "ir": "xdsl", "passes": passes}
    text = write(data, f"# Imported from {origin} by passgen.\n")
    return ImportedPasses(text, importer.classes, tuple(importer.diagnostics))


def _ask(origin: str, folders: Sequence[Path]) -> _Json:
    """Return what the process that imports says about the passes of `origin`.

    Raises:
        UserError: it finds none, ends early, or takes too long.
    """
    try:
        done = subprocess.run(  # noqa: S603 - the author's own modules
            [sys.executable, "-P", str(_PROBE)],  # -P: nothing from the probe's folder
            input=json.dumps([origin, [str(folder.absolute()) for folder in folders]]),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            timeout=_PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _failure(f"importing '{origin}' takes over {_PATIENCE_S} s") from None
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    answer: _Json | str = lines[-1] if lines else origin
    if isinstance(answer, str):
        end = f"exit code {done.returncode}"
        raise _failure(f"importing '{answer}' ended the process with {end}")
    if not answer["passes"]:
        for module, reason in answer["errors"].items():
            raise _failure(f"'{module}' cannot be imported: {reason}")
        raise _failure(f"'{origin}' has no passes of xDSL")
    return answer


def _failure(what: str) -> UserError:
    return UserError(f"passgen import: error: {what}")


class _Importer:
    """The entries of passes, and what is reported about them."""

    def __init__(self, implementations: str, group: str | None) -> None:
        """Begin with no passes."""
        self.classes: dict[str, str] = {}
        self.diagnostics: list[Diagnostic] = []
        self._implementations = implementations
        self._names = pass_names(group)

    def entries(self, passes: Sequence[_Json]) -> Iterator[tuple[str, dict[str, Data]]]:
        """Yield the names and the entries of the passes that a spec can have."""
        for described in passes:
            before = len(self.diagnostics)
            options = self._options(described)
            found = self.diagnostics[before:]
            if not any(diagnostic.severity == "error" for diagnostic in found):
                class_name = re.split(r"[:.]", described["class"])[-1]
                name = pass_name(naming.pass_stem(class_name), self._names)
                self.classes[name] = described["class"]
                yield name, self._entry(described, name, options)

    def _entry(
        self, described: _Json, name: str, options: list[dict[str, Data]]
    ) -> dict[str, Data]:
        data: dict[str, Data] = {}
        if described["argument"] != naming.pass_argument(name):
            data["argument"] = described["argument"]
        data["summary"], description = _texts(described["doc"], name)
        if description:
            data["description"] = block(description)
        data["anchor"] = "builtin.module"
        if self._implementations:
            data["constructor"] = f"{self._implementations}:{name}"
        return data | ({"options": options} if options else {})

    def _options(self, described: _Json) -> list[dict[str, Data]]:
        """Return the options of a pass; what they cannot be is reported."""
        of, fields = f"pass '{described['argument']}'", described["fields"]
        if described["error"] and fields:
            message = f"{of}: its annotations cannot be read: {described['error']}"
            self.report(message, described["place"])
            return []
        names = member_names([field["name"] for field in fields], option_names())
        options = [
            self._option(field, name, f"field '{field['name']}' of {of}")
            for field, name in zip(fields, names, strict=True)
        ]
        for option, field in zip(options, fields, strict=True):
            type_ = option.get("type", option.get("listOf"))
            argument = field["name"].replace("_", "-")
            option.update(outside_access(argument, type_))
        return options

    def _option(self, field: _Json, name: str, what: str) -> dict[str, Data]:
        data: dict[str, Data] = {"name": name}
        # The runtime takes `-` for `_` as well, as xDSL does, but not the reverse.
        argument = field["name"]
        if argument != naming.kebab_case(name):
            data["argument"] = argument
        kinds = [kind for kind in field["kinds"] if kind != "none"]
        single = kinds[0].removeprefix("tuple of ") if len(kinds) == 1 else "other"
        if single not in _TYPES or not all(map(is_argument, field["values"])):
            message = f"{what}: no option can have its type"
            self.report(message, field["place"], _TYPES_NOTE)
            return data
        default = field.get("default")
        values = default if isinstance(default, list) else [default]
        if any(isinstance(value, float) and not isfinite(value) for value in values):
            message = f"{what}: no option can have the default {default}"
            self.report(message, field["place"])
            return data
        data["type" if single in kinds else "listOf"] = _TYPES[single]
        if field["values"]:
            data["values"] = field["values"]
        if field.get("default", ...) is None:
            return data | {"optional": True}
        if "none" in field["kinds"]:
            message = f"{what}: only an option without a default can be None"
            self.report(message, field["place"], severity="warning")
        if "default" not in field:
            return data | {"required": True}
        has_default = field["default"] != []
        return data | ({"default": field["default"]} if has_default else {})

    def report(
        self,
        message: str,
        place: Sequence[Any],
        *notes: Note,
        severity: Severity = "error",
    ) -> None:
        """Add a diagnostic at `place`: a file, a line, a column and a length."""
        location = None
        if place:
            file, *span = place
            text = Path(file).read_text("utf-8", errors="replace")
            location = Location(SourceFile(file, text), *span)
        self.diagnostics.append(Diagnostic(message, location, notes, severity))


def _texts(doc: str, name: str) -> tuple[str, str]:
    """Return the summary and the description of a pass with this docstring."""
    first = " ".join(doc.partition("\n\n")[0].split())
    summary = re.split(r"\.(?= [A-Z]|\Z)", first, maxsplit=1)[0].strip()
    if not summary:
        first_word, *words = naming.words(name)
        return " ".join([first_word, *map(str.lower, words)]), ""
    words_of_it = r"\s+".join(map(re.escape, summary.split()))
    return summary, re.sub(rf"\A\s*{words_of_it}\.?\s*", "", doc)
