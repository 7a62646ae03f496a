"""The parts that `diff`, `lint` and `drift` share: arguments, wrong specs, reports."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from passgen import resources
from passgen.checks import check_shared_arguments
from passgen.commands.outcome import (
    EXIT_FINE,
    EXIT_USAGE,
    EXIT_WRONG,
    CommandParser,
    Outcome,
)
from passgen.diagnostics import (
    Diagnostic,
    Severity,
    SpecError,
    UserError,
    json_messages,
)
from passgen.finding_rules import INVALID_INPUT, Rule
from passgen.findings import FORMATS, SEVERITIES, Finding, Report, read_input
from passgen.model import PassGroup
from passgen.passgen_rules.suggestions import nearest_name
from passgen.source import Location, SourceFile
from passgen.spec import mistakes

_Arguments = TypeVar("_Arguments", bound="ReportArguments")
_Name = TypeVar("_Name")
_Input = TypeVar("_Input")

_HEADLINE: Final = re.compile(
    r"^(?P<file>.+?)(?::(?P<line>\d+):(?P<column>\d+))?: error: ", re.MULTILINE
)
"""The start of each error in the text of a `UserError` about files."""


class ReportArguments(argparse.Namespace):
    """The arguments of every command with a report, and their defaults."""

    specs: list[str]
    format: str = "text"
    fail_on: Severity = "error"
    explain: str | None = None


def parse(
    parser: CommandParser,
    argv: Sequence[str],
    defaults: _Arguments,
    specs: str = "SPEC",
) -> _Arguments:
    """Return the arguments in `argv`; exit with a message if there is nothing to do.

    Args:
        parser: the command's parser, with all arguments of its own.
        argv: the arguments.
        defaults: the values of arguments that are not given.
        specs: the specs, as the message names them.
    """
    parser.add_argument(
        "--format",
        choices=list(FORMATS),
        help="the format of the report, text by default",
    )
    parser.add_argument(
        "--fail-on",
        choices=SEVERITIES,
        help=f"the least severity that fails, {defaults.fail_on} by default",
    )
    parser.add_argument("--explain", metavar="RULE", help="describe a rule")
    arguments = parser.parse_args(argv, defaults)
    if arguments.explain is None and not arguments.specs:
        parser.error(f"the following arguments are required: {specs}")
    return arguments


@dataclass(frozen=True)
class Refusal:
    """A file that cannot be used, and the reason."""

    name: str
    error: SpecError | UserError

    def messages(self) -> Sequence[Diagnostic | str]:
        """Return the reason as messages, for people."""
        error = self.error
        return error.diagnostics if isinstance(error, SpecError) else [str(error)]

    def objects(self) -> list[dict[str, Any]]:
        """Return the reason as the objects of `--diagnostics-format=json`."""
        found = (json_messages(message) for message in self.messages())
        return [message.as_object() for messages in found for message in messages]

    def findings(self) -> Iterator[Finding]:
        """Yield the reason as findings, for programs."""
        place = Location(SourceFile(self.name, ""), 1, 1)
        if isinstance(self.error, SpecError):
            for found in self.error.diagnostics:
                at = found.location or place
                yield Finding(INVALID_INPUT, found.message, at, (), found.notes)
            return
        text = str(self.error)
        match = _HEADLINE.search(text)
        if match:
            text = text[match.end() :]
            source = SourceFile(match["file"], "")
            place = Location(source, int(match["line"] or 1), int(match["column"] or 1))
        yield Finding(INVALID_INPUT, text, place, ())


def read_each(
    names: Iterable[_Name], read: Callable[[_Name], _Input]
) -> tuple[list[_Input], list[Refusal]]:
    """Read each of `names`; return what was read, and the refusals of the others.

    Raises:
        UserError: the call of passgen is wrong, not a file.
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


def read_groups(specs: Iterable[str]) -> tuple[list[PassGroup], list[Refusal]]:
    """Return the groups that `specs` declare, and the specs that cannot be used.

    A spec whose passes clash with those of an earlier one is among both.
    """
    groups, refused = read_each(specs, read_input)
    refused = without_parts(refused, groups)
    for position, group in enumerate(groups):
        clashes = [*check_shared_arguments(group, groups[:position])]
        if clashes:
            name = group.location.source.name
            refused.append(Refusal(name, SpecError(clashes)))
    return groups, refused


def without_parts(
    refused: Sequence[Refusal], groups: Iterable[PassGroup]
) -> list[Refusal]:
    """Return `refused` without the files that specs of `groups` include."""
    errors = {place: refusal.error for place, refusal in enumerate(refused)}
    return [refused[place] for place in mistakes(errors, groups)]


def outcome(
    arguments: ReportArguments, report: Report, refused: Sequence[Refusal] = ()
) -> Outcome:
    """Return the report in the form asked for, and whether it fails.

    Args:
        arguments: those of the command.
        report: the report on all files that could be read.
        refused: the other files. In a report for people only they are shown.
    """
    is_for_people = arguments.format == "text"
    if refused and is_for_people:
        messages = (message for refusal in refused for message in refusal.messages())
        return Outcome(messages=tuple(dict.fromkeys(messages)), code=EXIT_WRONG)
    # Specs share the errors of a file that they all include.
    found = (finding for refusal in refused for finding in refusal.findings())
    wrong = tuple(dict.fromkeys(found))
    rules = {**report.rules, INVALID_INPUT.name: INVALID_INPUT}
    report = replace(report, rules=rules, findings=(*wrong, *report.findings))
    code = EXIT_WRONG if wrong or report.fails(arguments.fail_on) else EXIT_FINE
    text = FORMATS[arguments.format](report)
    return (
        Outcome(report=text, code=code) if is_for_people else Outcome(text, code=code)
    )


class _UnknownRuleError(UserError):
    """`--explain` does not name a rule."""

    code = EXIT_USAGE


def explanation_of(name: str, rules: Mapping[str, Rule]) -> Outcome:
    """Return the page of the rule `name`, or else its severity and meaning."""
    rules = {**rules, INVALID_INPUT.name: INVALID_INPUT}
    rule = rules.get(name)
    if rule is None:
        meant = nearest_name(name, rules)
        hint = f"did you mean '{meant}'?" if meant else f"the rules: {', '.join(rules)}"
        raise _UnknownRuleError(
            f"--explain: error: found '{name}', expected a rule\nnote: {hint}"
        )
    page = resources.lint_page(name)
    if page.is_file():
        return Outcome(text=page.read_text(encoding="utf-8"))
    return Outcome(text=f"{rule.name} ({rule.severity})\n\n{rule.meaning}\n")
