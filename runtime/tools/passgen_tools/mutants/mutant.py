"""Mutants: passes of which one thing is declared otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any, Literal

from passgen_runtime.context import Context
from passgen_runtime.errors import PassError, PassOptionError
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_options import OptionInfo
from passgen_runtime.patterns import (
    PatternDriver,
    PatternGraph,
    Patterns,
    RewritePattern,
    check_graphs,
    library_of,
    read_pattern,
)
from passgen_tools.coverage import THE_PASS, Item, PassKey, key_of
from passgen_tools.mutants.pattern_changes import (
    PatternChange,
    PatternKind,
    changes_of,
)
from passgen_tools.mutants.pattern_match import match_of
from passgen_tools.mutants.spec_lines import SpecLines, key, value_of, word

MutantKind = Literal[PatternKind, "driver", "default", "need"]


@dataclass(frozen=True)
class Mutant:
    """A pass of which one thing is declared otherwise."""

    key: PassKey
    kind: MutantKind
    item: Item
    """What tests must reach to notice it."""

    place: str
    """The place in the spec; the spec itself if it is not found there."""

    description: str
    values: tuple[tuple[str, Any], ...]
    """Names and other values of attributes of the pass, or of its options."""

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
        if self.is_option and any(
            getattr(owner, name) != _default_of(pass_, name) for name, _ in self.values
        ):
            yield
            return
        own = dict(vars(owner))
        for name, value in self.values:
            setattr(owner, name, value)
        try:
            yield
        finally:
            for name, _ in self.values:
                if name in own:
                    setattr(owner, name, own[name])
                else:
                    delattr(owner, name)


def mutants_of(
    pass_class: type[Pass], context: Context, folder: Path | None = None
) -> list[Mutant]:
    """Return the mutants of a pass, in an order that is the same in each process.

    Args:
        pass_class: the class that declares it.
        context: reads patterns; changes that leave no valid pattern are left out.
        folder: the folder that paths of specs start from; the current one by default.
    """
    mutants = _Mutants(pass_class, context, folder or Path())
    found = [*mutants.of_options(), *mutants.of_needs()]
    if issubclass(pass_class, Patterns):
        found += mutants.of_patterns(pass_class)
    return found


def unread_patterns(pass_class: type[Pass], context: Context) -> Iterator[str]:
    """Yield a line for each pattern of a pass that has no mutants: it cannot be read.

    Args:
        pass_class: the class that declares it.
        context: reads patterns; it may lack their dialects.
    """
    if not issubclass(pass_class, Patterns):
        return
    for pattern in pass_class.patterns:
        if not _read(pass_class, pattern, context):
            name = f"{key_of(pass_class).argument} {pattern.name}"
            place = f"{pattern.file}:{pattern.line}"
            yield f"{place}: no mutants: {name}: XDSLContext() cannot read it"


def _default_of(pass_: Pass, field: str) -> object:
    declared = pass_.options.declared_options()
    return next(info.default for info in declared if info.field == field)


class _Mutants:
    """The mutants of a pass."""

    def __init__(self, pass_class: type[Pass], context: Context, folder: Path) -> None:
        self._class = pass_class
        self._key = key_of(pass_class)
        self._context = context
        path = folder / self._key.source
        self._lines = SpecLines.of_pass(path, self._key.argument)

    def _place(self, *texts: str) -> str:
        """Return the place in the spec of the text that is found last, or the pass."""
        line = self._lines.line_of(*texts)
        if line is None:
            line = self._lines.line_of(value_of("argument", self._key.argument))
        return self._key.source if line is None else f"{self._key.source}:{line}"

    def of_options(self) -> Iterator[Mutant]:
        """Yield mutants with another default of an option."""
        for info in self._class.options_class.declared_options():
            if info.is_list or info.is_required:
                continue
            other = _other_value(info)
            if other is None:
                continue
            item = THE_PASS
            if info.type.choices:
                item = Item("option", f"{info.argument}={info.print(info.default)}")
            place = self._place(value_of("argument|name", info.argument))
            text = f"{info.argument} is {info.print(other)} by default"
            values = ((info.field, other),)
            yield Mutant(
                self._key, "default", item, place, text, values, is_option=True
            )

    def of_needs(self) -> Iterator[Mutant]:
        """Yield mutants that do not need a form."""
        rules = self._class.forms
        for form in rules.needs:
            needs = tuple(other for other in rules.needs if other != form)
            item = Item("form", f"needs {form.name}")
            place = self._place(key("needs"), word(form.name))
            text = f"the form '{form.name}' is not needed"
            values = (("forms", replace(rules, needs=needs)),)
            yield Mutant(self._key, "need", item, place, text, values)

    def of_patterns(self, cls: type[Patterns]) -> Iterator[Mutant]:
        """Yield mutants with another pattern or driver."""
        for pattern in cls.patterns:
            graphs = _read(cls, pattern, self._context)
            for change in changes_of(cls, pattern):
                changed = _read(cls, change.pattern, self._context, change.constraint)
                if graphs and changed:
                    keeps_match = match_of(graphs) == match_of(changed)
                    yield self._pattern_mutant(cls, pattern, change, keeps_match)
        name = cls.pattern_driver.name
        other = PatternDriver("walk" if name == "greedy" else "greedy")
        if cls.patterns and all(
            _read(cls, pattern, self._context, driver=other) for pattern in cls.patterns
        ):
            place = self._place(key("driver"))
            text = f"driver {other.name} in place of {name}"
            values = (("pattern_driver", other),)
            yield Mutant(self._key, "driver", THE_PASS, place, text, values)

    def _pattern_mutant(
        self,
        cls: type[Patterns],
        pattern: RewritePattern,
        change: PatternChange,
        keeps_match: bool,  # noqa: FBT001 - private
    ) -> Mutant:
        patterns = tuple(
            change.pattern if other is pattern else other for other in cls.patterns
        )
        values: tuple[tuple[str, Any], ...] = (("patterns", patterns),)
        if change.constraint:
            natives = (*cls.native_constraints, change.constraint)
            values = (*values, ("native_constraints", natives))
        line = change.line
        if line is None and pattern.file == self._key.source:
            lines = self._lines.mapping_with(value_of("name", pattern.name))
            line = lines.line_of(key(change.key))
        return Mutant(
            self._key,
            change.kind,
            Item("pattern", pattern.name),
            f"{pattern.file}:{pattern.line if line is None else line}",
            change.description,
            values,
            pattern=None if change.kind == "benefit" else change.pattern,
            keeps_match=keeps_match,
        )


def _other_value(info: OptionInfo) -> object:
    """Return the value that a mutant has by default; `None` if there is none."""
    default = info.default
    candidates: list[object] = []
    if isinstance(default, bool):
        candidates = [not default]
    elif isinstance(default, Enum):
        values = [info.type.parse(text) for text in info.type.choices]
        candidates = [value for value in values if value != default]
    elif isinstance(default, int | float):
        candidates = [default + 1, default - 1]
    return next((value for value in candidates if _is_valid(info, value)), None)


def _is_valid(info: OptionInfo, value: object) -> bool:
    try:
        info.spell(value)
    except PassOptionError:
        return False
    return True


def _read(
    pass_class: type[Patterns],
    pattern: RewritePattern,
    context: Context,
    constraint: tuple[str, Any] | None = None,
    driver: PatternDriver | None = None,
) -> list[PatternGraph]:
    """Return the graphs of a pattern; none if it cannot be read, or not be applied.

    Args:
        pass_class: declares functions and the driver.
        pattern: the pattern, which may be changed.
        context: reads it.
        constraint: a constraint besides those of the pass.
        driver: the driver, if it is another one.
    """
    library = library_of(context)
    if library is None:
        return []
    constraints = dict(pass_class.native_constraints)
    natives = {
        "constraint": {**constraints, **dict([constraint] if constraint else [])},
        "rewrite": dict(pass_class.native_rewrites),
    }
    try:
        graphs = read_pattern(library, pattern)
        check_graphs(library, graphs, natives, driver or pass_class.pattern_driver)
    except PassError:
        return []
    return graphs
