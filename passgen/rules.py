"""The names and meanings of the rules of `passgen diff`, `lint` and `drift`.

Reports name the rule of each finding, and an `ignore` in a spec suppresses the findings
of a rule. `checks` refuses an `ignore` of an unknown rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

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


UNUSED_IGNORE: Final = Rule(
    "unused-ignore", "warning", "An `ignore` of the spec suppresses no finding."
)

INVALID_INPUT: Final = Rule(
    "invalid-input",
    "error",
    "A file is invalid or cannot be read, so no other rule was checked.",
)
"""Reported only in formats for programs, and cannot be ignored."""


def _by_name(*rules: Rule) -> dict[str, Rule]:
    return {rule.name: rule for rule in rules}


DIFF_RULES: Final = _by_name(
    Rule(
        "group-renamed",
        "error",
        "The group has another name, and so have its file and `registerXxxPasses`.",
    ),
    Rule("pass-removed", "error", "A pass is gone."),
    Rule("pass-renamed", "error", "A pass has another argument in pipelines."),
    Rule(
        "pass-class-renamed",
        "error",
        "A pass has another name, and so have its class and `createXxx`.",
    ),
    Rule("pass-deprecated", "warning", "A pass should not be used any more."),
    Rule(
        "pass-deprecation-changed",
        "note",
        "A deprecated pass has another replacement, or is deprecated for another "
        "reason.",
    ),
    Rule("pass-reinstated", "note", "A pass is no longer deprecated."),
    Rule("pass-added", "note", "A pass is new."),
    Rule(
        "anchor-changed",
        "error",
        "A pass runs on other operations: pipelines that nest it may be refused.",
    ),
    Rule(
        "anchor-widened",
        "warning",
        "A pass runs on more operations: given as a flag, it is nested differently.",
    ),
    Rule("dialect-added", "note", "A pass loads a further dialect."),
    Rule(
        "dialect-removed",
        "warning",
        "A pass no longer loads a dialect that other passes may need.",
    ),
    Rule(
        "constructor-changed",
        "warning",
        "The constructor of a pass was changed or removed.",
    ),
    Rule(
        "cpp-constructor-changed",
        "warning",
        "C++ creates the pass by another expression.",
    ),
    Rule("tag-removed", "error", "A pass lost a tag that pipelines may select it by."),
    Rule(
        "ordering-added",
        "error",
        "A pass has a further ordering rule, which pipelines may violate.",
    ),
    Rule("analysis-required", "warning", "A pass requires a further analysis."),
    Rule("analysis-not-provided", "error", "A pass no longer provides an analysis."),
    Rule(
        "analysis-not-preserved",
        "error",
        "A pass no longer preserves an analysis that later passes may require.",
    ),
    Rule("option-deprecated", "warning", "An option should not be set any more."),
    Rule(
        "option-deprecation-changed",
        "note",
        "A deprecated option has another replacement, or is deprecated for another "
        "reason.",
    ),
    Rule("option-reinstated", "note", "An option is no longer deprecated."),
    Rule("option-removed", "error", "An option is gone."),
    Rule("option-renamed", "error", "An option has another argument in pipelines."),
    Rule(
        "option-variable-renamed",
        "error",
        "An option has another name in code, not in pipelines.",
    ),
    Rule(
        "option-type-narrowed",
        "error",
        "An option takes fewer values than before.",
    ),
    Rule(
        "option-type-changed",
        "error",
        "An option takes other values than before, or has another type in code.",
    ),
    Rule(
        "option-arity-changed",
        "error",
        "An option with one value became a list, or the reverse.",
    ),
    Rule(
        "option-default-changed",
        "warning",
        "Pipelines that do not set the option run with another value.",
    ),
    Rule(
        "option-required",
        "error",
        "An option must be given: pipelines that do not set it are refused.",
    ),
    Rule("option-type-widened", "note", "An option takes more values than before."),
    Rule("option-added", "note", "An option is new."),
    Rule("enum-value-removed", "error", "An enum option no longer takes a value."),
    Rule("enum-value-added", "note", "An enum option takes a further value."),
    Rule("enum-renamed", "error", "The enum class of an option has another name."),
    Rule("statistic-removed", "error", "A statistic is gone from the reports."),
    Rule("statistic-renamed", "error", "A statistic has another name in reports."),
    Rule("statistic-kind-changed", "error", "A sum is a maximum now, or vice versa."),
    Rule(
        "statistic-variable-renamed",
        "warning",
        "A statistic has another name in code, not in reports.",
    ),
    Rule("statistic-added", "note", "A statistic is new."),
    Rule("remark-removed", "error", "A remark is gone from reports."),
    Rule("remark-kind-changed", "error", "A remark has another kind in reports."),
    Rule("remark-field-removed", "error", "A field of a remark is gone, or differs."),
    Rule("remark-added", "note", "A remark is new."),
    Rule("pattern-removed", "error", "A pattern, which options may name, is gone."),
    Rule("pattern-changed", "warning", "A pattern rewrites otherwise than before."),
    Rule("pattern-added", "note", "A pattern is new."),
    Rule("driver-changed", "warning", "The patterns of a pass are applied otherwise."),
    Rule("pipeline-removed", "error", "A named pipeline is gone."),
    Rule("pipeline-renamed", "error", "A named pipeline has another argument."),
    Rule(
        "pipeline-function-renamed",
        "error",
        "A named pipeline has another name, and so have its functions and options "
        "in code.",
    ),
    Rule(
        "pipeline-changed",
        "warning",
        "A named pipeline runs other passes, or runs them differently.",
    ),
    Rule("pipeline-added", "note", "A named pipeline is new."),
    Rule("bundle-removed", "error", "A bundle of passes is gone."),
    Rule("bundle-changed", "warning", "A bundle contains other passes."),
    Rule("bundle-added", "note", "A bundle of passes is new."),
    UNUSED_IGNORE,
)
"""Changes between two versions of a spec."""

LINT_RULES: Final = _by_name(
    Rule("group-without-summary", "note", "A group has no summary."),
    Rule("summary-ends-with-period", "warning", "A summary ends with a period."),
    Rule("summary-not-capitalized", "warning", "A summary begins with a small letter."),
    Rule(
        "summary-too-long",
        "warning",
        "A summary is too long for lists of passes.",
    ),
    Rule("summary-repeated", "warning", "Two passes have the same summary."),
    Rule(
        "argument-not-kebab-case",
        "warning",
        "The argument of a pass or an option is not in kebab case.",
    ),
    Rule(
        "argument-is-flag",
        "warning",
        "The argument of a pass or a pipeline is a flag of drivers.",
    ),
    Rule("description-missing", "warning", "A pass has no description."),
    Rule(
        "description-without-example", "warning", "A description shows no example IR."
    ),
    Rule(
        "dialect-not-declared",
        "warning",
        "The example creates operations of a dialect that the pass does not declare.",
    ),
    Rule("option-undocumented", "warning", "An option has no description."),
    Rule("default-in-description", "warning", "A description repeats the default."),
    Rule(
        "double-negative",
        "warning",
        "A boolean that disables something is true by default.",
    ),
    Rule("enum-value-undocumented", "note", "A value of an enum has no description."),
    Rule("statistic-undocumented", "warning", "A statistic has no description."),
    Rule("remark-undocumented", "warning", "A remark has no description."),
    Rule("missed-without-advice", "note", "A missed remark has no advice."),
    Rule("remark-field-unused", "note", "A field is not in the message of its remark."),
    Rule("pattern-without-example", "warning", "A pattern shows no IR."),
    Rule(
        "pattern-order-unclear",
        "warning",
        "Two patterns of a pass have the same root and benefit.",
    ),
    UNUSED_IGNORE,
)
"""Mistakes of style in a spec; each rule has a page in `docs/lint`."""

DRIFT_RULES: Final = _by_name(
    Rule("missing-implementation", "error", "A declared pass has no implementation."),
    Rule(
        "undeclared-implementation",
        "error",
        "A class implements a pass that no spec declares.",
    ),
    Rule("broken-constructor", "error", "A constructor cannot be imported."),
    Rule(
        "broken-reference",
        "error",
        "An analysis, an operation or the type of an option cannot be imported.",
    ),
    Rule("unread-option", "warning", "The implementation never reads an option."),
    Rule(
        "uncounted-statistic", "warning", "The implementation never counts a statistic."
    ),
    Rule("unemitted-remark", "warning", "The implementation never emits a remark."),
    UNUSED_IGNORE,
)
"""Differences between specs and implementations."""

RULES: Final = {**DIFF_RULES, **LINT_RULES, **DRIFT_RULES}
