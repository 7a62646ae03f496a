"""Analyses: computed on demand, cached per operation, invalidated after each pass.

Implements "Analysis Management" of MLIR's PassManagement page. An analysis is any class
that can be constructed from `(operation)` or `(operation, analysis_manager)`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from passgen_runtime.context import Context, Operation
from passgen_runtime.pass_instrumentation import PassInstrumentor

A = TypeVar("A")

_POSITIONAL = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
)


class PreservedAnalyses:
    """The analyses that a pass declares still valid after it ran."""

    def __init__(self) -> None:
        """Start with none."""
        self._all = False
        self._classes: set[type] = set()

    def preserve_all(self) -> None:
        """Declare all analyses still valid: nothing was changed."""
        self._all = True

    def preserve(self, *analyses: type) -> None:
        """Declare `analyses` still valid."""
        self._classes.update(analyses)

    def unpreserve(self, *analyses: type) -> None:
        """Declare `analyses` no longer valid."""
        self._all = False
        self._classes.difference_update(analyses)

    @property
    def is_all(self) -> bool:
        """Whether everything was declared still valid."""
        return self._all

    @property
    def is_none(self) -> bool:
        """Whether nothing was declared still valid."""
        return not self._all and not self._classes

    def is_preserved(self, analysis: type) -> bool:
        """Return whether `analysis` was declared still valid."""
        return self._all or analysis in self._classes


class AnalysisManager:
    """The analyses of one operation, with those of the operations nested in it."""

    def __init__(
        self,
        operation: Operation,
        context: Context,
        instrumentor: PassInstrumentor | None = None,
        parent: AnalysisManager | None = None,
    ) -> None:
        """Start empty, for `operation`."""
        self.operation = operation
        self.context = context
        self.parent = parent
        self._instrumentor = instrumentor
        self._analyses: dict[type, object] = {}
        self._children: dict[Operation, AnalysisManager] = {}

    def get_analysis(self, analysis: type[A]) -> A:
        """Return `analysis` of the operation, computed now if it is not cached."""
        found = self._analyses.get(analysis)
        if found is None:
            found = self._compute(analysis)
            self._analyses[analysis] = found
        return cast("A", found)

    def get_cached_analysis(self, analysis: type[A]) -> A | None:
        """Return `analysis` of the operation if it is cached."""
        return cast("A | None", self._analyses.get(analysis))

    def get_cached_parent_analysis(
        self, analysis: type[A], parent: Operation
    ) -> A | None:
        """Return `analysis` of `parent`, an operation around this one, if cached."""
        manager = self.parent
        while manager is not None:
            if manager.operation is parent or manager.operation == parent:
                return manager.get_cached_analysis(analysis)
            manager = manager.parent
        return None

    def get_child_analysis(self, analysis: type[A], child: Operation) -> A:
        """Return `analysis` of `child`, an operation nested in this one."""
        return self.nest(child).get_analysis(analysis)

    def get_cached_child_analysis(
        self, analysis: type[A], child: Operation
    ) -> A | None:
        """Return `analysis` of `child`, an operation nested in this one, if cached."""
        manager: AnalysisManager | None = self
        for operation in self._path_to(child):
            manager = manager.nested_or_none(operation) if manager else None
        return manager.get_cached_analysis(analysis) if manager else None

    def nested_or_none(self, operation: Operation) -> AnalysisManager | None:
        """Return the manager of `operation`, directly inside this one's, if any."""
        return self._children.get(operation)

    def nest(self, operation: Operation) -> AnalysisManager:
        """Return the manager of `operation`, which is this one's or nested in it."""
        manager = self
        for each in self._path_to(operation):
            nested = manager._children.get(each)
            if nested is None:
                nested = AnalysisManager(
                    each, self.context, self._instrumentor, manager
                )
                manager._children[each] = nested
            manager = nested
        return manager

    def invalidate(self, preserved: PreservedAnalyses) -> None:
        """Drop what `preserved` does not hold, here and in nested operations."""
        if preserved.is_all:
            return
        self._analyses = {
            cls: analysis
            for cls, analysis in self._analyses.items()
            if not _is_invalidated(analysis, preserved)
        }
        if preserved.is_none:
            self._children.clear()
            return
        for child in self._children.values():
            child.invalidate(preserved)

    def clear(self) -> None:
        """Drop everything, here and in nested operations."""
        self._analyses.clear()
        self._children.clear()

    def _path_to(self, operation: Operation) -> list[Operation]:
        """Return the operations from below this one's down to `operation`."""
        path: list[Operation] = []
        each: Operation | None = operation
        while each is not None and each is not self.operation:
            if each == self.operation:
                break
            path.append(each)
            each = self.context.parent(each)
        path.reverse()
        return path

    def _compute(self, analysis: type[A]) -> A:
        instrumentor = self._instrumentor
        if instrumentor:
            instrumentor.run_before_analysis(analysis, self.operation)
        constructor = cast("Callable[..., A]", analysis)
        if _wants_manager(analysis):
            computed = constructor(self.operation, self)
        else:
            computed = constructor(self.operation)
        if instrumentor:
            instrumentor.run_after_analysis(analysis, self.operation)
        return computed


def _is_invalidated(analysis: object, preserved: PreservedAnalyses) -> bool:
    """Ask the analysis itself where it has a say, else what was declared."""
    hook: Any = getattr(analysis, "is_invalidated", None)
    if hook is not None:
        return bool(hook(preserved))
    return not preserved.is_preserved(type(analysis))


def _wants_manager(analysis: type) -> bool:
    """Return whether `analysis` is constructed from the analysis manager too."""
    parameters = inspect.signature(analysis).parameters.values()
    return sum(each.kind in _POSITIONAL for each in parameters) > 1
