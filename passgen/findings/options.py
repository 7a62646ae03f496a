"""The style of options and statistics: a part of `spec_lint`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from passgen.findings.finding import Finding
from passgen.model.group import Option, Pass
from passgen.model.model_ignores import Ignore
from passgen.rules import LINT_RULES
from passgen.findings.arguments import lint_argument

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
