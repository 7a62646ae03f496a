"""What commands with a report share: arguments, wrong specs, formats, exit codes."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from passgen import resources
from passgen.commands.outcome import EXIT_FINE, EXIT_USAGE, EXIT_WRONG, Outcome
from passgen.diagnostics import Diagnostic, Severity, SpecError, UserError, nearest
from passgen.findings import FORMATS, SEVERITIES, Finding, Report
from passgen.model import PassGroup
from passgen.rules import INVALID_INPUT, Rule
from passgen.source import Location, SourceFile
from passgen.spec import mistakes

_Name = TypeVar("_Name")
_Input = TypeVar("_Input")

_HEADLINE: Final = re.compile(
    r"^(?P<file>.+?)(?::(?P<line>\d+):(?P<column>\d+))?: error: ", re.MULTILINE
)
"""How the text of a `UserError` about a file begins, or goes on."""

EXIT_CODES: Final = """\
exit codes: 0 nothing as grave as --fail-on, 1 something is, or a spec is wrong,
2 usage"""
"""What the help of each command says of them."""


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


@dataclass(frozen=True)
class Refusal:
    """A file of which nothing can be made."""

    name: str
    error: SpecError | UserError

    def messages(self) -> Sequence[Diagnostic | str]:
        """Return why, for people."""
        error = self.error
        return error.diagnostics if isinstance(error, SpecError) else [str(error)]

    def findings(self) -> Iterator[Finding]:
        """Yield why, for programs."""
        if isinstance(self.error, SpecError):
            for each in self.error.diagnostics:
                place = each.location or Location(SourceFile(self.name, ""), 1, 1)
                yield Finding(INVALID_INPUT, each.message, place, (), each.notes)
            return
        text = str(self.error)
        place = Location(SourceFile(self.name, ""), 1, 1)
        match = _HEADLINE.search(text)
        if match:
            text = text[match.end() :]
            source = SourceFile(match["file"], "")
            place = Location(source, int(match["line"] or 1), int(match["column"] or 1))
        yield Finding(INVALID_INPUT, text, place, ())


def read_each(
    names: Iterable[_Name], read: Callable[[_Name], _Input]
) -> tuple[list[_Input], list[Refusal]]:
    """Return what `read` makes of each of `names`, and why it makes nothing of others.

    Raises:
        UserError: it is no fault of a file, but of how passgen was called.
    """
    inputs: list[_Input] = []
    refused: list[Refusal] = []
    for name in names:
        try:
            inputs.append(read(name))
        except (SpecError, UserError) as error:
            if isinstance(error, UserError) and error.code != EXIT_WRONG:
                raise
            refused.append(Refusal(str(name), error))
    return inputs, refused


def without_parts(
    refused: Sequence[Refusal], groups: Iterable[PassGroup]
) -> list[Refusal]:
    """Return `refused` without the files that those of `groups` include as parts."""
    errors = {place: each.error for place, each in enumerate(refused)}
    return [refused[place] for place in mistakes(errors, groups)]


def outcome(
    arguments: ReportArguments,
    report: Report,
    refused: Sequence[Refusal] = (),
) -> Outcome:
    """Return the report in the form asked for, and whether it fails.

    Args:
        arguments: what was asked for.
        report: on what could be read.
        refused: why the rest could not; people read of this alone, as a message.
    """
    is_for_people = arguments.format == "text"
    if refused and is_for_people:
        messages = (message for each in refused for message in each.messages())
        return Outcome(messages=tuple(dict.fromkeys(messages)), code=EXIT_WRONG)
    # Specs may share what is wrong with them: a file that they include.
    found = (finding for each in refused for finding in each.findings())
    wrong = tuple(dict.fromkeys(found))
    rules = {**report.rules, INVALID_INPUT.name: INVALID_INPUT}
    report = replace(report, rules=rules, findings=(*wrong, *report.findings))
    code = EXIT_WRONG if wrong or report.fails(arguments.fail_on) else EXIT_FINE
    text = FORMATS[arguments.format](report)
    return (
        Outcome(report=text, code=code) if is_for_people else Outcome(text, code=code)
    )


class _UnknownRuleError(UserError):
    """`--explain` was given what is no rule."""

    code = EXIT_USAGE


def explained(name: str, rules: Mapping[str, Rule]) -> Outcome:
    """Return what `--explain NAME` prints: the rule's page, or all that there is."""
    rules = {**rules, INVALID_INPUT.name: INVALID_INPUT}
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
