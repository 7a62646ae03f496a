"""Reports: the effects of a run as JSON, as one HTML file, or in a notebook cell."""

from passgen_tools.report.cli import console_main, main
from passgen_tools.report.data import REPORT_VERSION, report_data
from passgen_tools.report.page import html_page, page_sources
from passgen_tools.report.report import Report
from passgen_tools.report.trace import trace_name_error, write_trace

__all__ = [
    "REPORT_VERSION",
    "Report",
    "console_main",
    "html_page",
    "main",
    "page_sources",
    "report_data",
    "trace_name_error",
    "write_trace",
]
