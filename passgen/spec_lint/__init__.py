"""What is wrong with the style of a spec: it works, but its readers could be helped.

Each rule has a page in `docs/lint` that shows what it finds and what to write instead.

findings = list(lint(group))
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from passgen.findings import Finding
from passgen.model import Ignore, Pass, PassGroup
from passgen.rules import LINT_RULES
from passgen.source import Location
from passgen.spec_lint.descriptions import lint_description
from passgen.spec_lint.options import lint_options, lint_statistics

_KEBAB_CASE: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
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
        of = f"of pass '{pass_.argument}'"
        yield from _arguments(pass_, ignores)
        yield from _summary(pass_, ignores)
        first = summaries.setdefault(pass_.summary.lower(), pass_)
        if first is not pass_ and pass_.summary:
            message = f"summary {of} is that of pass '{first.argument}'"
            rule = LINT_RULES["summary-repeated"]
            yield Finding(
                rule, message, pass_.summary_location, ignores, name=pass_.argument
            )
        yield from lint_description(pass_, ignores)
        yield from lint_options(pass_, ignores)
        yield from lint_statistics(pass_, ignores)


def _arguments(pass_: Pass, ignores: tuple[Ignore, ...]) -> Iterator[Finding]:
    named: list[tuple[str, str, Location, tuple[Ignore, ...]]] = [
        ("pass", pass_.argument, pass_.argument_location, ignores)
    ]
    named += [
        (
            "option",
            option.argument,
            option.argument_location,
            (*option.ignores, *ignores),
        )
        for option in pass_.options
    ]
    for what, argument, location, in_force in named:
        if not _KEBAB_CASE.fullmatch(argument):
            of = "" if what == "pass" else f" of pass '{pass_.argument}'"
            message = f"argument of {what} '{argument}'{of} is not in kebab case"
            rule = LINT_RULES["argument-not-kebab-case"]
            yield Finding(rule, message, location, in_force, name=argument)


def _summary(pass_: Pass, ignores: tuple[Ignore, ...]) -> Iterator[Finding]:
    summary, what = pass_.summary, f"summary of pass '{pass_.argument}'"

    def found(rule: str, message: str) -> Finding:
        place = pass_.summary_location
        return Finding(LINT_RULES[rule], message, place, ignores, name=pass_.argument)

    if summary.endswith(".") and not summary.endswith("..."):
        yield found("summary-ends-with-period", f"{what} ends with a period")
    if summary[:1].islower() and not _is_code(summary):
        yield found("summary-not-capitalized", f"{what} begins with a small letter")
    if len(summary) > _SUMMARY_LENGTH:
        message = (
            f"{what} has {len(summary)} characters, expected at most {_SUMMARY_LENGTH}"
        )
        yield found("summary-too-long", message)


def _is_code(summary: str) -> bool:
    """Return whether `summary` begins with what is spelled so, such as `scf.for`."""
    first = summary.split(maxsplit=1)[0]
    return not first.isalpha()
