"""Changes in a pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Final

from passgen import naming
from passgen.findings.diff.matching import Kind, compare_deprecation, compare_parts
from passgen.findings.diff.options import compare_options
from passgen.findings.finding import Finding, Subject
from passgen.model import (
    FormRules,
    Name,
    OrderingRule,
    Pass,
    Remark,
    RewritePattern,
    Statistic,
)
from passgen.source import Location

PASS: Final = Kind[Pass]("pass")
_STATISTIC: Final = Kind[Statistic](
    "statistic", attrgetter("display_name"), text_place=attrgetter("location")
)


_REMARK: Final = Kind[Remark]("remark", attrgetter("name"))
_PATTERN: Final = Kind[RewritePattern]("pattern", attrgetter("name"))


def compare_pass(old: Pass, new: Pass, pass_: Subject) -> Iterator[Finding]:
    """Yield the changes in the pass, its options and its statistics."""
    yield from _compare_names(old, new, pass_)
    yield from compare_deprecation(PASS.name, old, new, pass_)
    yield from _compare_anchor(old, new, pass_)
    yield from _compare_dialects(old, new, pass_)
    yield from _compare_constructors(old, new, pass_)
    yield from _compare_constraints(old, new, pass_)
    yield from compare_options(old.options, new.options, pass_)
    statistics = old.statistics, new.statistics
    yield from compare_parts(_STATISTIC, *statistics, pass_, _compare_statistic)
    remarks = old.remarks, new.remarks
    yield from compare_parts(_REMARK, *remarks, pass_, _compare_remark)
    patterns = old.patterns, new.patterns
    yield from compare_parts(_PATTERN, *patterns, pass_, _compare_pattern)
    if old.driver != new.driver:
        message = (
            f"the driver of {pass_.what} is {new.driver} now, and was {old.driver}"
        )
        yield pass_.finding("driver-changed", message, new.location, old.location)


def _compare_names(old: Pass, new: Pass, pass_: Subject) -> Iterator[Finding]:
    if old.name != new.name:
        now, was = (
            " and ".join(f"'{name}'" for name in names)
            for names in zip(*_renamed_in_code(old, new), strict=True)
        )
        message = f"{pass_.what} is {now} in code now, and was {was}"
        yield pass_.finding("pass-class-renamed", message, new.location, old.location)


def _compare_anchor(old: Pass, new: Pass, pass_: Subject) -> Iterator[Finding]:
    before, now = _runs_on(old), _runs_on(new)
    if before != now:
        rule = "anchor-widened" if _is_wider(old, new) else "anchor-changed"
        message = f"{pass_.what} runs on {now} now, and ran on {before}"
        place = new.anchor.location if new.anchor else new.location
        was = old.anchor.location if old.anchor else old.location
        yield pass_.finding(rule, message, place, was)


def _compare_dialects(old: Pass, new: Pass, pass_: Subject) -> Iterator[Finding]:
    for dialect in _missing(new.dependent_dialects, old.dependent_dialects):
        name = dialect.name
        message = f"{pass_.what} depends on dialect '{name}' now"
        yield pass_.finding("dialect-added", message, dialect.location, name=name)
    for dialect in _missing(old.dependent_dialects, new.dependent_dialects):
        name, places = dialect.name, (new.location, dialect.location)
        message = f"{pass_.what} no longer depends on dialect '{name}'"
        yield pass_.finding("dialect-removed", message, *places, name)


def _compare_constructors(old: Pass, new: Pass, pass_: Subject) -> Iterator[Finding]:
    what = pass_.what
    if old.constructor and old.constructor != new.constructor:
        now = f"is '{new.constructor}'" if new.constructor else "is unnamed"
        message = f"constructor of {what} {now} now, and was '{old.constructor}'"
        places = new.constructor_location, old.constructor_location
        yield pass_.finding("constructor-changed", message, *places)
    if old.cpp.constructor != new.cpp.constructor:
        message = f"C++ makes {what} with '{_cpp(new)}' now, and made it with "
        message += f"'{_cpp(old)}'"
        yield pass_.finding("cpp-constructor-changed", message, new.location)


def _compare_constraints(old: Pass, new: Pass, pass_: Subject) -> Iterator[Finding]:
    what, before, now = pass_.what, old.constraints, new.constraints
    for tag in _missing(before.tags, now.tags):
        message = f"{what} no longer has tag '{tag.name}'"
        places = new.location, tag.location
        yield pass_.finding("tag-removed", message, *places, tag.name)
    for analysis in _missing(before.provided_analyses, now.provided_analyses):
        message = f"{what} no longer provides analysis '{analysis.name}'"
        places = new.location, analysis.location
        yield pass_.finding("analysis-not-provided", message, *places, analysis.name)
    for analysis in _missing(now.required_analyses, before.required_analyses):
        message = f"{what} requires analysis '{analysis.name}' now"
        yield pass_.finding(
            "analysis-required", message, analysis.location, name=analysis.name
        )
    if before.preserves_all and not now.preserves_all:
        kept = ", ".join(
            f"'{preserved_analysis.name}'"
            for preserved_analysis in now.preserved_analyses
        )
        message = f"{what} preserves {kept or 'no analysis'} now, and preserved all"
        yield pass_.finding("analysis-not-preserved", message, new.location)
    for preserved_analysis in before.preserved_analyses:
        if not now.preserves(preserved_analysis.name):
            message = f"{what} no longer preserves analysis '{preserved_analysis.name}'"
            places = new.location, preserved_analysis.location
            yield pass_.finding(
                "analysis-not-preserved", message, *places, preserved_analysis.name
            )
    yield from compare_forms(before.forms, now.forms, pass_, new.location)
    known = {_shape(rule) for rule in before.ordering}
    for rule in now.ordering:
        if _shape(rule) not in known:
            partners = " or ".join(map(str, rule.partners))
            message = f"{what} has a new ordering rule: '{rule.kind}' {partners}"
            name = rule.partners[0].name
            yield pass_.finding("ordering-added", message, rule.location, name=name)


def compare_forms(
    old: FormRules, new: FormRules, owner: Subject, place: Location
) -> Iterator[Finding]:
    """Yield the forms that a pass or a pipeline newly needs, or no longer gives."""
    for form in _missing(new.needs, old.needs):
        message = f"{owner.what} needs form '{form.name}' now"
        yield owner.finding("form-needed", message, form.location, name=form.name)
    for form in _missing(old.gives, new.gives):
        message = f"{owner.what} no longer gives form '{form.name}'"
        places = place, form.location
        yield owner.finding("form-not-given", message, *places, form.name)


def _compare_statistic(
    old: Statistic, new: Statistic, statistic: Subject
) -> Iterator[Finding]:
    if old.display_name == new.display_name and old.name != new.name:
        message = f"{statistic.what} is '{new.name}' in code now, and was '{old.name}'"
        places = new.location, old.location
        yield statistic.finding("statistic-variable-renamed", message, *places)
    if old.kind != new.kind:
        message = f"{statistic.what} is a {new.kind} now, and was a {old.kind}"
        places = new.location, old.location
        yield statistic.finding("statistic-kind-changed", message, *places)


def _compare_remark(old: Remark, new: Remark, remark: Subject) -> Iterator[Finding]:
    if old.kind != new.kind:
        message = f"{remark.what} is {new.kind} now, and was {old.kind}"
        yield remark.finding("remark-kind-changed", message, new.location, old.location)
    types = {field.name: field.shown_type for field in new.fields}
    for field in old.fields:
        type_ = types.get(field.name)
        if type_ != field.shown_type:
            message = f"{remark.what} has no field '{field.name}' any more"
            if type_ is not None:
                what = f"field '{field.name}' of {remark.what}"
                message = f"{what} is of type {type_} now"
            places = new.location, field.location
            yield remark.finding("remark-field-removed", message, *places)


def _compare_pattern(
    old: RewritePattern, new: RewritePattern, pattern: Subject
) -> Iterator[Finding]:
    shown = [
        not p.pdl and (p.before, p.after, p.variables, p.unused, p.one_use)
        for p in (old, new)
    ]
    for what, was, now in (
        ("benefit", old.benefit, new.benefit),
        ("PDL", old.pdl, new.pdl),
        ("IR", *shown),
    ):
        if was != now:
            change = f" from {was} to {now}" if isinstance(now, int) else ""
            message = f"the {what} of {pattern.what} was changed{change}"
            places = new.location, old.location
            yield pattern.finding("pattern-changed", message, *places)


_ANY: Final = "any operation"


def _runs_on(pass_: Pass) -> str:
    """Return the operations that the pass runs on, as far as they are known."""
    if pass_.anchor:
        return f"'{pass_.anchor.name}'"
    if pass_.unknown_anchor:
        return f"{pass_.unknown_anchor_kind} '{pass_.unknown_anchor}'"
    return _ANY


_FUNCTIONS: Final = frozenset(
    {"emitc.func", "func.func", "gpu.func", "llvm.func", "ml_program.func"}
    | {"pdl_interp.func", "spirv.func"}
)
"""Operations of MLIR with `FunctionOpInterface`."""


def _is_wider(old: Pass, new: Pass) -> bool:
    """Return whether `new` runs on all that `old` ran on, as far as that is known."""
    if _runs_on(new) == _ANY:
        return True
    return (
        _runs_on(new) == "'FunctionOpInterface'"
        and old.anchor is not None
        and old.anchor.name in _FUNCTIONS
    )


def _renamed_in_code(old: Pass, new: Pass) -> Iterator[tuple[str, str]]:
    """Yield the names in generated code that differ: the new one, then the old."""
    for name in (naming.create_function, naming.base_class):
        if name(new.name) != name(old.name):
            yield name(new.name), name(old.name)


def _cpp(pass_: Pass) -> str:
    if pass_.cpp.constructor is None:
        return f"{naming.create_function(pass_.cpp.name or pass_.name)}()"
    return pass_.cpp.constructor


def _missing(names: Iterable[Name], others: Iterable[Name]) -> Iterator[Name]:
    """Yield those of `names` that are not among `others`."""
    known = {other.name for other in others}
    yield from (name for name in names if name.name not in known)


def _shape(rule: OrderingRule) -> tuple[str, frozenset[str]]:
    return rule.kind, frozenset(map(str, rule.partners))
