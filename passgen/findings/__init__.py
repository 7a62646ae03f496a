"""Findings about valid specs: differences, style, drift."""

from passgen.findings.diff import compare
from passgen.findings.drift import find_drift
from passgen.findings.finding import SEVERITIES, Finding, Ignored, Report, report
from passgen.findings.git import Versions, read_group_at, versions_since
from passgen.findings.inputs import read_input
from passgen.findings.lint import lint_group, summary_faults
from passgen.findings.reports import FORMATS, brief

__all__ = [
    "FORMATS",
    "SEVERITIES",
    "Finding",
    "Ignored",
    "Report",
    "Versions",
    "brief",
    "compare",
    "find_drift",
    "lint_group",
    "read_group_at",
    "read_input",
    "report",
    "summary_faults",
    "versions_since",
]
