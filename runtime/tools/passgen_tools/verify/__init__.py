"""Verification: rewrite patterns proved, or refuted by a counterexample."""

from passgen_tools.verify.cli import console_main, main
from passgen_tools.verify.verification import report, verify_patterns

__all__ = ["console_main", "main", "report", "verify_patterns"]
