"""Mutants: passes of which one thing is declared otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final, Literal

from passgen_runtime.context import Context
from passgen_runtime.errors import PassError
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_options import OptionInfo
from passgen_runtime.patterns import (
    Patterns,
    PatternVariable,
    RewritePattern,
    check_graphs,
    library_of,
    read_pattern,
)
from passgen_tools.coverage import Item, PassKey, key_of
from passgen_tools.mutants.pattern_texts import (
    TextChange,
    TextKind,
    kept_flags,
    text_changes,
)

MutantKind = Literal[TextKind, "condition", "type", "default", "need"]

_OPTIONS: Final = "options"


@dataclass(frozen=True)
class Mutant:
    """A pass of which one thing is declared otherwise."""

    key: PassKey
    kind: MutantKind
    item: Item
    """What tests must reach to notice it."""

    place: str
    """The place in the spec; the spec itself for what has no line in the class."""

    description: str
    attribute: str
    """The attribute of the pass, or of its options, that has another value."""

    value: Any
    is_option: bool = False
    pattern: RewritePattern | None = None
    """The changed pattern; `None` for other changes."""

    keeps_match: bool = False
    """Whether it matches what the original matches."""

    @property
    def subject(self) -> str:
        """The pass, and the item of it that is changed."""
        return f"{self.key.argument} {self.item.name.partition('=')[0]}".strip()

    @property
    def may_be_equivalent(self) -> bool:
        """Whether it may do the same as the pass: one with other options does not."""
        return self.kind not in {"default", "need"}

    @contextmanager
    def applied_to(self, pass_: Pass) -> Iterator[None]:
        """Let `pass_` be the mutant in a block; an option that was set stays."""
        owner: Any = pass_.options if self.is_option else pass_
        before = getattr(owner, self.attribute)
        is_own = self.attribute in vars(owner)
        if self.is_option and before != _default_of(pass_, self.attribute):
            yield
            return
        setattr(owner, self.attribute, self.value)
        try:
            yield
        finally:
            if is_own:
                setattr(owner, self.attribute, before)
            else:
                delattr(owner, self.attribute)


def mutants_of(pass_class: type[Pass], context: Context) -> list[Mutant]:
    """Return the mutants of a pass, in an order that is the same in each process.

    Args:
        pass_class: the class that declares it.
        context: reads patterns; changes that leave no valid pattern are left out.
    """
    found = [*_option_mutants(pass_class), *_need_mutants(pass_class)]
    if issubclass(pass_class, Patterns):
        found += _pattern_mutants(pass_class, context)
    return found


def _default_of(pass_: Pass, field: str) -> object:
    declared = pass_.options.declared_options()
    return next(info.default for info in declared if info.field == field)


def _option_mutants(pass_class: type[Pass]) -> Iterator[Mutant]:
    key = key_of(pass_class)
    for info in pass_class.options_class.declared_options():
        if info.is_list or info.is_required:
            continue
        for other in _other_values(info):
            text = f"{info.argument} is {info.type.print(other)} by default"
            now = info.type.print(info.default)
            item = Item("option", f"{info.argument}={now}")
            yield Mutant(
                key,
                "default",
                item,
                key.source,
                text,
                info.field,
                other,
                is_option=True,
            )


def _other_values(info: OptionInfo) -> Iterator[object]:
    """Yield the value that a mutant has by default, if there is one."""
    default = info.default
    if isinstance(default, bool):
        yield not default
    elif isinstance(default, Enum):
        values = [info.type.parse(text) for text in info.type.choices]
        yield from [value for value in values if value != default][:1]


def _need_mutants(pass_class: type[Pass]) -> Iterator[Mutant]:
    key, rules = key_of(pass_class), pass_class.forms
    for form in rules.needs:
        needs = tuple(other for other in rules.needs if other != form)
        text = f"the form '{form.name}' is not needed"
        item = Item("form", f"needs {form.name}")
        changed = replace(rules, needs=needs)
        yield Mutant(key, "need", item, key.source, text, "forms", changed)


def _pattern_mutants(pass_class: type[Patterns], context: Context) -> Iterator[Mutant]:
    for pattern in pass_class.patterns:
        for kind, changed, line, text in _changes(pattern):
            if not _is_valid(pass_class, changed, context):
                continue
            value = tuple(
                changed if other is pattern else other for other in pass_class.patterns
            )
            yield Mutant(
                key_of(pass_class),
                kind,
                Item("pattern", pattern.name),
                f"{pattern.file}:{line}",
                text,
                "patterns",
                value,
                pattern=changed,
                keeps_match=_matches_same(pattern, changed),
            )


def _matches_same(pattern: RewritePattern, changed: RewritePattern) -> bool:
    same = (pattern.before, pattern.pdl) == (changed.before, changed.pdl)
    return same and pattern.variables == changed.variables


def _changes(
    pattern: RewritePattern,
) -> Iterator[tuple[MutantKind, RewritePattern, int, str]]:
    """Yield the kind, the changed pattern, the line and a description of changes."""
    if pattern.pdl:
        return  # its `before` and `after` are examples
    for change in text_changes(pattern.before):
        yield _with_before(pattern, change)
    after = [
        *text_changes(pattern.after),
        *kept_flags(pattern.before, pattern.after),
    ]
    for change in after:
        changed = replace(pattern, after=change.text)
        line = pattern.after_line + change.line
        yield change.kind, changed, line, change.description
    for index, variable in enumerate(pattern.variables):
        for kind, other, text in _changed_variables(variable):
            variables = [*pattern.variables]
            variables[index] = other
            changed = replace(pattern, variables=tuple(variables))
            yield kind, changed, pattern.line, text


def _with_before(
    pattern: RewritePattern, change: TextChange
) -> tuple[MutantKind, RewritePattern, int, str]:
    line = pattern.line + change.line
    changed = replace(pattern, before=change.text)
    return change.kind, changed, line, change.description


def _changed_variables(
    variable: PatternVariable,
) -> Iterator[tuple[MutantKind, PatternVariable, str]]:
    name = f"${variable.name}"
    if variable.where:
        text = f"'{variable.where}' is no condition of {name}"
        yield "condition", replace(variable, where=""), text
    is_wide = bool(variable.any) or len(variable.examples) > 1
    if is_wide and not variable.is_attribute:
        only, *_ = variable.examples
        narrowed = replace(variable, any="", examples=(only,))
        yield "type", narrowed, f"{name} is {only} only"


def _is_valid(
    pass_class: type[Patterns], pattern: RewritePattern, context: Context
) -> bool:
    """Return whether a changed pattern can be read and applied."""
    library = library_of(context)
    if library is None:
        return False
    natives = {
        "constraint": dict(pass_class.native_constraints),
        "rewrite": dict(pass_class.native_rewrites),
    }
    try:
        graphs = read_pattern(library, pattern)
        check_graphs(library, graphs, natives, pass_class.pattern_driver)
    except PassError:
        return False
    return True
