"""`passgen lint`: the style of specs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from passgen.commands import reporting
from passgen.commands.outcome import CommandParser, Outcome
from passgen.commands.reporting import ReportArguments
from passgen.diagnostics import Severity
from passgen.finding_rules import LINT_RULES
from passgen.findings import Finding, brief, lint_group, report
from passgen.tablegen import is_imported


class _LintArguments(ReportArguments):
    fail_on: Severity = "warning"
    verbose: bool = False


def run(argv: Sequence[str], _folder: Path | None) -> Outcome:
    """Check the style of the specs in `argv`."""
    parser = CommandParser("passgen lint")
    parser.add_argument(
        "specs",
        metavar="SPEC",
        nargs="*",
        help="a spec, or a Passes.td; - reads standard input",
    )
    parser.add_argument(
        "--verbose",
        action="store_true",
        help="show all findings of imported specs, not one line for each rule",
    )
    arguments = reporting.parse(parser, argv, _LintArguments())
    if arguments.explain is not None:
        return reporting.explanation_of(arguments.explain, LINT_RULES)
    groups, refused = reporting.read_groups(arguments.specs)
    found: list[Finding] = []
    for group in groups:
        found += lint_group(group, [other for other in groups if other is not group])
    made = report("lint", LINT_RULES, found, groups)
    sources = [group.location.source for group in groups]
    imported = {source.name for source in sources if is_imported(source)}
    shown = reporting.outcome(arguments, made, refused)
    if shown.report and imported and not arguments.verbose:
        return replace(shown, report=brief(made, imported))
    return shown
