"""What passgen finds in specs that are valid: differences, style, drift."""

from passgen.findings.finding import SEVERITIES, Finding, Ignored, Report, report
from passgen.findings.git import Versions
from passgen.findings.reports import FORMATS

__all__ = ["FORMATS", "SEVERITIES", "Finding", "Report", "Versions"]


__all__ = ["Finding", "Ignored", "Report", "report"]
