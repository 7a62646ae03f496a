"""The arguments and the exit code that all commands with a report share."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass

from passgen import resources
from passgen.commands.outcome import EXIT_FINE, EXIT_USAGE, EXIT_WRONG, Outcome
from passgen.diagnostics import Severity, UserError, nearest
from passgen.findings import SEVERITIES, Report
from passgen.reports import FORMATS
from passgen.rules import Rule


@dataclass(slots=True)
class ReportArguments(argparse.Namespace):
    """What `add_arguments` adds."""

    format: str = "text"
    fail_on: Severity = "error"
    explain: str | None = None


def add_arguments(parser: argparse.ArgumentParser, fail_on: Severity) -> None:
    """Add the arguments; `fail_on` is the default of the command."""
    parser.add_argument(
        "--format",
        choices=list(FORMATS),
        help="the form of the report, text by default",
    )
    parser.add_argument(
        "--fail-on",
        choices=SEVERITIES,
        help=f"the least severity that fails, {fail_on} by default",
    )
    parser.add_argument("--explain", metavar="RULE", help="say what a rule is about")


def outcome(arguments: ReportArguments, report: Report) -> Outcome:
    """Return the report in the form asked for, and whether it fails."""
    fails = report.fails(arguments.fail_on)
    code = EXIT_WRONG if fails else EXIT_FINE
    text = FORMATS[arguments.format](report)
    is_for_people = arguments.format == "text"
    return (
        Outcome(report=text, code=code) if is_for_people else Outcome(text, code=code)
    )


class _UnknownRuleError(UserError):
    """`--explain` was given what is no rule."""

    code = EXIT_USAGE


def explained(name: str, rules: Mapping[str, Rule]) -> Outcome:
    """Return what `--explain NAME` prints: the rule's page, or all that there is."""
    rule = rules.get(name)
    if rule is None:
        meant = nearest(name, rules)
        hint = f"did you mean '{meant}'?" if meant else f"the rules: {', '.join(rules)}"
        raise _UnknownRuleError(
            f"--explain: error: found '{name}', expected a rule\nnote: {hint}"
        )
    page = resources.lint_page(name)
    if page.is_file():
        return Outcome(text=page.read_text(encoding="utf-8"))
    return Outcome(text=f"{rule.name} ({rule.severity})\n\n{rule.meaning}\n")
