"""Namespaces of dialects, read from the `.td` files that declare them.

A pass names the C++ class of a dialect, which tells nothing certain of its namespace:
`mlir::triton::TritonDialect` is `tt`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from passgen.cpp import known_dialect, split_parts

_HIDDEN: Final = re.compile(r"^\s*//.*?$|\[\{.*?\}\]", re.MULTILINE | re.DOTALL)
"""Comments, and blocks of C++ or Markdown."""

_START: Final = r"(?:^|(?<=[;}]))\s*"
_RECORD: Final = re.compile(
    rf"{_START}(?P<kind>def|class)\s+(?P<name>\w+)\s*(?:<(?P<parameters>[^>]*)>)?"
    rf"\s*:(?P<parents>[^{{}};]*)(?:;|\{{(?P<body>.*?)(?={_START}(?:def|class)\s|\Z))",
    re.MULTILINE | re.DOTALL,
)
_PARENT: Final = re.compile(r"(?P<name>\w+)\s*(?:<(?P<arguments>[^>]*)>)?")
_PARAMETER: Final = re.compile(r"\s*\w+\s+(\w+)\s*(?:=(.*))?", re.DOTALL)
_FIELD: Final = re.compile(r"\blet\s+(name|cppNamespace)\s*=\s*([^;]*);")
_TEXT: Final = re.compile(r'"([^"\n]*)"')
_ROOT: Final = "Dialect"
"""The class of MLIR that dialects derive from."""


@dataclass(frozen=True)
class Dialects:
    """Namespaces by qualified C++ classes of dialects, without `::` at the start."""

    classes: Mapping[str, str]

    def namespace(self, class_name: str) -> str | None:
        """Return the namespace of the dialect `class_name`, `None` if it is not known.

        Scopes may be left out at the start, as code in a namespace does, unless that
        makes it ambiguous.
        """
        class_name = class_name.partition("<")[0].strip()
        known = known_dialect(class_name)
        if known:
            return known
        wanted = class_name.removeprefix("::")
        found = {
            namespace
            for name, namespace in self.classes.items()
            if f"::{name}".endswith(f"::{wanted}")
        }
        return found.pop() if len(found) == 1 else None

    def with_declared_in(self, folders: Iterable[str]) -> Dialects:
        """Return these, and those that `.td` files in `folders` declare."""
        texts = []
        for folder in dict.fromkeys(folders):
            for path in sorted(Path(folder).rglob("*.td")):
                try:
                    texts.append(path.read_text("utf-8", errors="replace"))
                except OSError:
                    continue
        return Dialects({**self.classes, **dict(declare(texts))})


def qualify(record: str, cpp_namespace: str) -> str:
    """Return the class of a dialect, which `mlir-tblgen` makes of its record's name."""
    return f"{cpp_namespace}::{record.replace('_', '')}".removeprefix("::")


def declare(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the classes and namespaces of the dialects that `.td` files declare.

    `texts` are those of the files, which may declare classes of dialects, too.
    """
    shown = [_HIDDEN.sub("", text) for text in texts]
    classes: dict[str, _Record] = {}
    found = {_ROOT}
    while found:
        records = dict(_records("class", found, shown))
        found = records.keys() - classes.keys()
        classes |= records
    for name, record in _records("def", {_ROOT, *classes}, shown):
        fields = record.fields({}, classes)
        namespace = fields.get("name")
        if namespace:
            yield qualify(name, fields.get("cppNamespace", namespace)), namespace


@dataclass(frozen=True)
class _Record:
    """A dialect, or a class of dialects; values are TableGen code."""

    parent: str
    arguments: tuple[str, ...]
    """Of the parent."""

    parameters: tuple[tuple[str, str], ...]
    """Names and defaults, which may be empty."""

    own_fields: tuple[tuple[str, str], ...]

    def fields(
        self, given: Mapping[str, str], classes: Mapping[str, _Record]
    ) -> dict[str, str]:
        """Return the values of the fields that are texts.

        Args:
            given: the values of the parameters.
            classes: the classes of dialects.
        """
        base = classes.get(self.parent)
        fields: dict[str, str] = {}
        if base is not None:
            defaults = dict(base.parameters)
            codes = {**defaults, **dict(zip(defaults, self.arguments, strict=False))}
            fields = base.fields(dict(_texts(codes.items(), given)), classes)
        return fields | dict(_texts(self.own_fields, given))


def _records(
    kind: str, parents: set[str], texts: Iterable[str]
) -> Iterator[tuple[str, _Record]]:
    """Yield the records of a kind, `def` or `class`, that derive from `parents`."""
    for text in texts:
        if not any(parent in text for parent in parents):
            continue
        for match in _RECORD.finditer(text):
            bases = _PARENT.finditer(match["parents"])
            base = next((record for record in bases if record["name"] in parents), None)
            if match["kind"] != kind or base is None:
                continue
            parameters = map(
                _PARAMETER.fullmatch, split_parts(match["parameters"] or "")
            )
            yield match["name"], _Record(
                base["name"],
                tuple(filter(None, split_parts(base["arguments"] or ""))),
                tuple(
                    (parameter[1], parameter[2] or "")
                    for parameter in parameters
                    if parameter
                ),
                tuple(_FIELD.findall(match["body"] or "")),
            )


def _texts(
    codes: Iterable[tuple[str, str]], given: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield names with the texts that their codes are, `a # "b"` included."""
    for name, code in codes:
        parts = [part.strip() for part in code.split("#")]
        texts = [
            match[1] if (match := _TEXT.fullmatch(part)) else given.get(part)
            for part in parts
        ]
        if None not in texts:
            yield name, "".join(filter(None, texts))
