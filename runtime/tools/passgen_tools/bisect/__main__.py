"""`python -m passgen_tools.bisect` is `passgen-bisect`."""

from passgen_tools.bisect.cli import console_main

console_main()
