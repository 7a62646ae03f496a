"""Rules about rewrite patterns, as far as their text shows without an IR library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from passgen.checks.members import NOT_IMPORTABLE, clash_error, has_keyword, repetitions
from passgen.diagnostics import Diagnostic, Note, suggest
from passgen.model import OWN_FUNCTIONS, Pass, RewritePattern

_OWN: Final = frozenset().union(*OWN_FUNCTIONS.values())
_MAX_BENEFIT: Final = 2**15 - 1


def check_patterns(pass_: Pass, of: str) -> Iterator[Diagnostic]:
    """Yield the broken rules about the patterns of a pass; `of` names it."""
    for pattern, first in repetitions(pass_.patterns, lambda pattern: pattern.name):
        message = f"duplicate pattern '{pattern.name}' {of}"
        yield clash_error(message, pattern.location, first.location)
    counted = {pattern.name: pattern.location for pattern in pass_.patterns}
    for statistic in pass_.statistics:
        name = statistic.display_name
        if name in counted:
            message = f"display name '{name}' of statistic '{statistic.name}' {of}"
            place = statistic.location
            yield clash_error(f"{message} is that of a pattern", place, counted[name])
    for pattern in pass_.patterns:
        yield from _check_text(pattern, f"pattern '{pattern.name}' {of}")
    yield from _check_natives(pass_, of)
    if not pass_.patterns and pass_.driver.is_given:
        message = f"pass '{pass_.name}' has a driver, and no patterns"
        yield Diagnostic(message, pass_.location)
    if pass_.patterns and pass_.native:
        message = f"pass '{pass_.name}' is native, and patterns are no part of it"
        yield Diagnostic(message, pass_.patterns[0].location)


def _check_headers(pattern: RewritePattern, what: str) -> Iterator[Diagnostic]:
    headers = list(pattern.headers())
    for _, _, place in headers[1:]:
        yield Diagnostic(f"{what} has a further `pdl.pattern`, expected one", place)
    for label, benefit, place in headers[:1]:
        if label not in {"", pattern.name}:
            message = f"{what} is called '{label}' in its PDL"
            yield Diagnostic(message, place)
        if benefit is not None and not 0 <= benefit <= _MAX_BENEFIT:
            message = f"benefit of {what} is {benefit}, expected 0 to {_MAX_BENEFIT}"
            yield Diagnostic(message, place)
        given = pattern.given_benefit
        if benefit is not None and given not in {None, benefit}:
            message = f"benefit of {what} is {given}, and {benefit} in its PDL"
            note = Note("in the PDL", place)
            yield Diagnostic(message, pattern.benefit_location, (note,))


def _check_text(pattern: RewritePattern, what: str) -> Iterator[Diagnostic]:
    if not pattern.pdl:
        known = {variable.name for variable in pattern.variables}
        unknown = [used for used in pattern.used_variables() if used[0] not in known]
        for name, place in unknown:
            message = f"{what} uses '${name}', which is no type or attribute of it"
            yield Diagnostic(message, place, suggest(name, sorted(known)))
        if not unknown:  # else what seems to be unused may be misspelt
            yield from _check_variables(pattern, what)
        return
    if pattern.after and not pattern.before:
        message = f"{what} has the IR 'after' it, and none 'before' it"
        yield Diagnostic(message, pattern.location)
    yield from _check_headers(pattern, what)
    yield from _check_values(pattern, what)
    rewrites = list(pattern.rewrites())
    note = Note("write `pdl.rewrite %root { ... }`")
    if not rewrites:
        message = f"{what} has no `pdl.rewrite`"
        yield Diagnostic(message, pattern.pdl_location, (note,))
    for root, place in rewrites:
        if not root:
            message = f"`pdl.rewrite` of {what} names no root"
            yield Diagnostic(message, place, (note,))


def _check_variables(pattern: RewritePattern, what: str) -> Iterator[Diagnostic]:
    """Yield the variables, and the keys of them, that have no effect."""
    matched = pattern.matched_variables
    used = {name for name, _ in pattern.used_variables()}
    used.update(*(known.arguments - {known.name} for known in pattern.variables))
    for variable in pattern.variables:
        name, message = variable.name, ""
        if name not in used:
            message = f"'{name}', which neither 'before' nor 'after' uses"
        elif variable.make and name in matched:
            message = f"'make' for '{name}' in 'before': it makes what 'after' has"
        elif variable.is_attribute and variable.where and name not in matched:
            message = (
                f"'where' for '{name}', which is not in 'before': nothing tests it"
            )
        if message:
            yield Diagnostic(f"{what} has {message}", variable.location)


def _check_values(pattern: RewritePattern, what: str) -> Iterator[Diagnostic]:
    values = list(pattern.values())
    declared = {name for name, is_declared, _ in values if is_declared}
    reported: set[str] = set()
    for name, _, place in values:
        # A text without any declaration is no PDL yet, and other rules are about it.
        if declared and name not in declared | reported:
            reported.add(name)
            notes = suggest(name, sorted(declared))
            yield Diagnostic(f"{what} uses the undeclared value '{name}'", place, notes)


def _check_natives(pass_: Pass, of: str) -> Iterator[Diagnostic]:
    declared = {
        "constraint": {native.name: native for native in pass_.native_constraints},
        "rewrite": {native.name: native for native in pass_.native_rewrites},
        "operation": {native.name: native for native in pass_.semantics},
    }
    called: set[tuple[str, str]] = set()
    for pattern in pass_.patterns:
        called |= {("operation", name) for name in pattern.operations()}
        for kind, name, place in pattern.natives():
            called.add((kind, name))
            if name not in declared[kind]:
                message = f"pattern '{pattern.name}' {of} calls the {kind} '{name}'"
                expected = f"which '{kind}s' does not declare"
                own = sorted(OWN_FUNCTIONS[kind])
                notes = suggest(name, [*declared[kind], *own])
                yield Diagnostic(f"{message}, {expected}", place, notes)
    for kind, natives in declared.items():
        for native in natives.values():
            if has_keyword(native.function):
                message = f"{kind} '{native.name}' {of}: found '{native.function}'"
                yield Diagnostic(f"{message}, {NOT_IMPORTABLE}", native.location)
            elif (kind, native.name) not in called:
                verb = "has" if kind == "operation" else "calls"
                message = f"no pattern {of} {verb} the {kind} '{native.name}'"
                notes = suggest(native.name, sorted(n for k, n in called if k == kind))
                if native.name in _OWN:
                    notes = (Note("patterns by example call that of the language"),)
                yield Diagnostic(message, native.location, notes, "warning")
