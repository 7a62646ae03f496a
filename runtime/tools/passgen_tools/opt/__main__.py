"""`python -m passgen_tools.opt` is `passgen-opt`."""

from passgen_tools.opt import console_main

console_main(name="passgen-opt")
