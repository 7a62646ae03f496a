"""`python -m passgen_runtime.extensions.reduce` is `passgen-reduce`."""

from passgen_runtime.extensions.reduce.cli import console_main

console_main()
