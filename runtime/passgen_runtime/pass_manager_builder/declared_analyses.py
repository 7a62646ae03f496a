"""Declared analyses as ordering rules compare them, without importing them."""

from __future__ import annotations

import sys

from passgen_runtime.analysis import (
    AllAnalyses,
    AnalysisReference,
    DeclaredAnalysis,
    DeclaresAnalyses,
)


def analysis_key(declared: DeclaredAnalysis) -> str:
    """Return a key that is equal for all declarations of one analysis.

    An imported class is identified by its own name, not by that of the reference.
    """
    if isinstance(declared, AnalysisReference):
        module, _, path = declared.target.partition(":")
        found: object = sys.modules.get(module)
        for name in path.split("."):
            found = getattr(found, name, None)
        if not isinstance(found, type):
            return declared.target
        declared = found
    return f"{declared.__module__}:{declared.__qualname__}"


def declares_preserved(pass_: DeclaresAnalyses, declared: DeclaredAnalysis) -> bool:
    """Return whether `pass_` declares that it leaves an analysis valid."""
    preserved = pass_.preserved_analyses
    if isinstance(preserved, AllAnalyses):
        return True
    key = analysis_key(declared)
    return key in map(analysis_key, (*preserved, *pass_.provided_analyses))
