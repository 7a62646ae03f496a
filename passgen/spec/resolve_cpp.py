"""The keys `cpp` and `tablegen` of a spec, resolved to the C++ part of the model.

Texts are spellings and keep their line ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from passgen.model import (
    CppGroup,
    CppOption,
    CppPass,
    CppStatistic,
    DescriptionLayout,
    Fields,
    Pass,
    TablegenPart,
)
from passgen.spec.located import Keys, Mapping, Node, plain, text_of


@dataclass(frozen=True)
class Dialect:
    """A dialect that passes of a group call otherwise than by its namespace."""

    namespace: str
    class_name: str


def group(keys: Keys, prefix: str | None) -> tuple[CppGroup, dict[str, Dialect]]:
    """Return the tables of a group, and dialects by other names than their namespaces.

    Args:
        keys: the entries of the group.
        prefix: overrides its own.
    """
    cpp = keys.take_keys("cpp")
    classes, named = _dialects(cpp.take_keys("dialects"))
    own_prefix = cpp.take_exact("capiPrefix")
    part = CppGroup(
        dialects=MappingProxyType(classes),
        operations=_table(cpp, "operations"),
        interfaces=_table(cpp, "interfaces"),
        types=_table(cpp, "types"),
        capi_prefix=own_prefix if prefix is None else prefix,
    )
    return cpp.done(part), named


def _dialects(keys: Keys) -> tuple[dict[str, str], dict[str, Dialect]]:
    """Return the classes of dialects by namespace, and dialects by other names."""
    classes, named = {}, {}
    for name, node in keys.take_rest().items():
        if isinstance(node, Mapping):
            entry = Keys(node)
            spelled, _ = entry.take_text("class")
            namespace, _ = entry.take_text("namespace")
            named[name] = entry.done(Dialect(namespace, spelled))
        else:
            classes[name] = text_of(node)[0]
    return classes, named


def with_namespaces(pass_: Pass, named: dict[str, Dialect]) -> Pass:
    """Return the pass with dialects by their namespaces, which the group gives."""
    dialects = []
    classes = dict(pass_.cpp.dialects)
    for dependent_dialect in pass_.dependent_dialects:
        meant = named.get(dependent_dialect.name)
        if meant is not None:
            spelled = classes.pop(dependent_dialect.name, meant.class_name)
            classes[meant.namespace] = spelled
        dialects.append(
            replace(dependent_dialect, name=meant.namespace)
            if meant
            else dependent_dialect
        )
    cpp = replace(pass_.cpp, dialects=MappingProxyType(classes))
    return replace(pass_, dependent_dialects=tuple(dialects), cpp=cpp)


def pass_(keys: Keys) -> CppPass:
    """Return the spellings of a pass."""
    cpp, tablegen = keys.take_keys("cpp"), keys.take_keys("tablegen")
    dialects = cpp.take("dependentDialects")
    part = CppPass(
        name=cpp.take_exact("name"),
        argument=cpp.take_exact("argument"),
        summary=cpp.take_exact("summary"),
        base_class=cpp.take_exact("baseClass"),
        anchor=cpp.take_exact("anchor"),
        constructor=cpp.take_exact("constructor"),
        dependent_dialects=None if dialects is None else _texts(dialects),
        dialects=_table(cpp, "dialects"),
        layout=_layout(tablegen),
        tablegen=_tablegen(tablegen),
    )
    return cpp.done(tablegen.done(part))


_ANY_OPERATION: Final = re.compile(r"\s*(?:::)?(?:mlir::)?OperationPass<\s*>\s*")


def unknown_anchor(cpp: CppPass) -> str:
    """Return the C++ class that says what a pass without anchor in the spec runs on."""
    spelled = cpp.anchor or cpp.base_class or ""
    return "" if _ANY_OPERATION.fullmatch(spelled) else " ".join(spelled.split())


def option(keys: Keys) -> CppOption:
    """Return the spellings of an option."""
    cpp, tablegen = keys.take_keys("cpp"), keys.take_keys("tablegen")
    part = CppOption(
        name=cpp.take_exact("name"),
        argument=cpp.take_exact("argument"),
        type=cpp.take_exact("type"),
        default=cpp.take_exact("default"),
        flags=cpp.take_exact("flags"),
        tablegen=_tablegen(tablegen),
    )
    return cpp.done(tablegen.done(part))


def statistic(keys: Keys) -> CppStatistic:
    """Return the spellings of a statistic."""
    cpp, tablegen = keys.take_keys("cpp"), keys.take_keys("tablegen")
    part = CppStatistic(
        name=cpp.take_exact("name"),
        display_name=cpp.take_exact("displayName"),
        tablegen=_tablegen(tablegen),
    )
    return cpp.done(tablegen.done(part))


def _table(keys: Keys, key: str) -> MappingProxyType[str, str]:
    entries = keys.take_keys(key).take_rest()
    return MappingProxyType({name: text_of(node)[0] for name, node in entries.items()})


def _texts(node: Node) -> tuple[str, ...]:
    return tuple(plain(node))


def _layout(keys: Keys) -> DescriptionLayout:
    regular = DescriptionLayout()
    start, end = keys.take_exact("descriptionStart"), keys.take_exact("descriptionEnd")
    indent = keys.take("descriptionIndent")
    return DescriptionLayout(
        start=regular.start if start is None else start,
        indent=regular.indent if indent is None else plain(indent),
        end=regular.end if end is None else end,
        text=keys.take_exact("description"),
    )


def _tablegen(keys: Keys) -> TablegenPart:
    classes, unset = keys.take("classes"), keys.take("unset")
    own_fields = keys.take("fields")
    fields: Fields = tuple(plain(own_fields).items()) if own_fields else ()
    fields += tuple((name, None) for name in (_texts(unset) if unset else ()))
    return TablegenPart(
        classes=_texts(classes) if classes else (),
        fields=tuple(sorted(fields, key=lambda each: each[0])),
    )
