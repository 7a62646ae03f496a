"""The names and meanings of the rules of `passgen diff`, `lint` and `drift`.

Reports name the rule of each finding, and an `ignore` in a spec suppresses the findings
of a rule. `checks` refuses an `ignore` of an unknown rule.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, Literal

from passgen import resources
from passgen.diagnostics import Severity


@dataclass(frozen=True)
class Rule:
    """A kind of finding."""

    name: str
    """In kebab-case, unique among all commands."""

    severity: Severity
    """In `diff`, an error breaks users of the old version, a warning changes the
    behavior for them, and a note is an addition."""

    meaning: str
    """A sentence about the finding."""

    default: Literal["on", "on request"] = "on"
    """Whether it holds only for groups that name it under `lint`."""


UNUSED_IGNORE: Final = Rule(
    "unused-ignore", "warning", "An `ignore` of the spec suppresses no finding."
)

INVALID_INPUT: Final = Rule(
    "invalid-input",
    "error",
    "A file is invalid or cannot be read, so no other rule was checked.",
)
"""Reported only in formats for programs, and cannot be ignored."""


def _rules(command: str) -> dict[str, Rule]:
    """Return the rules of a command by name."""
    rules = [*(Rule(*row) for row in _TABLE[command]), UNUSED_IGNORE]
    return {rule.name: rule for rule in rules}


_TABLE: Final = json.loads(resources.rules().read_bytes())
"""The name, the severity, the meaning and maybe the default of rules, by command."""

DIFF_RULES: Final = _rules("diff")
"""Changes between two versions of a spec."""

LINT_RULES: Final = _rules("lint")
"""Mistakes of style in a spec; each rule has a page in `docs/lint`."""

OPTIONAL_RULES: Final = frozenset(
    rule.name for rule in LINT_RULES.values() if rule.default == "on request"
)
"""The rules of `passgen lint` that hold only for groups that ask for them."""

DRIFT_RULES: Final = _rules("drift")
"""Differences between specs and implementations."""

RULES: Final = {**DIFF_RULES, **LINT_RULES, **DRIFT_RULES}
