"""What is wrong with the style of a spec: it works, but its readers could be helped.

Each rule has a page in `docs/lint` that shows what it finds and what to write instead.

findings = list(lint(group))
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from passgen.findings.finding import Finding
from passgen.model.group import Pass, PassGroup
from passgen.model.model_ignores import Ignore
from passgen.rules import LINT_RULES
from passgen.source import Location
from passgen.findings.arguments import lint_argument
from passgen.findings.descriptions import lint_description
from passgen.findings.options import lint_options, lint_statistics

_SUMMARY_LENGTH: Final = 72
"""What a list of passes shows beside an argument in a terminal of 120 columns."""


def lint(group: PassGroup) -> Iterator[Finding]:
    """Yield what could be better about `group`."""
    if not group.summary:
        message = f"group '{group.name}' has no summary"
        rule = LINT_RULES["group-without-summary"]
        yield Finding(rule, message, group.location, group.ignores)
    summaries: dict[str, Pass] = {}
    for pass_ in group.passes:
        ignores = (*pass_.ignores, *group.ignores)
        what, place = f"pass '{pass_.argument}'", pass_.summary_location
        yield from lint_argument(what, pass_.argument, pass_.argument_location, ignores)
        yield from _summary(what, pass_.argument, pass_.summary, place, ignores)
        first = summaries.setdefault(pass_.summary.lower(), pass_)
        if first is not pass_ and pass_.summary:
            message = f"summary of {what} is that of pass '{first.argument}'"
            rule = LINT_RULES["summary-repeated"]
            yield Finding(rule, message, place, ignores, name=pass_.argument)
        yield from lint_description(pass_, ignores)
        yield from lint_options(what, pass_.options, ignores)
        yield from lint_statistics(pass_, ignores)
    for pipeline in group.pipelines:
        name, what = pipeline.argument, f"pipeline '{pipeline.argument}'"
        ignores = (*pipeline.ignores, *group.ignores)
        place = pipeline.argument_location
        yield from lint_argument(what, name, place, ignores)
        place = pipeline.location
        yield from _summary(what, name, pipeline.summary, place, ignores)
        yield from lint_options(what, pipeline.options, ignores)
    for bundle in group.bundles:
        name, what = bundle.name, f"bundle '{bundle.name}'"
        ignores = (*bundle.ignores, *group.ignores)
        yield from _summary(what, name, bundle.summary, bundle.location, ignores)


def _summary(
    what: str, name: str, text: str, place: Location, ignores: tuple[Ignore, ...]
) -> Iterator[Finding]:
    for rule, fault in summary_faults(text):
        message = f"summary of {what} {fault}"
        yield Finding(LINT_RULES[rule], message, place, ignores, name=name)


def summary_faults(text: str) -> Iterator[tuple[str, str]]:
    """Yield the rules that the summary `text` breaks, and how, as a verb tells it."""
    if text.endswith(".") and not text.endswith("..."):
        yield "summary-ends-with-period", "ends with a period"
    if text[:1].islower() and not _is_code(text):
        yield "summary-not-capitalized", "begins with a small letter"
    if len(text) > _SUMMARY_LENGTH:
        fault = f"has {len(text)} characters, expected at most {_SUMMARY_LENGTH}"
        yield "summary-too-long", fault


def _is_code(summary: str) -> bool:
    """Return whether `summary` begins with what is spelled so, such as `scf.for`."""
    first = summary.split(maxsplit=1)[0]
    return not first.isalpha()
