"""The style of specs that are valid: what `passgen lint` finds.

Each rule has a page in `docs/lint` that shows what it finds and what to write instead.

findings = list(lint_group(group))
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from passgen import resources
from passgen.checks import find_form_gaps
from passgen.diagnostics import Diagnostic, Note, suggest
from passgen.findings.finding import Finding, Subject, group_subject, report
from passgen.model import Option, Pass, PassGroup, Remark, RewritePattern, Statistic
from passgen.render import lost_links
from passgen.source import Location

_EXAMPLE: Final = re.compile(
    r"^ *(?P<fence>`{3,}|~{3,})mlir\b[^\n]*\n(?P<ir>.*?)^ *(?P=fence)",
    re.MULTILINE | re.DOTALL,
)
_COMMENT: Final = re.compile(r"//[^\n]*")
_OPERATION: Final = re.compile(
    r"""
    ^ \s* (?:%[^=\n]*=\s*)?              # its results
    (?: (?P<plain>[a-z_][a-z0-9_]*) \. [a-z_]
      | "(?P<generic>[a-z_][a-z0-9_]*) \. [^"\n]+" \s* \( )
    """,
    re.VERBOSE | re.MULTILINE,
)
_KEBAB_CASE: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_DEFAULT: Final = re.compile(r"\bdefaults?\s*(?:is|are|to|:|=|value)", re.IGNORECASE)
_NEGATION: Final = re.compile(r"(?:no|not|dont|disable|skip|without)-")

_SUMMARY_LENGTH: Final = 72
"""The space for a summary in a list of passes on a terminal of 120 columns."""


def lint_group(group: PassGroup, others: Sequence[PassGroup] = ()) -> Iterator[Finding]:
    """Yield advice on the style of `group`.

    Args:
        group: the group.
        others: other groups whose passes it may name.
    """
    owner = group_subject(group)
    if not group.summary:
        message = f"group '{group.title}' has no summary"
        yield owner.finding("group-without-summary", message)
    rules = {rule.name for rule in group.lint_rules}
    summaries: dict[str, Pass] = {}
    for pass_ in group.passes:
        name, place = pass_.argument, pass_.summary_location
        subject = owner.part("pass", name, pass_.location, pass_.ignores)
        yield from _lint_argument(subject, pass_.argument_location)
        yield from _lint_summary(subject, pass_.summary, place)
        first = summaries.setdefault(pass_.summary.lower(), pass_)
        if first is not pass_ and pass_.summary:
            message = f"summary of {subject.what} is that of pass '{first.argument}'"
            yield subject.finding("summary-repeated", message, place)
        yield from _lint_description(pass_, subject)
        if "example-missing" in rules and not pass_.examples:
            message = f"{subject.what} has no examples"
            yield subject.finding("example-missing", message)
        yield from _lint_options(pass_.options, subject)
        yield from _lint_statistics(pass_.statistics, subject)
        yield from _lint_remarks(pass_.remarks, subject)
        yield from _lint_patterns(pass_.patterns, subject)
    for pipeline in group.pipelines:
        name, place = pipeline.argument, pipeline.location
        subject = owner.part("pipeline", name, place, pipeline.ignores)
        yield from _lint_argument(subject, pipeline.argument_location)
        yield from _lint_summary(subject, pipeline.summary)
        yield from _lint_options(pipeline.options, subject)
    yield from _lint_forms(group, owner)
    for gap in find_form_gaps(group, others):
        name, ignores = gap.pipeline.argument, gap.pipeline.ignores
        subject = owner.part("pipeline", name, gap.pipeline.location, ignores)
        found = gap.mistake
        finding = subject.finding(gap.rule, found.message, found.location)
        yield finding.noting(*found.notes)
    for bundle in group.bundles:
        subject = owner.part("bundle", bundle.name, bundle.location, bundle.ignores)
        yield from _lint_summary(subject, bundle.summary)
    yield from _lint_links(group, others)


def _lint_links(
    group: PassGroup, others: Sequence[PassGroup] = ()
) -> Iterator[Finding]:
    """Yield the links in descriptions that lead nowhere on a site; see `lint_group`."""
    groups = (group, *others)
    names = {f"bundle-{bundle.name}" for each in groups for bundle in each.bundles}
    for each in groups:
        names.update(pass_.argument for pass_ in each.passes)
        names.update(pipeline.argument for pipeline in each.pipelines)
    for subject, text in _descriptions(group):
        for href in dict.fromkeys(lost_links(text, names)):
            message = f"a link of {subject.what or 'the group'} leads to '{href}'"
            note = Note(
                "a link to a pass is written '#cse', one to another page as an address "
                "with 'https:'; other files are not on a site"
            )
            place = href.rpartition("#")[2].removeprefix("-")
            finding = subject.finding("link-lost", f"{message}, which is no pass")
            yield finding.noting(*suggest(place, names), note)


def _descriptions(group: PassGroup) -> Iterator[tuple[Subject, str]]:
    """Yield all Markdown of `group`, each text with what it is about."""
    owner = group_subject(group)
    yield owner, group.description
    for bundle in group.bundles:
        subject = owner.part("bundle", bundle.name, bundle.location, bundle.ignores)
        yield subject, bundle.description
    for pipeline in group.pipelines:
        name, place = pipeline.argument, pipeline.location
        subject = owner.part("pipeline", name, place, pipeline.ignores)
        yield subject, pipeline.description
        yield from _option_descriptions(pipeline.options, subject)
    for pass_ in group.passes:
        name, place = pass_.argument, pass_.location
        subject = owner.part("pass", name, place, pass_.ignores)
        yield subject, pass_.description
        yield from _option_descriptions(pass_.options, subject)
        for statistic in pass_.statistics:
            name, place = statistic.display_name, statistic.location
            part = subject.part("statistic", name, place, statistic.ignores)
            yield part, statistic.description
        for remark in pass_.remarks:
            part = subject.part("remark", remark.name, remark.location, remark.ignores)
            yield part, remark.description
            for field in remark.fields:
                yield part.part("field", field.name, field.location), field.description
        for pattern in pass_.patterns:
            name, place = pattern.name, pattern.location
            part = subject.part("pattern", name, place, pattern.ignores)
            yield part, pattern.description


def _option_descriptions(
    options: Iterable[Option], owner: Subject
) -> Iterator[tuple[Subject, str]]:
    for option in options:
        name, place = option.argument, option.location
        subject = owner.part("option", name, place, option.ignores)
        yield subject, option.description
        for value in option.type.values:
            yield subject.part("value", value.value, value.location), value.description


def _lint_forms(group: PassGroup, owner: Subject) -> Iterator[Finding]:
    """Yield the own forms of `group` that nothing needs, or that nothing gives."""
    of_passes = [pass_.constraints.forms for pass_ in group.passes]
    of_passes += [external.constraints.forms for external in group.external_passes]
    of_pipelines = [pipeline.forms for pipeline in group.pipelines]
    # Callers give what a pipeline needs, and need what it gives.
    needed = [rules.needs for rules in of_passes]
    needed += [rules.gives for rules in of_pipelines]
    given = [rules.gives for rules in of_passes]
    given += [rules.needs for rules in of_pipelines]
    is_needed, is_given = (
        {name.name for rules in listed for name in rules} for listed in (needed, given)
    )
    for form in group.own_forms:
        is_own = form.location.source == group.location.source
        if is_own and form.name not in is_needed & is_given:
            subject = owner.part("form", form.name, form.location)
            verb = "gives" if form.name in is_needed else "needs"
            message = f"no pass {verb} {subject.what}"
            yield subject.finding("form-unused", message)


def _lint_argument(subject: Subject, place: Location) -> Iterator[Finding]:
    if not _KEBAB_CASE.fullmatch(subject.name):
        message = f"argument of {subject.what} is not in kebab case"
        yield subject.finding("argument-not-kebab-case", message, place)
    if subject.what.startswith(("pass ", "pipeline ")) and (
        subject.name in resources.driver_flags()
    ):
        message = f"argument of {subject.what} is a flag of drivers"
        note = Note("a pipeline can name it, the command line cannot")
        yield subject.finding("argument-is-flag", message, place).noting(note)


def _lint_summary(
    subject: Subject, summary: str, place: Location | None = None
) -> Iterator[Finding]:
    for rule, fault in summary_faults(summary):
        yield subject.finding(rule, f"summary of {subject.what} {fault}", place)


def _lint_description(pass_: Pass, subject: Subject) -> Iterator[Finding]:
    what = subject.what
    if not pass_.description:
        yield subject.finding("description-missing", f"{what} has no description")
        return
    described = [match["ir"] for match in _EXAMPLE.finditer(pass_.description)]
    inputs = [*described[:1], *(example.input for example in pass_.examples)]
    outputs = [*described[1:], *(example.output for example in pass_.examples)]
    if not inputs and pass_.patterns:
        return
    if not inputs:
        message = f"description of {what} shows no example"
        note = Note("IR stands in a code block that begins with ```mlir")
        yield subject.finding("description-without-example", message).noting(note)
        return
    declared = {
        "builtin",
        *(name for ir in inputs for name in _dialects(ir)),
        *(dependent_dialect.name for dependent_dialect in pass_.dependent_dialects),
    }
    after = map(_dialects, outputs)
    for dialect in dict.fromkeys(name for example in after for name in example):
        if dialect not in declared:
            message = (
                f"the example of {what} creates operations of dialect '{dialect}', "
                "which 'dependentDialects' does not name"
            )
            yield subject.finding("dialect-not-declared", message, name=dialect)


def _dialects(ir: str) -> list[str]:
    """Return the dialects whose operations stand in `ir`."""
    code = _COMMENT.sub("", ir)
    return [match["plain"] or match["generic"] for match in _OPERATION.finditer(code)]


def _lint_options(options: Iterable[Option], owner: Subject) -> Iterator[Finding]:
    for option in options:
        name = option.argument
        subject = owner.part("option", name, option.location, option.ignores)
        what = subject.what
        yield from _lint_argument(subject, option.argument_location)
        if not option.description.strip():
            yield subject.finding("option-undocumented", f"{what} has no description")
        stated = _DEFAULT.search(option.description)
        if stated and option.default is not None:
            message = f"description of {what} says '{stated[0]}', as 'default' does"
            yield subject.finding("default-in-description", message)
        if option.default is True and _NEGATION.match(name):
            message = (
                f"{what} is true by default: to allow it, users set '{name}=false'"
            )
            yield subject.finding("double-negative", message, option.default_location)
        for value in option.type.values:
            if not value.description.strip():
                part = subject.part("value", value.value, value.location)
                message = f"{part.what} has no description"
                yield part.finding("enum-value-undocumented", message)


def _lint_statistics(
    statistics: Iterable[Statistic], owner: Subject
) -> Iterator[Finding]:
    for statistic in statistics:
        if not statistic.description.strip():
            name, place = statistic.display_name, statistic.location
            subject = owner.part("statistic", name, place, statistic.ignores)
            message = f"{subject.what} has no description"
            yield subject.finding("statistic-undocumented", message)


def _lint_remarks(remarks: Iterable[Remark], owner: Subject) -> Iterator[Finding]:
    for remark in remarks:
        place, ignores = remark.location, remark.ignores
        subject = owner.part("remark", remark.name, place, ignores)
        if not remark.description.strip():
            message = f"{subject.what} has no description"
            yield subject.finding("remark-undocumented", message)
        if remark.kind == "missed" and not remark.advice:
            message = f"{subject.what} does not say what a user can do"
            yield subject.finding("missed-without-advice", message)
        named = {name for name, _ in remark.named_in_message()}
        for field in remark.fields:
            if field.name not in named:
                part = subject.part("field", field.name, field.location)
                message = f"{part.what} is not in its message"
                yield part.finding("remark-field-unused", message)


def _lint_patterns(
    patterns: Iterable[RewritePattern], owner: Subject
) -> Iterator[Finding]:
    firsts: dict[tuple[str, int], RewritePattern] = {}
    for pattern in patterns:
        place, ignores = pattern.location, pattern.ignores
        subject = owner.part("pattern", pattern.name, place, ignores)
        yield from _lint_summary(subject, pattern.summary)
        if not pattern.before:
            message = f"{subject.what} shows no IR"
            note = Note("write the IR 'before' and 'after' it")
            yield subject.finding("pattern-without-example", message).noting(note)
        first = firsts.setdefault((pattern.root, pattern.benefit), pattern)
        if pattern.root and first is not pattern:
            message = (
                f"{subject.what} starts from '{pattern.root}' with the benefit "
                f"{pattern.benefit}, as pattern '{first.name}' does"
            )
            note = Note("of two patterns that match, the higher benefit goes first")
            yield subject.finding("pattern-order-unclear", message).noting(note)


def link_warnings(groups: Sequence[PassGroup]) -> Iterator[Diagnostic]:
    """Yield warnings of the links that are dead on a site of `groups`."""
    found: list[Finding] = []
    for group in groups:
        others = [other for other in groups if other is not group]
        found += _lint_links(group, others)
    for finding in report("lint", {}, found, groups).findings:
        yield finding.diagnostic()


def summary_faults(text: str) -> Iterator[tuple[str, str]]:
    """Yield the rules that the summary `text` breaks, each with the fault in words."""
    if text.endswith(".") and not text.endswith("..."):
        yield "summary-ends-with-period", "ends with a period"
    if text[:1].islower() and not _is_code(text):
        yield "summary-not-capitalized", "begins with a small letter"
    if len(text) > _SUMMARY_LENGTH:
        fault = f"has {len(text)} characters, expected at most {_SUMMARY_LENGTH}"
        yield "summary-too-long", fault


def _is_code(summary: str) -> bool:
    """Return whether `summary` begins with code, such as `scf.for`."""
    first = summary.split(maxsplit=1)[0]
    return not first.isalpha()
