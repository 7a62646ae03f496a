"""Names of dialects and operations, read from the `.td` files that declare them.

A pass names the C++ class of a dialect or an operation, which does not determine
its name: `mlir::triton::TritonDialect` is `tt`, `firrtl::CircuitOp` `firrtl.circuit`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from passgen import naming
from passgen.cpp import known_dialect, known_operation, split_parts

_HIDDEN: Final = re.compile(r"^\s*//.*?$|\[\{.*?\}\]", re.MULTILINE | re.DOTALL)
"""Comments, and blocks of C++ or Markdown."""

_START: Final = r"(?:^|(?<=[;}]))\s*"
_NESTED: Final = r"(?:[^<>]|<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)*"
"""What stands between brackets, in which there may be others."""

_RECORD: Final = re.compile(
    rf"{_START}(?P<kind>def|class)\s+(?P<name>\w+)\s*(?:<(?P<parameters>{_NESTED})>)?"
    rf"\s*:(?P<parents>[^{{}};]*)(?:;|\{{(?P<body>.*?)(?={_START}(?:def|class)\s|\Z))",
    re.MULTILINE | re.DOTALL,
)
_PARENT: Final = re.compile(rf"(?P<name>\w+)\s*(?:<(?P<arguments>{_NESTED})>)?")
_PARAMETER: Final = re.compile(
    rf"\s*\w+(?:<{_NESTED}>)?\s+(\w+)\s*(?:=(.*))?", re.DOTALL
)
_FIELD: Final = re.compile(r"\blet\s+(name|cppNamespace)\s*=\s*([^;]*);")
_TEXT: Final = re.compile(r'"([^"\n]*)"')


@dataclass(frozen=True)
class Dialects:
    """Names of dialects and their operations.

    The keys are qualified C++ classes, without `::` at the start.
    """

    classes: Mapping[str, str]
    """The namespaces of dialects."""

    operations: Mapping[str, str] = field(default_factory=dict)

    def namespace(self, class_name: str) -> str | None:
        """Return the namespace of the dialect `class_name`, `None` if it is not known.

        Scopes may be left out at the start, as code in a namespace does, unless that
        makes it ambiguous.
        """
        class_name = class_name.partition("<")[0].strip()
        known = known_dialect(class_name)
        return known or naming.find_by_class(self.classes, class_name)

    def operation(self, class_name: str) -> str | None:
        """Return the name of the operation `class_name`, `None` if it is not known."""
        known = known_operation(class_name)
        return known or naming.find_by_class(self.operations, class_name)

    def with_declared_in(self, folders: Iterable[str]) -> Dialects:
        """Return these, and those that `.td` files in `folders` declare."""
        texts = []
        for folder in dict.fromkeys(folders):
            for path in sorted(Path(folder).rglob("*.td")):
                try:
                    texts.append(path.read_text("utf-8", errors="replace"))
                except OSError:
                    continue
        records = find_records(texts)
        return Dialects(
            {**self.classes, **dict(declare(records))},
            {**self.operations, **dict(declare_operations(records))},
        )


def qualify(record: str, cpp_namespace: str) -> str:
    """Return the class of a dialect, which `mlir-tblgen` makes of its record's name."""
    return f"{cpp_namespace}::{record.replace('_', '')}".removeprefix("::")


def qualify_operation(record: str, cpp_namespace: str) -> str:
    """Return the class of an operation, named after its record without the prefix."""
    prefix, _, rest = record.partition("_")
    class_name = rest if prefix and rest else record
    return f"{cpp_namespace}::{class_name}".removeprefix("::")


def find_records(texts: Iterable[str]) -> list[re.Match[str]]:
    """Return all definitions and classes in the texts of `.td` files."""
    shown = (_HIDDEN.sub("", text) for text in texts)
    return [match for text in shown for match in _RECORD.finditer(text)]


def declare(records: Sequence[re.Match[str]]) -> Iterator[tuple[str, str]]:
    """Yield the classes and namespaces of the dialects that `.td` files declare."""
    for _, namespace, class_name in _dialects(records):
        yield class_name, namespace


def declare_operations(records: Sequence[re.Match[str]]) -> Iterator[tuple[str, str]]:
    """Yield the classes and names of the operations that `.td` files declare."""
    dialects = {
        record: (namespace, class_name)
        for record, namespace, class_name in _dialects(records)
    }
    given = {record: record for record in dialects}
    for record, fields in _definitions("Op", _OPERATION, given, records):
        namespace, class_name = dialects.get(fields.get("opDialect", ""), ("", ""))
        name = f"{namespace}.{fields.get('opName', '')}"
        if naming.is_operation(name):
            scope = fields.get("cppNamespace", class_name.rpartition("::")[0])
            yield qualify_operation(record, scope), name


def _dialects(records: Sequence[re.Match[str]]) -> Iterator[tuple[str, str, str]]:
    """Yield the record, the namespace and the class of each declared dialect."""
    for record, fields in _definitions("Dialect", _DIALECT, {}, records):
        if namespace := fields.get("name"):
            scope = fields.get("cppNamespace", namespace)
            yield record, namespace, qualify(record, scope)


def _definitions(
    root: str,
    root_class: _Record,
    given: Mapping[str, str],
    records: Sequence[re.Match[str]],
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the records that derive from the class `root`, with their fields.

    Args:
        root: the name of the class.
        root_class: its fields, as texts of its parameters.
        given: the values of the names that are no parameters.
        records: all that the files have, derived classes included.
    """
    classes = {root: root_class}
    found = {root}
    while found:
        derived = dict(_records("class", found, records))
        found = derived.keys() - classes.keys()
        classes |= {name: derived[name] for name in found}
    for name, record in _records("def", {*classes}, records):
        yield name, record.fields(given, classes)


@dataclass(frozen=True)
class _Record:
    """A dialect, an operation, or a class of them; values are TableGen code."""

    parent: str
    arguments: tuple[str, ...]
    """The arguments of the parent."""

    parameters: tuple[tuple[str, str], ...]
    """Names and defaults, which may be empty."""

    own_fields: tuple[tuple[str, str], ...]

    def fields(
        self, given: Mapping[str, str], classes: Mapping[str, _Record]
    ) -> dict[str, str]:
        """Return the values of the fields that are texts.

        Args:
            given: the values of the parameters, and of other names.
            classes: the classes that records derive from.
        """
        base = classes.get(self.parent)
        fields: dict[str, str] = {}
        if base is not None:
            defaults = dict(base.parameters)
            codes = {**defaults, **dict(zip(defaults, self.arguments, strict=False))}
            values = dict(_texts(codes.items(), given))
            fields = base.fields({**given, **values}, classes)
        return fields | dict(_texts(self.own_fields, given))


_DIALECT: Final = _Record("", (), (), ())
_OPERATION: Final = _Record(
    "",
    (),
    (("opDialect", ""), ("opName", "")),
    (("opDialect", "opDialect"), ("opName", "opName")),
)
"""MLIR's class `Op`, as far as names go."""


def _records(
    kind: str, parents: set[str], records: Iterable[re.Match[str]]
) -> Iterator[tuple[str, _Record]]:
    """Yield the records of a kind, `def` or `class`, that derive from `parents`."""
    for match in records:
        if match["kind"] != kind:
            continue
        bases = _PARENT.finditer(match["parents"])
        base = next((record for record in bases if record["name"] in parents), None)
        if base is None:
            continue
        parameters = map(_PARAMETER.fullmatch, split_parts(match["parameters"] or ""))
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
