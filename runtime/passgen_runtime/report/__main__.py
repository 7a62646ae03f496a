"""`python -m passgen_runtime.report` is `passgen-report`."""

from passgen_runtime.report.cli import console_main

console_main()
