"""Declarations of analyses by passes: as a class, or as a `module:Class` reference.

    required_analyses = (analysis("my_dialect.schedule:Schedule"),)
    preserved_analyses = ALL_ANALYSES

The declarations apply each time the pass has run, without a call of
`mark_analyses_preserved`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Final, Protocol, TypeAlias

from passgen_runtime.analysis.analysis_manager import PreservedAnalyses
from passgen_runtime.errors import PassError


class AnalysisReferenceError(PassError):
    """A declared analysis is not a class, or cannot be imported."""


@dataclass(frozen=True, slots=True)
class AnalysisReference:
    """A reference to an analysis class, which is imported on demand."""

    target: str
    """`module:Class`."""

    name: str
    """Its name in messages."""

    def load(self) -> type:
        """Return the class.

        Raises:
            AnalysisReferenceError: it cannot be imported, or is not a class.
        """
        module, _, path = self.target.partition(":")
        try:
            found: object = import_module(module)
            for name in path.split("."):
                found = getattr(found, name)
        except Exception as error:  # importing may raise anything; it is chained
            message = f"analysis '{self.name}' ({self.target}) does not import: {error}"
            raise AnalysisReferenceError(message) from error
        if not isinstance(found, type):
            message = f"analysis '{self.name}' ({self.target}) is no class: {found!r}"
            raise AnalysisReferenceError(message)
        return found


DeclaredAnalysis: TypeAlias = AnalysisReference | type
"""An analysis in a declaration."""


class AllAnalyses:
    """The class of `ALL_ANALYSES`."""

    def __repr__(self) -> str:
        """Return the name of the only object of the class."""
        return "ALL_ANALYSES"


ALL_ANALYSES: Final = AllAnalyses()
"""The `preserved_analyses` of a pass that preserves every analysis."""

PreservedDeclaration: TypeAlias = AllAnalyses | tuple[DeclaredAnalysis, ...]


class DeclaresAnalyses(Protocol):
    """The declarations of analyses by a pass or a class of passes."""

    @property
    def provided_analyses(self) -> tuple[DeclaredAnalysis, ...]:
        """Analyses that are cached and valid once the pass has run."""

    @property
    def preserved_analyses(self) -> PreservedDeclaration:
        """Analyses that the pass leaves valid if they were valid before."""


def analysis(target: str, *, name: str = "") -> AnalysisReference:
    """Return the analysis whose class is at `target`, without importing it.

    Args:
        target: `module:Class`.
        name: its name in messages; the name of the class if not given.
    """
    return AnalysisReference(target, name or target.rpartition(":")[2])


def analysis_name(declared: DeclaredAnalysis) -> str:
    """Return the name of an analysis in messages."""
    if isinstance(declared, AnalysisReference):
        return declared.name
    return declared.__name__


def declared_preservation(pass_: DeclaresAnalyses) -> PreservedAnalyses | None:
    """Return the analyses that `pass_` declares preserved; `None` if none.

    Raises:
        AnalysisReferenceError: a declared analysis cannot be loaded.
    """
    preserved = pass_.preserved_analyses
    result = PreservedAnalyses()
    if isinstance(preserved, AllAnalyses):
        result.preserve_all()
        return result
    kept = (*preserved, *pass_.provided_analyses)
    for declared in kept:
        if isinstance(declared, AnalysisReference):
            result.preserve(declared.load())
        else:
            result.preserve(declared)
    return result if kept else None


def common_preservation(
    declarations: Iterable[PreservedAnalyses | None],
) -> PreservedAnalyses | None:
    """Return the intersection of `declarations`; `None` if empty or one is `None`."""
    common: PreservedAnalyses | None = None
    for declared in declarations:
        if declared is None:
            return None
        if common is None:
            common = declared.copy()
        else:
            common.intersect(declared)
    return common
