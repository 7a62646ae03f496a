"""Patterns in C++: their PDL, and the functions that it calls, for the templates.

`mlir-tblgen` has none; `mlir-pdll -x=cpp` writes such functions. The IR library writes
the PDL. What C++ cannot say is an error at its place in the spec.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from passgen.diagnostics import Diagnostic, Note, SpecError
from passgen.model import (
    OptionRecord,
    Pass,
    PassGroup,
    PassRecord,
    PatternDriver,
    RewritePattern,
    record_order,
)
from passgen.passgen_rules.pattern_functions import CONSTANT_FUNCTIONS
from passgen.probing import ProbeError
from passgen.targets.pattern_parsing import ParsedPattern, parse_patterns

_LIBRARY: Final = "mlir"
_NATIVE: Final = "Native"

_MAX_ITERATIONS: Final = 10
_MAX_REWRITES: Final = 1_000_000
"""The limits of a driver that the runtime has by default."""


@dataclass(frozen=True)
class CppFunction:
    """A function that PDL calls."""

    called: str
    """The name in PDL."""

    kind: str
    """The class of the runtime that does the same; `Native` if the pass declares it."""

    fields: Mapping[str, str | float]
    """The fields of the object of that class."""

    cpp: str = ""
    """The function in C++ that the spec names for it."""

    @property
    def factory(self) -> str:
        """The function of the templates that makes it: `hasUses` of `HasUses`."""
        return self.kind[:1].lower() + self.kind[1:]

    @property
    def arguments(self) -> tuple[str | float, ...]:
        """The arguments of that function."""
        return tuple(self.fields.values())


@dataclass(frozen=True)
class CaseFunction:
    """A function of the language whose result is a table of the cases of an enum."""

    name: str
    cases: tuple[int, ...]


_CASE_FUNCTIONS: Final = tuple(
    CaseFunction(name, function.cases)
    for name, function in CONSTANT_FUNCTIONS.items()
    if function.cases
)


@dataclass(frozen=True)
class CppPattern:
    """A pattern."""

    declared: RewritePattern
    texts: tuple[str, ...]
    """Its graphs in PDL."""

    counter: str
    """The function that PDL calls when it applies the pattern."""

    @property
    def description(self) -> str:
        """The description of the statistic of its applications."""
        return self.declared.summary or "Number of applications"


@dataclass(frozen=True)
class PassPatterns:
    """The patterns of a pass."""

    record: PassRecord
    patterns: tuple[CppPattern, ...]
    """In decreasing order of benefit."""

    constraints: tuple[CppFunction, ...]
    rewrites: tuple[CppFunction, ...]
    driver: PatternDriver
    has_class: bool
    """Whether the pass is its patterns, and needs no class of an author."""

    selections: tuple[OptionRecord, ...]
    """The options that leave patterns out, and that keep some."""

    @property
    def disabled(self) -> OptionRecord:
        """The option that leaves patterns out."""
        return self.selections[0]

    @property
    def enabled(self) -> OptionRecord:
        """The option that keeps some patterns."""
        return self.selections[1]

    @property
    def is_greedy(self) -> bool:
        """Whether patterns are applied until none matches."""
        return self.driver.name == "greedy"

    @property
    def max_iterations(self) -> str:
        """The limit of iterations of the greedy driver."""
        return str(self.driver.max_iterations or _MAX_ITERATIONS)

    @property
    def max_rewrites(self) -> str:
        """The limit of rewrites in an iteration of the greedy driver."""
        return str(self.driver.max_rewrites or _MAX_REWRITES)

    @property
    def has_own_functions(self) -> bool:
        """Whether PDL calls functions of the language."""
        functions = (*self.constraints, *self.rewrites)
        return any(function.kind != _NATIVE for function in functions)


@dataclass(frozen=True)
class GroupPatterns:
    """The patterns of a group."""

    passes: tuple[PassPatterns, ...] = ()
    """Those of each pass that has some, in the order of the names of the passes."""

    case_functions: tuple[CaseFunction, ...] = _CASE_FUNCTIONS


def group_patterns(group: PassGroup, records: Sequence[PassRecord]) -> GroupPatterns:
    """Return the patterns of `group`.

    Args:
        group: the group.
        records: those of its passes, in their order.

    Raises:
        SpecError: a pattern is wrong, no library can parse it, or it calls a function
            that C++ lacks.
    """
    by_name = {
        pass_.name: (pass_, record)
        for pass_, record in zip(group.passes, records, strict=True)
        if pass_.patterns
    }
    if not by_name:
        return GroupPatterns()
    if missing := [*_missing_functions(group)]:
        raise SpecError(missing)
    try:
        parsed = parse_patterns([group], pdl_of=_LIBRARY)
    except ProbeError as error:
        first = next(iter(by_name.values()))[0].patterns[0]
        raise SpecError([Diagnostic(str(error), first.location)]) from error
    if wrong := [*_problems(parsed)]:
        raise SpecError(wrong)
    made = [
        _pass_patterns(*by_name[name], [*found])
        for name, found in groupby(parsed, lambda one: one.pass_.name)
    ]
    ordered = sorted(made, key=lambda one: record_order(one.record.name))
    return GroupPatterns(tuple(ordered))


def _missing_functions(group: PassGroup) -> Iterator[Diagnostic]:
    """Yield the functions in Python of which C++ has no counterpart."""
    for pass_ in group.passes:
        kinds = {
            "constraint": pass_.native_constraints,
            "rewrite": pass_.native_rewrites,
        }
        for kind, natives in kinds.items():
            for native in natives:
                if not native.cpp:
                    problem = f"{kind} '{native.name}' of pass '{pass_.name}'"
                    written = f"{{python: {native.function}, cpp: my::{native.name}}}"
                    yield Diagnostic(
                        f"{problem} has no function in C++",
                        native.location,
                        (Note(f"write `{native.name}: {written}`"),),
                    )


_CUSTOM_FORM: Final = "not found for custom op"
"""What MLIR says of an operation of a dialect that the bindings do not have."""

_GENERIC_FORM: Final = Note(
    "write operations that the bindings do not know in the generic form, as in "
    "'%0 = \"my.op\"(%x) : (i32) -> i32'"
)


def _problems(parsed: Sequence[ParsedPattern]) -> Iterator[Diagnostic]:
    """Yield what is wrong with patterns, and the passes that were not parsed."""
    unparsed: dict[str, ParsedPattern] = {}
    for one in parsed:
        subject = f"pattern '{one.pattern.name}' of pass '{one.pass_.name}'"
        if problem := one.problem:
            place = problem.location or one.pattern.location
            message = f"{subject} in C++: {problem.message}"
            unknown = _CUSTOM_FORM in problem.message
            notes = (_GENERIC_FORM,) if unknown else problem.notes
            yield Diagnostic(message, place, notes)
        elif one.why_unparsed:
            unparsed.setdefault(one.pass_.name, one)
    needs = Note("MLIR writes them in PDL: install the runtime with its extra 'mlir'")
    for name, one in unparsed.items():
        message = f"patterns of pass '{name}' in C++: {one.why_unparsed}"
        yield Diagnostic(message, one.pattern.location, (needs,))


def _pass_patterns(
    pass_: Pass, record: PassRecord, parsed: Sequence[ParsedPattern]
) -> PassPatterns:
    graphs = [graph for one in parsed for graph in one.graphs]
    patterns = [
        CppPattern(
            one.pattern,
            tuple(graph["pdl"] for graph in one.graphs),
            one.graphs[0]["counter"],
        )
        for one in parsed
        if one.graphs
    ]
    natives = {one.name: one.cpp for one in pass_.native_constraints}
    makers = {one.name: one.cpp for one in pass_.native_rewrites}
    options = zip(pass_.options, record.options, strict=True)
    return PassPatterns(
        record=record,
        patterns=tuple(sorted(patterns, key=lambda one: -one.declared.benefit)),
        constraints=_functions(graphs, "constraints", natives),
        rewrites=_functions(graphs, "rewrites", makers),
        driver=pass_.driver,
        has_class=not pass_.constructor and not record.constructor,
        selections=tuple(option for one, option in options if one.selects_patterns),
    )


def _functions(
    graphs: Sequence[Mapping[str, Any]], key: str, natives: Mapping[str, str]
) -> tuple[CppFunction, ...]:
    """Return the functions that graphs call, each once."""
    known: dict[str, CppFunction] = {}
    for graph in graphs:
        for function in graph[key]:
            called, kind, fields = (function[k] for k in ("called", "class", "fields"))
            cpp = natives[fields["name"]] if kind == _NATIVE else ""
            known.setdefault(called, CppFunction(called, kind, fields, cpp))
    return tuple(known.values())
