"""The regular C++ spellings of types, dialects and operations.

The regular spelling is the one that MLIR's own declarations use most. A spec states
other spellings under `cpp:`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from passgen import naming, resources
from passgen.model import OPTION_TYPES

_CLASSES: Final = json.loads(resources.mlir_classes().read_bytes())

_DIALECTS: Final[dict[str, str]] = _CLASSES["dialects"]
"""Classes that are not named after the namespace in PascalCase."""

_REGULAR_DIALECTS: Final[list[str]] = _CLASSES["regularDialects"]
"""The other dialects of MLIR, whose classes are named after the namespace."""

_OPERATIONS: Final[dict[str, str]] = _CLASSES["operations"]
"""Classes of the operations that passes run on."""

_PIPELINE_ELEMENT: Final = "OpPassManager"
"""The type of the elements of a list of pipelines, which MLIR parses itself."""

_MEANINGS: Final = {
    spelling: row.name for row in OPTION_TYPES.values() for spelling in row.cpp_meanings
}


def option_type(name: str, types: Mapping[str, str], *, is_list: bool) -> str:
    """Return the C++ type of options of the type `name`.

    Args:
        name: the type in the spec, other than `enum`.
        types: the spellings of the group, by type.
        is_list: whether the type is that of the elements of a list option.
    """
    if name in types:
        return types[name]
    if name == "pipeline" and is_list:
        return _PIPELINE_ELEMENT
    return OPTION_TYPES[name].cpp_type


def meaning(cpp_type: str) -> str | None:
    """Return the spec's name of a C++ type, `None` for a type of its author."""
    plain = " ".join(cpp_type.split())
    return _MEANINGS.get(plain.removeprefix("::").removeprefix("std::"))


def regular_dialect_class(namespace: str) -> str:
    """Return the class of a dialect, such as `scf::SCFDialect`."""
    by_name = f"{namespace}::{naming.pascal_case(namespace)}Dialect"
    return _DIALECTS.get(namespace, by_name)


def operation_class(name: str) -> str:
    """Return the class of an operation: `my.loop_nest` is `my::LoopNestOp`."""
    namespace, _, rest = name.partition(".")
    return _OPERATIONS.get(name, f"{namespace}::{naming.pascal_case(rest)}Op")


def known_dialect(class_name: str) -> str | None:
    """Return the namespace of the MLIR dialect whose class is `class_name`, if any."""
    return _DIALECTS_BY_CLASS.get(_without_qualifiers(class_name))


def known_operation(class_name: str) -> str | None:
    """Return the name of the MLIR operation whose class is `class_name`, if any."""
    return _OPERATIONS_BY_CLASS.get(_without_qualifiers(class_name))


def _without_qualifiers(class_name: str) -> str:
    return class_name.removeprefix("::").removeprefix("mlir::")


_DIALECTS_BY_CLASS: Final = {
    regular_dialect_class(name): name for name in (*_DIALECTS, *_REGULAR_DIALECTS)
}
_OPERATIONS_BY_CLASS: Final = {spelling: name for name, spelling in _OPERATIONS.items()}
