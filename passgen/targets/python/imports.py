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
from passgen.model import Constraints, PassGroup, Remark
from passgen.render import python_row, runtime_class

_OF_BUILDER: Final = ("register_pipeline_builder",)
"""What a file with pipelines imports from the runtime's builder."""

_OF_REMARKS: Final = ("Remarks", "remark")
"""What a file with remarks imports for them."""


@dataclass(frozen=True)
class Import:
    """Names from one module, in the order in which they are written."""

    module: str
    names: tuple[str, ...]
    alias: str = ""
    """The new name of the only name; empty if the names stay."""


def import_sections(
    group: PassGroup, foreign: dict[str, str], *, needs_types: bool
) -> Iterator[tuple[Import, ...]]:
    """Yield the imports by section; a section may be empty.

    Args:
        group: the group of the file.
        foreign: the name of each foreign type in the file.
        needs_types: whether the file imports anything for type checkers alone.
    """
    is_any_enum = any(option.type.enum_name for option in group.options)
    sections: tuple[dict[str, Iterable[str]], ...] = (
        {
            "dataclasses": ["dataclass"] if group.options else [],
            "enum": ["StrEnum"] if is_any_enum else [],
            "typing": [
                *(["TYPE_CHECKING"] if needs_types else []),
                *(["Any"] if foreign else []),
            ],
        },
        {
            "passgen_runtime": _runtime_names(group),
            "passgen_runtime.context": ["Operation"] if _remarks(group) else [],
            "passgen_runtime.forms": _form_names(group),
            "passgen_runtime.pass_manager_builder": (
                _OF_BUILDER if group.pipelines else ()
            ),
            "passgen_runtime.patterns": _pattern_names(group),
            "passgen_runtime.remarks": (_OF_REMARKS if _remarks(group) else ()),
        },
    )
    for section in sections:
        yield tuple(
            _import(module, section[module]) for module in section if section[module]
        )
    yield tuple(_foreign_imports(foreign | _external_forms(group)))


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
    names = {"PassRegistry"}
    for pass_ in group.passes:
        names |= {"create_pass", "register_pass", "PassOptions"}
        names.add(runtime_class(pass_))
        if pass_.statistics:
            names.add("statistic")
        names.update(_constraint_names(pass_.constraints))
    for option in group.options:
        names.add("list_option" if option.is_list else "option")
        names.update(["REQUIRED"] if option.required else ())
        if row := python_row(option.type):
            names.add(row.python_option_type)
            if row.literal == "pipeline":
                names.add(row.python_type)
    if any(pipeline.options for pipeline in group.pipelines):
        names.add("PassOptions")
    return names


def _pattern_names(group: PassGroup) -> set[str]:
    with_patterns = [pass_ for pass_ in group.passes if pass_.patterns]
    names = {"Patterns", "RewritePattern"} if with_patterns else set()
    if any(pass_.driver.is_given for pass_ in with_patterns):
        names.add("PatternDriver")
    if any(pattern.variables for pass_ in with_patterns for pattern in pass_.patterns):
        names.add("PatternVariable")
    return names


def _form_names(group: PassGroup) -> list[str]:
    is_any_declared = any(not form.python for form in group.forms)
    rules = (
        ["FormRules"]
        if any(p.constraints.forms.is_declared for p in group.passes)
        else []
    )
    return [*(["Form"] if is_any_declared else []), *rules]


def _external_forms(group: PassGroup) -> dict[str, str]:
    """Return the constant of each external form that passes name, by `module:NAME`."""
    named = {
        name.name
        for pass_ in group.passes
        for _, names in pass_.constraints.forms.named
        for name in names
    }
    return {
        form.python: naming.form_constant(form.name)
        for form in group.forms
        if form.python and form.name in named
    }


def _remarks(group: PassGroup) -> list[Remark]:
    return [remark for pass_ in group.passes for remark in pass_.remarks]


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
    types = sorted(option.type.python for option in group.options if option.type.python)
    if not types:
        return {}
    taken = {*_OF_BUILDER, *_runtime_names(group), *_pattern_names(group)}
    taken |= {*_OF_REMARKS, "Operation"} if _remarks(group) else set()
    taken |= _defined_names(group) | {*_form_names(group)}
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
    names |= {naming.form_constant(form.name) for form in group.forms}
    for pass_ in group.passes:
        names |= {naming.options_class(pass_.name), naming.base_class(pass_.name)}
        names |= {naming.create_function(pass_.name)}
        names |= {naming.register_function(pass_.name)}
    for pipeline in group.pipelines:
        names.add(naming.options_class(naming.pipeline_stem(pipeline.name)))
    for option in group.options:
        names |= {naming.snake_case(option.name), option.type.enum_name}
    return names


def _import_order(name: str) -> tuple[int, list[tuple[int, int, str]], str]:
    """Return the key that sorts as isort does: constants, classes, then functions."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    parts = re.findall(r"\d+|\D+", name.lower())
    order = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]
    return kind, order, name
