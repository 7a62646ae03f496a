"""Reports: the effects of a run as JSON, as one HTML file, or in a notebook cell."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_tools.report.cli import console_main as console_main, main as main
from passgen_tools.report.data import (
    REPORT_VERSION as REPORT_VERSION,
    report_data as report_data,
)
from passgen_tools.report.page import (
    html_page as html_page,
    ir_tokens_script as ir_tokens_script,
    page_sources as page_sources,
)
from passgen_tools.report.report import Report as Report
from passgen_tools.report.trace import (
    trace_name_error as trace_name_error,
    write_trace as write_trace,
)
