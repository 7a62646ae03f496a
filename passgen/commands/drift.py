"""`passgen drift`: where specs and the Python that implements them differ."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from passgen.commands import reporting
from passgen.commands.outcome import CommandParser, Outcome
from passgen.commands.reporting import Refusal, ReportArguments
from passgen.diagnostics import Severity, SpecError, UserError
from passgen.finding_rules import DRIFT_RULES
from passgen.findings import Finding, find_drift, report
from passgen.probing import ProbeError
from passgen.spec import UnreadableError

RULES_OF_PROBES: Final = (
    "broken-constructor",
    "broken-reference",
    "broken-pattern",
    "unparsed-patterns",
)
"""The rules that need another process."""


class _DriftArguments(ReportArguments):
    fail_on: Severity = "warning"
    sources: list[str] | None = None
    no_imports: bool = False
    plugins: list[str] | None = None


def run(argv: Sequence[str], _folder: Path | None) -> Outcome:
    """Compare the specs in `argv` with their implementations."""
    parser = CommandParser("passgen drift")
    add = parser.add_argument
    add("specs", metavar="SPEC", nargs="*", help="a spec; - reads standard input")
    add(
        "--source",
        dest="sources",
        metavar="DIR",
        action="append",
        help="folder of implementations, a root of imports; the current one by default",
    )
    add("--no-imports", action="store_true", help="import nothing that specs name")
    add(
        "--load-pass-plugin",
        dest="plugins",
        metavar="NAME",
        action="append",
        help="a plugin whose dialects patterns use",
    )
    arguments = reporting.parse(parser, argv, _DriftArguments())
    if arguments.explain is not None:
        return reporting.explanation_of(arguments.explain, DRIFT_RULES)
    folders = [Path(source) for source in arguments.sources or ["."]]
    for folder in folders:
        if not folder.is_dir():
            parser.error(f"--source: found '{folder}', expected a folder")
    groups, refused = reporting.read_groups(arguments.specs)
    found: list[Finding] = []
    if refused:  # classes may implement passes of a refused spec
        groups = []
    else:
        try:
            found += find_drift(
                groups,
                folders,
                imports=not arguments.no_imports,
                plugins=arguments.plugins or (),
            )
        except (SpecError, UnreadableError) as error:  # of a source
            refused.append(Refusal("", error))
        except ProbeError as error:
            skipping = "note: --no-imports skips this check"
            raise UserError(f"passgen drift: error: {error}\n{skipping}") from error
    rules = dict(DRIFT_RULES)
    if arguments.no_imports:  # its ignores are not unused
        for name in RULES_OF_PROBES:
            del rules[name]
    made = report("drift", rules, found, groups)
    return reporting.outcome(arguments, made, refused)
