"""Findings about valid specs: differences, style, drift."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen.findings.diff import compare as compare
from passgen.findings.drift import find_drift as find_drift
from passgen.findings.finding import (
    SEVERITIES as SEVERITIES,
    Finding as Finding,
    Ignored as Ignored,
    Report as Report,
    report as report,
)
from passgen.findings.git import (
    Versions as Versions,
    read_group_at as read_group_at,
    versions_since as versions_since,
)
from passgen.findings.inputs import read_input as read_input
from passgen.findings.lint import (
    link_warnings as link_warnings,
    lint_group as lint_group,
    summary_faults as summary_faults,
)
from passgen.findings.reports import FORMATS as FORMATS, brief as brief
