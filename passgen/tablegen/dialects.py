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

from passgen.cpp import known_dialect

_COMMENT: Final = re.compile(r"^\s*//.*$", re.MULTILINE)
_DECLARATION: Final = re.compile(
    r"^\s*def\s+(?P<record>\w+)\s*:\s*Dialect\s*\{(?P<body>.*?)(?=^\s*def\s|\Z)",
    re.MULTILINE | re.DOTALL,
)
_FIELD: Final = re.compile(r'\blet\s+(name|cppNamespace)\s*=\s*"([^"\n]*)"\s*;')


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
        found = dict(self.classes)
        for folder in dict.fromkeys(folders):
            for path in sorted(Path(folder).rglob("*.td")):
                try:
                    text = path.read_text("utf-8", errors="replace")
                except OSError:
                    continue
                found |= declared(text)
        return Dialects(found)


def declared(text: str) -> Iterator[tuple[str, str]]:
    """Yield the classes and namespaces of the dialects that a `.td` file declares."""
    if "Dialect" not in text:
        return
    for match in _DECLARATION.finditer(_COMMENT.sub("", text)):
        fields: dict[str, str] = dict(_FIELD.findall(match["body"]))
        name = fields.get("name")
        if name:
            yield qualified(match["record"], fields.get("cppNamespace", name)), name


def qualified(record: str, cpp_namespace: str) -> str:
    """Return the class of a dialect, which `mlir-tblgen` makes of its record's name."""
    return f"{cpp_namespace}::{record.replace('_', '')}".removeprefix("::")
