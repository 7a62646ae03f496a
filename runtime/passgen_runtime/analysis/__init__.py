"""Declaration, caching and invalidation of analyses."""

from passgen_runtime.analysis.analysis_manager import (
    AnalysisManager,
    AnalysisObserver,
    PreservedAnalyses,
)
from passgen_runtime.analysis.declarations import (
    ALL_ANALYSES,
    AllAnalyses,
    DeclaredAnalysis,
    PreservedDeclaration,
    analysis,
    analysis_key,
    analysis_name,
    common_preservation,
    declared_preservation,
    declares_preserved,
)

__all__ = [
    "ALL_ANALYSES",
    "AllAnalyses",
    "AnalysisManager",
    "AnalysisObserver",
    "DeclaredAnalysis",
    "PreservedAnalyses",
    "PreservedDeclaration",
    "analysis",
    "analysis_key",
    "analysis_name",
    "common_preservation",
    "declared_preservation",
    "declares_preserved",
]
