"""`python -m passgen_tools.reduce` is `passgen-reduce`."""

from passgen_tools.reduce.cli import console_main

console_main()
