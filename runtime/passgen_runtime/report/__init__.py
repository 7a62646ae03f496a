"""Reports: what a run did, as JSON and as a page that one file holds."""

from passgen_runtime.report.cli import console_main, main
from passgen_runtime.report.data import REPORT_VERSION, report_data
from passgen_runtime.report.page import html_page

__all__ = ["REPORT_VERSION", "console_main", "html_page", "main", "report_data"]
