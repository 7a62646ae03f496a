"""The problems of a spec whose text may be unsaved, lint included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import yaml

from passgen.checks import check, check_shared_arguments
from passgen.diagnostics import Diagnostic, SpecError
from passgen.finding_rules import LINT_RULES
from passgen.findings import lint_group, report
from passgen.model import PassGroup
from passgen.source import SourceFile
from passgen.spec import PartError, Reader, SchemaError, load, read_data

_PARSER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Reading:
    """What could be read of a spec."""

    group: PassGroup | None
    """`None` if it is wrong, or declares nothing."""

    problems: tuple[Diagnostic, ...] = ()
    """The mistakes that are to be shown."""

    is_wrong: bool = False
    """Whether there are mistakes, shown or not."""


def read_spec(source: SourceFile, reader: Reader, *, reports_schema: bool) -> Reading:
    """Read the spec in `source`, without `checks`.

    Args:
        source: the spec.
        reader: reads the files that it includes.
        reports_schema: whether to report what the schema refuses, and wrong YAML.
    """
    try:
        return Reading(read_data(load(source, reader)))
    except PartError:  # a file that others include
        return Reading(None)
    except SpecError as error:
        is_known = isinstance(error, SchemaError) or not _is_yaml(source.text)
        shown = error.diagnostics if reports_schema or not is_known else ()
        return Reading(None, shown, is_wrong=True)


def find_problems(
    group: PassGroup, others: Sequence[PassGroup], *, are_all: bool
) -> tuple[Diagnostic, ...]:
    """Return the mistakes and the findings of lint in `group`.

    Args:
        group: the group.
        others: other groups whose passes it may name.
        are_all: whether `others` declare all passes that it names; if not, or if two
            declare the same, its pipelines and ordering rules are not checked.
    """
    declared = [group, *others]
    is_clear = not any(
        any(check_shared_arguments(each, declared[:number]))
        for number, each in enumerate(declared)
    )
    try:
        problems = check(group, others if are_all and is_clear else None)
    except SpecError as error:
        return error.diagnostics
    found = report("lint", LINT_RULES, lint_group(group, others), [group])
    return (*problems, *(finding.diagnostic() for finding in found.findings))


def _is_yaml(text: str) -> bool:
    try:
        for _ in yaml.parse(text, Loader=_PARSER):
            pass
    except (yaml.YAMLError, ValueError):
        return False
    return True
