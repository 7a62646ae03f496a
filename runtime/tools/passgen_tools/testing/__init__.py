"""Tests of passes: assertions in Python, and `.mlir` files with RUN lines in pytest.

The pytest plugin is `passgen_tools.testing.pytest_plugin`.
"""

from passgen_tools.testing.assertions import (
    PassRun,
    PassTester,
    assert_fails,
    assert_rewrites,
    assert_unchanged,
)
from passgen_tools.testing.pass_checks import Check, round_trip, same_results
from passgen_tools.testing.pattern_examples import assert_pattern_examples

__all__ = [
    "Check",
    "PassRun",
    "PassTester",
    "assert_fails",
    "assert_pattern_examples",
    "assert_rewrites",
    "assert_unchanged",
    "round_trip",
    "same_results",
]
