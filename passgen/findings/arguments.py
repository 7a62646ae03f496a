"""The style of arguments, which users write: a part of `spec_lint`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from passgen.findings.finding import Finding
from passgen.model.model_ignores import Ignore
from passgen.rules import LINT_RULES
from passgen.source import Location

_KEBAB_CASE: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def lint_argument(
    what: str, argument: str, location: Location, ignores: tuple[Ignore, ...]
) -> Iterator[Finding]:
    """Yield what could be better about the argument of `what`."""
    if not _KEBAB_CASE.fullmatch(argument):
        message = f"argument of {what} is not in kebab case"
        rule = LINT_RULES["argument-not-kebab-case"]
        yield Finding(rule, message, location, ignores, name=argument)
