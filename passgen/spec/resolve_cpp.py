"""The keys `cpp` and `tablegen` of a spec, resolved to the C++ part of the model.

Texts are spellings and keep their line ends.
"""

from __future__ import annotations

import re
from collections import abc
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from passgen import naming
from passgen.model import (
    Anchor,
    CppGroup,
    CppOption,
    CppPass,
    CppStatistic,
    DescriptionLayout,
    Fields,
    Pass,
    TablegenPart,
)
from passgen.spec.fields import Keys, read, text_of
from passgen.spec.located import Mapping, plain

Dialects: TypeAlias = dict[str, tuple[str, str]]
"""The class and the namespace of dialects, by other names that passes use for them."""


def group(keys: Keys, prefix: str | None) -> tuple[CppGroup, Dialects]:
    """Return the tables of a group, and its dialects with names of their own.

    Args:
        keys: the entries of the group.
        prefix: overrides the prefix in `keys`.
    """
    cpp = keys.take_keys("cpp")
    classes: dict[str, str] = {}
    named: Dialects = {}
    for name, entry in cpp.take_entries("dialects").items():
        if isinstance(entry.value, Mapping):
            dialect = Keys(entry.value)
            spelled, _ = dialect.take_text("class")
            named[name] = dialect.done((spelled, dialect.take_text("namespace")[0]))
        else:
            classes[name], _ = text_of(entry.value)
    part = read(CppGroup, cpp, dialects=MappingProxyType(classes))
    return part if prefix is None else replace(part, capi_prefix=prefix), named


def with_namespaces(pass_: Pass, named: Dialects) -> Pass:
    """Return the pass with namespaces in place of the dialect names in `named`."""
    dialects = []
    classes = dict(pass_.cpp.dialects)
    for dialect in pass_.dependent_dialects:
        class_name, namespace = named.get(dialect.name, ("", dialect.name))
        if class_name:
            classes[namespace] = classes.pop(dialect.name, class_name)
        dialects.append(replace(dialect, name=namespace))
    cpp = replace(pass_.cpp, dialects=MappingProxyType(classes))
    return replace(pass_, dependent_dialects=tuple(dialects), cpp=cpp)


def with_known_anchor(pass_: Pass, operations: abc.Mapping[str, str]) -> Pass:
    """Return the pass with the operation as anchor that its C++ class is, if known.

    Args:
        pass_: the pass.
        operations: the classes of operations in the group, by name.
    """
    names = {class_name: name for name, class_name in operations.items()}
    name = naming.find_by_class(names, pass_.unknown_anchor)
    if not pass_.unknown_anchor or name is None:
        return pass_
    anchor = Anchor("operation", name, pass_.location)
    return replace(pass_, anchor=anchor, unknown_anchor="")


def pass_(keys: Keys) -> CppPass:
    """Return the spellings of a pass."""
    cpp = keys.take_keys("cpp", "tablegen")
    dialects = cpp.take("dependentDialects")
    return read(
        CppPass,
        cpp,
        dependent_dialects=None if dialects is None else tuple(plain(dialects)),
        layout=DescriptionLayout(**_values(cpp, _LAYOUT)),
        tablegen=_tablegen(cpp),
    )


_LAYOUT: Final = {
    "descriptionStart": "start",
    "descriptionIndent": "indent",
    "descriptionEnd": "end",
    "description": "text",
}
"""The fields of the layout of a description, by their keys."""

_OPERATION_PASS: Final = re.compile(r"\s*(?:::)?(?:mlir::)?OperationPass<([^<>,]*)>\s*")


def unknown_anchor(cpp: CppPass) -> str:
    """Return the C++ class that says what a pass without anchor in the spec runs on."""
    spelled = cpp.anchor or cpp.base_class or ""
    of_operations = _OPERATION_PASS.fullmatch(spelled)
    return " ".join((of_operations[1] if of_operations else spelled).split())


def option(keys: Keys) -> CppOption:
    """Return the spellings of an option."""
    cpp = keys.take_keys("cpp", "tablegen")
    return read(CppOption, cpp, tablegen=_tablegen(cpp))


def statistic(keys: Keys) -> CppStatistic:
    """Return the spellings of a statistic."""
    cpp = keys.take_keys("cpp", "tablegen")
    return read(CppStatistic, cpp, tablegen=_tablegen(cpp))


def _values(keys: Keys, names: dict[str, str]) -> dict[str, Any]:
    found = {name: keys.take(key) for key, name in names.items()}
    return {name: plain(node) for name, node in found.items() if node is not None}


def _tablegen(keys: Keys) -> TablegenPart:
    classes, unset, fields = map(keys.take, ("classes", "unset", "fields"))
    values: Fields = tuple(plain(fields).items()) if fields else ()
    values += tuple((name, None) for name in (plain(unset) if unset else ()))
    return TablegenPart(
        classes=tuple(plain(classes)) if classes else (),
        fields=tuple(sorted(values, key=lambda field: field[0])),
    )
