"""`python -m passgen_runtime.extensions.report` is `passgen-report`."""

from passgen_runtime.extensions.report.cli import console_main

console_main()
