"""The imports of a generated Python file: a part of `targets.python`.

A file imports only names that it uses, and renames foreign types whose names would
clash with others in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from passgen import naming
from passgen.model import (
    Constraints,
    Option,
    PassGroup,
)
from passgen.render import py_runtime_class, python_row

_OF_BUILDER: Final = ("register_pipeline_builder",)
"""What a file with pipelines imports from the runtime's builder."""


@dataclass(frozen=True)
class Import:
    """Names from one module, in the order in which they are written."""

    module: str
    names: tuple[str, ...]
    alias: str = ""
    """The new name of the only name; empty if the names stay."""


def needs_builder(group: PassGroup) -> bool:
    """Return whether functions of the file take a pipeline builder.

    It is imported for type checkers alone: its import takes longer than the
    declaration of all passes, and callers of the functions have imported it already.
    """
    return bool(group.bundles or group.pipelines)


def needs_types(group: PassGroup) -> bool:
    """Return whether the file imports anything for type checkers alone."""
    return needs_builder(group) or bool(group.ir and group.passes)


def import_sections(
    group: PassGroup, foreign: dict[str, str]
) -> Iterator[tuple[Import, ...]]:
    """Yield the imports by section; a section may be empty."""
    yield tuple(_standard_imports(group))
    runtime = _runtime_names(group)
    yield tuple(_runtime_imports(runtime, builder=bool(group.pipelines)))
    yield tuple(_foreign_imports(foreign))


def _runtime_imports(names: set[str], *, builder: bool) -> Iterator[Import]:
    if names:
        yield _import("passgen_runtime", names)
    if builder:
        yield _import("passgen_runtime.extensions.builder", _OF_BUILDER)


def _standard_imports(group: PassGroup) -> Iterator[Import]:
    options = _all_options(group)
    if options:
        yield Import("dataclasses", ("dataclass",))
    if any(option.type.enum_name for option in options):
        yield Import("enum", ("StrEnum",))
    typing = ["TYPE_CHECKING"] if needs_types(group) else []
    if any(option.type.python for option in options):
        typing.append("Any")
    if typing:
        yield Import("typing", tuple(typing))


def _foreign_imports(foreign: dict[str, str]) -> Iterator[Import]:
    plain: dict[str, list[str]] = {}
    renamed: dict[str, list[Import]] = {}
    for type_, called in foreign.items():
        module, name = type_.split(":")
        if called == name:
            plain.setdefault(module, []).append(name)
        else:
            renamed.setdefault(module, []).append(Import(module, (name,), called))
    for module in sorted({*plain, *renamed}):
        if module in plain:
            yield _import(module, plain[module])
        yield from renamed.get(module, ())  # isort wants them apart


def _import(module: str, names: Iterable[str]) -> Import:
    return Import(module, tuple(sorted(names, key=_import_order)))


def _runtime_names(group: PassGroup) -> set[str]:
    options = _all_options(group)
    names = {"PassRegistry"} if group.passes or group.pipelines else set()
    for pass_ in group.passes:
        names |= {
            py_runtime_class(pass_),
            "create_pass",
            "register_pass",
            "PassOptions",
        }
        if pass_.statistics:
            names.add("statistic")
        names.update(_constraint_names(pass_.constraints))
    for option in options:
        names.add("list_option" if option.is_list else "option")
        if row := python_row(option.type):
            names.add(row.python_option_type)
            if row.literal == "pipeline":
                names.add(row.python_type)
    if any(pipeline.options for pipeline in group.pipelines):
        names.add("PassOptions")
    return names


def _constraint_names(constraints: Constraints) -> Iterator[str]:
    for rule in constraints.ordering:
        yield naming.snake_case(rule.kind)
        if any(partner.is_tag for partner in rule.partners):
            yield "tag"
    named = (
        constraints.required_analyses,
        constraints.provided_analyses,
        constraints.preserved_analyses,
    )
    if any(named):
        yield "analysis"
    if constraints.preserves_all:
        yield "ALL_ANALYSES"


def foreign_names(group: PassGroup) -> dict[str, str]:
    """Return the name of each foreign type in the file, by `module:NAME`.

    A type keeps its own name unless something else in the file has it.
    """
    types = sorted(
        option.type.python for option in _all_options(group) if option.type.python
    )
    if not types:
        return {}
    taken = {*_OF_BUILDER, *_runtime_names(group), *_defined_names(group)}
    called: dict[str, str] = {}
    for type_ in dict.fromkeys(types):
        module, name = type_.split(":")
        prefix = "_".join(module.split("."))
        prefix = prefix.upper() if name.isupper() else prefix
        alias = name
        while alias in taken:
            alias = f"{prefix}_{alias}"
        taken.add(alias)
        called[type_] = alias
    return called


def _defined_names(group: PassGroup) -> set[str]:
    """Return the names that could hide an import where an option is declared."""
    names = {"dataclass", "StrEnum", "Any"}
    for pass_ in group.passes:
        names |= {naming.options_class(pass_.name), naming.base_class(pass_.name)}
        names |= {naming.create_function(pass_.name)}
        names |= {naming.register_function(pass_.name)}
    for pipeline in group.pipelines:
        names.add(naming.options_class(naming.pipeline_stem(pipeline.name)))
    for option in _all_options(group):
        names |= {naming.snake_case(option.name), option.type.enum_name}
    return names


def _all_options(group: PassGroup) -> list[Option]:
    """Return the options of all passes and pipelines."""
    return [
        *(option for pass_ in group.passes for option in pass_.options),
        *(option for pipeline in group.pipelines for option in pipeline.options),
    ]


def _import_order(name: str) -> tuple[int, list[tuple[int, int, str]]]:
    """Return the key that sorts as isort does: constants, classes, then functions."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return kind, list(_natural(re.findall(r"\d+|\D+", name)))


def _natural(parts: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    for part in parts:
        yield (0, int(part), "") if part.isdigit() else (1, 0, part)
