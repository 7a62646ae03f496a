"""Passes of rewrite patterns that a spec declares as IR, or in PDL.

    class StrengthReductionPassBase(Patterns, OperationPass[StrengthReductionOptions]):
        patterns = (RewritePattern(name="mulToAdd", before="...", after="..."),)

Each pattern becomes a `PatternGraph`. The IR library of the context reads its parts,
and applies it: see `PatternLibrary`.
"""

from passgen_runtime.patterns.checks import check_pattern
from passgen_runtime.patterns.constant_functions import (
    AreConstants,
    IsWidthDifference,
    MakeConstant,
)
from passgen_runtime.patterns.example_ir import (
    ExampleIR,
    after_of,
    before_of,
    choices,
)
from passgen_runtime.patterns.example_text import ExampleText
from passgen_runtime.patterns.filled_text import FilledText
from passgen_runtime.patterns.functions import (
    EqualsLiteral,
    FitsLiteral,
    HasUses,
    HasWidths,
    IsOfKind,
    IsScalar,
    LacksAttribute,
    MakeLiteral,
    Native,
    NativeFunctions,
    RewriteFunction,
    Test,
    import_functions,
)
from passgen_runtime.patterns.graph import (
    AttributeNode,
    Call,
    Condition,
    Create,
    Erase,
    MadeNode,
    Node,
    OperandNode,
    OperationNode,
    PatternGraph,
    RangeNode,
    Replace,
    ResultNode,
    Step,
    TypeNode,
    owner_of,
)
from passgen_runtime.patterns.inert_patterns import (
    inert_patterns,
    inert_patterns_report,
)
from passgen_runtime.patterns.ir_reader import Element, IRReader, integer_fits
from passgen_runtime.patterns.library import (
    MayApply,
    NearMiss,
    ParsedExample,
    PatternApplier,
    PatternLibrary,
    UnknownTypeError,
    Watch,
)
from passgen_runtime.patterns.near_misses import PatternExplainer
from passgen_runtime.patterns.pattern_pass import PatternApplication, Patterns
from passgen_runtime.patterns.pdl_writer import PDLWriter, pdl_text
from passgen_runtime.patterns.reader import check_graphs, library_of, read_pattern
from passgen_runtime.patterns.rewrite_pattern import (
    DriverName,
    PatternDriver,
    PatternError,
    PatternVariable,
    RewritePattern,
    note_patterns,
    pattern_error,
)

__all__ = [
    "AreConstants",
    "AttributeNode",
    "Call",
    "Condition",
    "Create",
    "DriverName",
    "Element",
    "EqualsLiteral",
    "Erase",
    "ExampleIR",
    "ExampleText",
    "FilledText",
    "FitsLiteral",
    "HasUses",
    "HasWidths",
    "IRReader",
    "IsOfKind",
    "IsScalar",
    "IsWidthDifference",
    "LacksAttribute",
    "MadeNode",
    "MakeConstant",
    "MakeLiteral",
    "MayApply",
    "Native",
    "NativeFunctions",
    "NearMiss",
    "Node",
    "OperandNode",
    "OperationNode",
    "PDLWriter",
    "ParsedExample",
    "PatternApplication",
    "PatternApplier",
    "PatternDriver",
    "PatternError",
    "PatternExplainer",
    "PatternGraph",
    "PatternLibrary",
    "PatternVariable",
    "Patterns",
    "RangeNode",
    "Replace",
    "ResultNode",
    "RewriteFunction",
    "RewritePattern",
    "Step",
    "Test",
    "TypeNode",
    "UnknownTypeError",
    "Watch",
    "after_of",
    "before_of",
    "check_graphs",
    "check_pattern",
    "choices",
    "import_functions",
    "inert_patterns",
    "inert_patterns_report",
    "integer_fits",
    "library_of",
    "note_patterns",
    "owner_of",
    "pattern_error",
    "pdl_text",
    "read_pattern",
]
