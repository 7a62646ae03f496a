"""Passes of rewrite patterns that a spec declares as IR, or in PDL.

    class StrengthReductionPassBase(Patterns, OperationPass[StrengthReductionOptions]):
        patterns = (RewritePattern(name="mulToAdd", before="...", after="..."),)

The context of an IR library brings the `PatternApplier` that applies them to its IR.
"""

from passgen_runtime.patterns.applier import Ask, PatternApplier
from passgen_runtime.patterns.inert_patterns import (
    inert_patterns,
    inert_patterns_report,
)
from passgen_runtime.patterns.native_functions import (
    NativeFunctions,
    import_functions,
    own_functions,
)
from passgen_runtime.patterns.pattern_example import (
    ExampleIR,
    choices,
    fill,
    written_patterns,
)
from passgen_runtime.patterns.pattern_pass import PatternApplication, Patterns
from passgen_runtime.patterns.pdl import (
    ParsedPattern,
    PDLOperation,
    check_pattern,
    pattern_error,
    read_pattern,
    result_types,
)
from passgen_runtime.patterns.rewrite_pattern import (
    DriverName,
    PatternDriver,
    PatternError,
    PatternVariable,
    RewritePattern,
)

__all__ = [
    "Ask",
    "DriverName",
    "ExampleIR",
    "NativeFunctions",
    "PDLOperation",
    "ParsedPattern",
    "PatternApplication",
    "PatternApplier",
    "PatternDriver",
    "PatternError",
    "PatternVariable",
    "Patterns",
    "RewritePattern",
    "check_pattern",
    "choices",
    "fill",
    "import_functions",
    "inert_patterns",
    "inert_patterns_report",
    "own_functions",
    "pattern_error",
    "read_pattern",
    "result_types",
    "written_patterns",
]
