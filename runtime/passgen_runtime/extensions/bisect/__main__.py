"""`python -m passgen_runtime.extensions.bisect` is `passgen-bisect`."""

from passgen_runtime.extensions.bisect.cli import console_main

console_main()
