"""Declaration, caching and invalidation of analyses."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_runtime.analysis.analysis_manager import (
    AnalysisManager as AnalysisManager,
    PreservedAnalyses as PreservedAnalyses,
)
from passgen_runtime.analysis.declarations import (
    ALL_ANALYSES as ALL_ANALYSES,
    AllAnalyses as AllAnalyses,
    AnalysisReference as AnalysisReference,
    DeclaredAnalysis as DeclaredAnalysis,
    DeclaresAnalyses as DeclaresAnalyses,
    PreservedDeclaration as PreservedDeclaration,
    analysis as analysis,
    analysis_name as analysis_name,
    common_preservation as common_preservation,
    declared_preservation as declared_preservation,
)
