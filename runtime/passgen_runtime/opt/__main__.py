"""`python -m passgen_runtime.opt` is `passgen-opt`."""

from passgen_runtime.opt import console_main

console_main(name="passgen-opt")
