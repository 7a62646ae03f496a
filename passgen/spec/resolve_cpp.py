"""The keys `cpp` and `tablegen` of a spec, resolved to the C++ part of the model.

Texts are spellings and keep their line ends.
"""

from __future__ import annotations

import re
from collections import abc
from dataclasses import replace
from operator import itemgetter
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

_LAYOUT: Final = {
    "descriptionStart": "start",
    "descriptionIndent": "indent",
    "descriptionEnd": "end",
    "description": "text",
}
"""The fields of the layout of a description, by their keys."""

_OPERATION_PASS: Final = re.compile(r"\s*(?:::)?(?:mlir::)?OperationPass<([^<>,]*)>\s*")


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
            named[name] = _class_and_namespace(Keys(entry.value))
        else:
            classes[name], _ = text_of(entry.value)
    part = read(CppGroup, cpp, dialects=MappingProxyType(classes))
    if prefix is not None:
        part = replace(part, capi_prefix=prefix)
    return part, named


def _class_and_namespace(dialect: Keys) -> tuple[str, str]:
    class_name, _ = dialect.take_text("class")
    namespace, _ = dialect.take_text("namespace")
    return dialect.done((class_name, namespace))


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
    """Return the pass anchored on the operation of its C++ class, if that is known.

    Args:
        pass_: the pass.
        operations: the classes of operations in the group, by name.
    """
    if not pass_.unknown_anchor:
        return pass_
    names = {class_name: name for name, class_name in operations.items()}
    name = naming.find_by_class(names, pass_.unknown_anchor)
    if name is None:
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
        layout=_layout(cpp),
        tablegen=_tablegen(cpp),
    )


def unknown_anchor(cpp: CppPass) -> str:
    """Return the C++ class that says what a pass without anchor in the spec runs on."""
    class_name = cpp.anchor or cpp.base_class or ""
    if match := _OPERATION_PASS.fullmatch(class_name):
        class_name = match[1]
    return " ".join(class_name.split())


def option(keys: Keys) -> CppOption:
    """Return the spellings of an option."""
    cpp = keys.take_keys("cpp", "tablegen")
    return read(CppOption, cpp, tablegen=_tablegen(cpp))


def statistic(keys: Keys) -> CppStatistic:
    """Return the spellings of a statistic."""
    cpp = keys.take_keys("cpp", "tablegen")
    return read(CppStatistic, cpp, tablegen=_tablegen(cpp))


def _layout(keys: Keys) -> DescriptionLayout:
    """Return the layout of the description of a pass."""
    values: dict[str, Any] = {}
    for key, field in _LAYOUT.items():
        node = keys.take(key)
        if node is not None:
            values[field] = plain(node)
    return DescriptionLayout(**values)


def _tablegen(keys: Keys) -> TablegenPart:
    """Return the classes and the fields of a record, by their names."""
    classes = keys.take("classes")
    unset_fields = keys.take("unset")
    fields = keys.take("fields")
    values: Fields = ()
    if fields is not None:
        values += tuple(plain(fields).items())
    if unset_fields is not None:
        values += tuple((name, None) for name in plain(unset_fields))
    return TablegenPart(
        classes=() if classes is None else tuple(plain(classes)),
        fields=tuple(sorted(values, key=itemgetter(0))),
    )
