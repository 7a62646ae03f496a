"""Passes of rewrite patterns that a spec declares in PDL.

    class StrengthReductionPassBase(Patterns, OperationPass[StrengthReductionOptions]):
        patterns = (RewritePattern(name="mulToAdd", pdl="..."),)

The context of an IR library brings the `PatternApplier` that applies them to its IR.
"""

from passgen_runtime.patterns.applier import Ask, PatternApplier
from passgen_runtime.patterns.inert_patterns import (
    inert_patterns,
    inert_patterns_report,
)
from passgen_runtime.patterns.native_functions import NativeFunctions
from passgen_runtime.patterns.pattern_pass import PatternApplication, Patterns
from passgen_runtime.patterns.pdl import (
    ParsedPattern,
    PDLOperation,
    pattern_error,
    read_pattern,
)
from passgen_runtime.patterns.rewrite_pattern import (
    DriverName,
    PatternDriver,
    PatternError,
    RewritePattern,
)

__all__ = [
    "Ask",
    "DriverName",
    "NativeFunctions",
    "PDLOperation",
    "ParsedPattern",
    "PatternApplication",
    "PatternApplier",
    "PatternDriver",
    "PatternError",
    "Patterns",
    "RewritePattern",
    "inert_patterns",
    "inert_patterns_report",
    "pattern_error",
    "read_pattern",
]
