"""What is wrong with the style of a spec: it works, but its readers could be helped.

Each rule has a page in `docs/lint` that shows what it finds and what to write instead.

findings = list(lint(group))
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from passgen.diagnostics import Note
from passgen.findings.finding import Finding
from passgen.model import Ignore, Option, Pass, PassGroup
from passgen.rules import LINT_RULES
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


def lint_description(pass_: Pass, ignores: tuple[Ignore, ...]) -> Iterator[Finding]:
    """Yield what could be better about the description of `pass_`."""
    what, name = f"pass '{pass_.argument}'", pass_.argument
    place = pass_.location
    if not pass_.description:
        rule = LINT_RULES["description-missing"]
        message = f"{what} has no description"
        yield Finding(rule, message, place, ignores, name=name)
        return
    examples = [match["ir"] for match in _EXAMPLE.finditer(pass_.description)]
    if not examples:
        rule = LINT_RULES["description-without-example"]
        message = f"description of {what} shows no example"
        note = Note("IR stands in a code block that begins with ```mlir")
        yield Finding(rule, message, place, ignores, (note,), name)
        return
    rule = LINT_RULES["dialect-not-declared"]
    before, *after = map(_dialects, examples)
    declared = {*before, "builtin", *(each.name for each in pass_.dependent_dialects)}
    for dialect in dict.fromkeys(each for example in after for each in example):
        if dialect not in declared:
            message = (
                f"the example of {what} creates operations of dialect '{dialect}', "
                "which 'dependentDialects' does not name"
            )
            yield Finding(rule, message, place, ignores, name=dialect)


def _dialects(ir: str) -> list[str]:
    """Return the dialects whose operations stand in `ir`."""
    code = _COMMENT.sub("", ir)
    return [match["plain"] or match["generic"] for match in _OPERATION.finditer(code)]


_KEBAB_CASE: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def lint_argument(
    what: str, argument: str, location: Location, ignores: tuple[Ignore, ...]
) -> Iterator[Finding]:
    """Yield what could be better about the argument of `what`."""
    if not _KEBAB_CASE.fullmatch(argument):
        message = f"argument of {what} is not in kebab case"
        rule = LINT_RULES["argument-not-kebab-case"]
        yield Finding(rule, message, location, ignores, name=argument)


_DEFAULT: Final = re.compile(r"\bdefaults?\s*(?:is|are|to|:|=|value)", re.IGNORECASE)
_NEGATION: Final = re.compile(r"(?:no|not|dont|disable|skip|without)-")


def lint_options(
    owner: str, options: Iterable[Option], ignores: tuple[Ignore, ...]
) -> Iterator[Finding]:
    """Yield what could be better about the options of `owner`, a pass or a pipeline."""
    for option in options:
        what = f"option '{option.argument}' of {owner}"
        yield from _lint_option(option, what, (*option.ignores, *ignores))


def _lint_option(
    option: Option, what: str, ignores: tuple[Ignore, ...]
) -> Iterator[Finding]:
    name = option.argument
    yield from lint_argument(what, name, option.argument_location, ignores)
    if not option.description.strip():
        rule = LINT_RULES["option-undocumented"]
        message = f"{what} has no description"
        yield Finding(rule, message, option.location, ignores, name=name)
    told = _DEFAULT.search(option.description)
    if told and option.default is not None:
        rule = LINT_RULES["default-in-description"]
        message = f"description of {what} says '{told[0]}', as 'default' does"
        yield Finding(rule, message, option.location, ignores, name=name)
    if option.default is True and _NEGATION.match(option.argument):
        rule = LINT_RULES["double-negative"]
        message = f"{what} is true by default: to allow it, users set '{name}=false'"
        yield Finding(rule, message, option.default_location, ignores, name=name)
    for value in option.type.values:
        if not value.description.strip():
            rule = LINT_RULES["enum-value-undocumented"]
            message = f"value '{value.value}' of {what} has no description"
            yield Finding(rule, message, value.location, ignores, name=value.value)


def lint_statistics(pass_: Pass, ignores: tuple[Ignore, ...]) -> Iterator[Finding]:
    """Yield what could be better about the statistics of `pass_`."""
    for statistic in pass_.statistics:
        if not statistic.description.strip():
            name = statistic.display_name
            message = (
                f"statistic '{name}' of pass '{pass_.argument}' has no description"
            )
            in_force = (*statistic.ignores, *ignores)
            rule = LINT_RULES["statistic-undocumented"]
            yield Finding(rule, message, statistic.location, in_force, name=name)


_SUMMARY_LENGTH: Final = 72
"""What a list of passes shows beside an argument in a terminal of 120 columns."""


def lint_group(group: PassGroup) -> Iterator[Finding]:
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
