"""Passes of rewrite patterns that a spec declares in PDL, for both IR libraries.

    class StrengthReductionPassBase(Patterns, OperationPass[StrengthReductionOptions]):
        patterns = (RewritePattern(name="mulToAdd", pdl="..."),)

MLIR's IR is rewritten by MLIR itself, xDSL's by its interpreter of PDL.
"""

from passgen_runtime.patterns.inert_patterns import (
    inert_patterns,
    inert_patterns_report,
)
from passgen_runtime.patterns.pattern_counts import PatternCounts
from passgen_runtime.patterns.pattern_pass import (
    PatternApplication,
    Patterns,
)
from passgen_runtime.patterns.rewrite_pattern import (
    DriverName,
    PatternDriver,
    PatternError,
    RewritePattern,
)

__all__ = [
    "DriverName",
    "PatternApplication",
    "PatternCounts",
    "PatternDriver",
    "PatternError",
    "Patterns",
    "RewritePattern",
    "inert_patterns",
    "inert_patterns_report",
]
