"""Rules about a whole group: the phase between `resolve` and the targets.

`check` collects the broken rules: duplicate names and arguments, defaults that do not
fit their types, names that are reserved in Python or by the runtime. Each mistake is
reported once, with the location of the other declaration that is involved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from passgen import naming
from passgen.checks.arguments import check_arguments
from passgen.checks.examples import check_examples
from passgen.checks.members import (
    NOT_IMPORTABLE,
    check_cpp_members,
    check_options,
    check_statistics,
    clash_error,
    has_keyword,
    repetitions,
)
from passgen.checks.names import check_generated_names
from passgen.checks.patterns import check_patterns
from passgen.checks.pipelines import (
    FormGap,
    check_constraint_names,
    check_element_names,
    check_form_names,
    check_forms,
    check_inclusion,
    check_order,
    check_pipeline_options,
    check_rule_cycles,
    form_gaps,
    has_same_forms,
    known_passes,
    needed_groups,
    with_unknown,
)
from passgen.checks.remarks import check_remarks
from passgen.cpp import RAW_OPTION_END, RAW_STATISTIC_END, RAW_SUMMARY_END
from passgen.diagnostics import Diagnostic, Note, SpecError, suggest
from passgen.finding_rules import LINT_RULES, OPTIONAL_RULES, RULES
from passgen.model import UNCONSTRAINED, Pass, PassGroup, Pipeline
from passgen.source import Location


def check(
    group: PassGroup, others: Sequence[PassGroup] | None = ()
) -> tuple[Diagnostic, ...]:
    """Return the warnings about `group`.

    Args:
        group: the group to check.
        others: other groups whose passes it may name; `None` if they are unknown, so
            that its pipelines and ordering rules cannot be checked.

    Raises:
        SpecError: rules are broken; all errors and warnings in the order of the text.
    """
    findings = list(_check_group(group))
    if others is not None:
        findings += _check_pipelines(group, others)
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors:
        raise SpecError(errors)
    return tuple(findings)


def _check_group(group: PassGroup) -> Iterator[Diagnostic]:
    yield from _check_group_name(group)
    yield from check_arguments(group)
    owners: list[tuple[Pass | Pipeline, str]] = [
        *((pass_, "pass") for pass_ in group.passes),
        *((pipeline, "pipeline") for pipeline in group.pipelines),
    ]
    for owner, kind in owners:
        if owner.argument in naming.ARGUMENTS:
            message = (
                f"argument of {kind} '{owner.name}' is '{owner.argument}', the "
                "anchor of passes on any operation"
            )
            yield Diagnostic(message, owner.argument_location)
    yield from check_generated_names(group)
    yield from _check_ignores(group)
    yield from _check_lint_rules(group)
    yield from _check_operations(group)
    modules = [group.ir, *(operation.python for operation in group.operations)]
    scope = naming.STATISTIC_SCOPE.union(
        re.split("[.:]", module)[0] for module in modules
    )
    for pass_ in group.passes:
        yield from _check_pass(pass_, f"of pass '{pass_.name}'", scope)
    for pipeline in group.pipelines:
        yield from check_options(pipeline.options, f"of pipeline '{pipeline.name}'")
    for analysis in group.analyses:
        if has_keyword(analysis.python):
            message = (
                f"class of analysis '{analysis.name}': found '{analysis.python}', "
                f"{NOT_IMPORTABLE}"
            )
            yield Diagnostic(message, analysis.python_location)


def _check_group_name(group: PassGroup) -> Iterator[Diagnostic]:
    if not naming.is_group_name(group.title):
        message = (
            f"name of the group: found '{group.title}', expected a letter, then "
            "letters, digits and underscores, such as 'MyDialect'"
        )
        note = Note("give it with 'name:' in the spec or with --name")
        yield Diagnostic(message, group.location, (note,))


def _check_operations(group: PassGroup) -> Iterator[Diagnostic]:
    """Yield mistakes about the Python classes of operations."""
    anchors = {pass_.anchor.name for pass_ in group.passes if pass_.anchor}
    for operation in group.operations:
        notes: tuple[Note, ...] = ()
        if has_keyword(operation.python):
            message = (
                f"class of operation '{operation.name}': found '{operation.python}', "
                f"{NOT_IMPORTABLE}"
            )
            yield Diagnostic(message, operation.python_location)
        if group.library is None or not group.library.is_typed:
            message = f"the class of operation '{operation.name}' is used by no pass"
            notes = (Note("write 'ir: xdsl' if the passes are for xDSL's IR"),)
        elif operation.name not in anchors:
            message = (
                f"operation '{operation.name}' has a class, and no pass runs on it"
            )
            notes = suggest(operation.name, anchors)
        else:
            continue
        yield Diagnostic(message, operation.location, notes)


def _check_ignores(group: PassGroup) -> Iterator[Diagnostic]:
    for ignore in dict.fromkeys(group.all_ignores):
        if ignore.rule not in RULES:
            message = (
                f"found '{ignore.rule}', which is not a rule of 'passgen diff', "
                "'passgen lint' or 'passgen drift'"
            )
            yield Diagnostic(message, ignore.location, suggest(ignore.rule, RULES))


def _check_lint_rules(group: PassGroup) -> Iterator[Diagnostic]:
    for rule in group.lint_rules:
        if rule.name in OPTIONAL_RULES:
            continue
        if rule.name in LINT_RULES:
            message = f"rule '{rule.name}' of 'passgen lint' holds without being named"
            yield Diagnostic(message, rule.location)
        else:
            message = f"found '{rule.name}', which is not a rule of 'passgen lint'"
            notes = suggest(rule.name, OPTIONAL_RULES)
            listing = Note(f"rules on request: {', '.join(sorted(OPTIONAL_RULES))}")
            yield Diagnostic(message, rule.location, (*notes, listing))


def _check_pass(pass_: Pass, of: str, scope: frozenset[str]) -> Iterator[Diagnostic]:
    if not pass_.summary and pass_.cpp.summary is None:
        message = f"summary of pass '{pass_.name}' is empty"
        note = Note("lists of passes show it")
        place = pass_.summary_location
        yield Diagnostic(message, place, (note,), severity="warning")
    yield from _check_raw_text(
        pass_.summary,
        RAW_SUMMARY_END,
        f"summary of pass '{pass_.name}'",
        pass_.summary_location,
    )
    for option in pass_.options:
        what = f"description of option '{option.argument}' {of}"
        end = RAW_OPTION_END
        yield from _check_raw_text(option.description, end, what, option.location)
    for statistic in pass_.statistics:
        what = f"description of statistic '{statistic.name}' {of}"
        end, place = RAW_STATISTIC_END, statistic.location
        yield from _check_raw_text(statistic.description, end, what, place)
    for dialect, first in repetitions(pass_.dependent_dialects, lambda each: each.name):
        message = f"duplicate dependent dialect '{dialect.name}' {of}"
        yield clash_error(message, dialect.location, first.location)
    named = {dependent_dialect.name for dependent_dialect in pass_.dependent_dialects}
    for name in pass_.cpp.dialects:
        if name not in named:
            message = f"'cpp' {of} spells dialect '{name}', which it does not depend on"
            note = Note("dialects are named in 'dependentDialects'")
            yield Diagnostic(message, pass_.location, (note,))
    if has_keyword(pass_.constructor):
        message = f"constructor {of}: found '{pass_.constructor}', {NOT_IMPORTABLE}"
        yield Diagnostic(message, pass_.constructor_location)
    yield from check_options(pass_.options, of)
    if pass_.patterns:
        scope |= naming.PATTERN_SCOPE
    if pass_.remarks:
        scope |= naming.REMARK_SCOPE
    yield from check_statistics(pass_.statistics, of, scope)
    yield from check_remarks(pass_, of)
    yield from check_examples(pass_)
    yield from check_patterns(pass_, of)
    yield from check_cpp_members(pass_, of)


def _check_raw_text(
    text: str, end: str, what: str, place: Location
) -> Iterator[Diagnostic]:
    if end in text:
        message = f"{what} contains '{end}', which ends the text in C++ of mlir-tblgen"
        yield Diagnostic(message, place, severity="warning")


def _check_pipelines(group: PassGroup, others: Sequence[PassGroup]) -> list[Diagnostic]:
    """Return the findings about pipelines, ordering rules and forms of `group`.

    Names are checked first: the order is only checked if all names are known and no
    pipeline or bundle includes itself.

    Args:
        group: the group to check.
        others: other groups whose passes it may name.
    """
    if not _has_pipelines_or_rules(group):
        return []
    known, needed = known_passes(group, others), needed_groups(group, others)
    findings = [
        *check_constraint_names(group, known),
        *check_element_names(group, known),
        *check_pipeline_options(group, known),
        *check_rule_cycles(group, known),
        *check_form_names(group, needed),
        *check_inclusion(group),
    ]
    if all(finding.severity == "warning" for finding in findings):
        findings += check_order(group, known)
        findings += check_forms(group, needed, known)
    return findings


def find_form_gaps(
    group: PassGroup, others: Sequence[PassGroup] = ()
) -> Iterator[FormGap]:
    """Yield the forms that plainly do not hold where pipelines of `group` need them.

    Pipelines with other mistakes are not judged, as `check` reports those. A pass that
    no spec declares may give any form.

    Args:
        group: the group, checked by itself.
        others: other groups whose passes it may name.
    """
    alike = [other for other in others if has_same_forms(group, other)]
    known = with_unknown(known_passes(group, alike), group)
    mistakes = chain(
        check_element_names(group, known),
        check_pipeline_options(group, known),
        check_inclusion(group),
    )
    if all(mistake.severity == "warning" for mistake in mistakes):
        yield from form_gaps(group, alike, known)


def _has_pipelines_or_rules(group: PassGroup) -> bool:
    parts = group.pipelines, group.bundles, group.external_passes, group.forms
    return any(parts) or any(
        pass_.constraints != UNCONSTRAINED for pass_ in group.passes
    )
