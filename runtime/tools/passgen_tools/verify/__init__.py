"""Verification: rewrite patterns proved, or refuted by a counterexample."""

from passgen_tools.verify.cli import console_main, main
from passgen_tools.verify.evaluation import (
    EVALUATED,
    FlagReader,
    UndefinedBehaviorError,
    evaluate,
)
from passgen_tools.verify.judgements import FAILURES, report
from passgen_tools.verify.pattern_modules import example_modules, examples
from passgen_tools.verify.semantics import Type
from passgen_tools.verify.verification import verify_patterns

__all__ = [
    "EVALUATED",
    "FAILURES",
    "FlagReader",
    "Type",
    "UndefinedBehaviorError",
    "console_main",
    "evaluate",
    "example_modules",
    "examples",
    "main",
    "report",
    "verify_patterns",
]
