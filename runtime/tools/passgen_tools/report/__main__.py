"""`python -m passgen_tools.report` is `passgen-report`."""

from passgen_tools.report.cli import console_main

console_main()
