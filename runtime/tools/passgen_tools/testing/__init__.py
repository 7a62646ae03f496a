"""Tests of passes: assertions in Python, and `.mlir` files with RUN lines in pytest.

The pytest plugin is `passgen_tools.testing.pytest_plugin`.
"""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_tools.testing.assertions import (
    PassRun as PassRun,
    PassTester as PassTester,
    assert_fails as assert_fails,
    assert_rewrites as assert_rewrites,
    assert_unchanged as assert_unchanged,
)
from passgen_tools.testing.function_results import (
    Unevaluated as Unevaluated,
    same_results as same_results,
)
from passgen_tools.testing.pass_checks import (
    Check as Check,
    round_trip as round_trip,
)
from passgen_tools.testing.pattern_examples import (
    assert_no_pattern_applies as assert_no_pattern_applies,
    assert_pattern_examples as assert_pattern_examples,
    assert_patterns_verified as assert_patterns_verified,
)
