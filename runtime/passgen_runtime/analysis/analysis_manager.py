"""Analyses: computed on demand, cached per operation, invalidated after each pass.

Implements "Analysis Management" of MLIR's PassManagement page. An analysis is any class
that can be constructed from `(operation)` or `(operation, analysis_manager)`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Hashable, Iterator
from contextvars import ContextVar
from typing import Any, TypeAlias, TypeVar, cast

from passgen_runtime.context import Context, Operation

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

    def include(self, other: PreservedAnalyses) -> None:
        """Add the analyses of `other`."""
        self._all |= other._all
        self._classes |= other._classes

    def intersect(self, other: PreservedAnalyses) -> None:
        """Keep only analyses that `other` has as well."""
        if self._all:
            self._all, self._classes = other._all, set(other._classes)
        elif not other._all:
            self._classes &= other._classes

    def copy(self) -> PreservedAnalyses:
        """Return an independent copy."""
        duplicate = PreservedAnalyses()
        duplicate._all = self._all
        duplicate._classes = set(self._classes)
        return duplicate

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


class _Entry:
    """A cached analysis, with its dependencies."""

    __slots__ = ("_dependencies", "_is_valid", "analysis")

    def __init__(self, analysis: object, dependencies: list[_Entry]) -> None:
        """Start valid."""
        self.analysis = analysis
        self._dependencies = dependencies
        self._is_valid = True

    def invalidate(self) -> None:
        """Make the analysis and all that depend on it invalid."""
        self._is_valid = False
        self._dependencies.clear()

    @property
    def is_valid(self) -> bool:
        """Whether neither the analysis nor any of its dependencies was invalidated."""
        if self._is_valid and not all(
            dependency.is_valid for dependency in self._dependencies
        ):
            self.invalidate()
        return self._is_valid


# A context variable: an analysis may query the manager of any operation, which does not
# know the analysis that queries it.
_DEPENDENCIES: ContextVar[list[_Entry] | None] = ContextVar(
    "passgen_runtime.dependencies", default=None
)
"""The dependencies found so far of the analysis that is being computed."""


AnalysisObserver: TypeAlias = Callable[[str, type, Operation], object]
"""Called with the name of a hook: `run_before_analysis`, or `run_after_analysis`."""


class AnalysisManager:
    """The analyses of one operation and of the operations nested in it.

    If the computation of an analysis queries another one, it depends on that one:
    invalidating a dependency invalidates its users, whatever a pass preserves.
    """

    def __init__(
        self,
        operation: Operation,
        context: Context,
        observer: AnalysisObserver | None = None,
        parent: AnalysisManager | None = None,
    ) -> None:
        """Start empty, for `operation`."""
        self.operation = operation
        self.context = context
        self.parent = parent
        self._observer = observer
        self._entries: dict[type, _Entry] = {}
        self._children: dict[Hashable, AnalysisManager] = {}

    def get_analysis(self, analysis: type[A]) -> A:
        """Return `analysis` of the operation, computed now if it is not cached."""
        entry = self._entry(analysis)
        if entry is None:
            entry = self._compute(analysis)
        return cast("A", _record_use(entry).analysis)

    def get_cached_analysis(self, analysis: type[A]) -> A | None:
        """Return `analysis` of the operation if it is cached."""
        entry = self._entry(analysis)
        return None if entry is None else cast("A", _record_use(entry).analysis)

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
        manager = self.nested_or_none(child)
        return manager.get_cached_analysis(analysis) if manager else None

    def cached_analyses(self) -> dict[type, object]:
        """Return the cached analyses of the operation by class."""
        return {
            analysis: entry.analysis
            for analysis, entry in self._entries.items()
            if entry.is_valid
        }

    def with_nested(self) -> Iterator[AnalysisManager]:
        """Yield this manager and the existing managers of nested operations."""
        yield self
        for child in self._children.values():
            yield from child.with_nested()

    def nested_or_none(self, operation: Operation) -> AnalysisManager | None:
        """Return the manager of `operation`, `None` if `nest` has not made it yet."""
        manager: AnalysisManager | None = self
        for inner in self._path_to(operation):
            children = manager._children if manager else {}  # noqa: SLF001 - same class
            manager = children.get(self.context.key(inner))
        return manager

    def nest(self, operation: Operation) -> AnalysisManager:
        """Return the manager of `operation`, this one or one below it."""
        manager = self
        for inner in self._path_to(operation):
            key = self.context.key(inner)
            nested = manager._children.get(key)
            if nested is None:
                nested = AnalysisManager(inner, self.context, self._observer, manager)
                manager._children[key] = nested
            manager = nested
        return manager

    def invalidate(self, preserved: PreservedAnalyses) -> None:
        """Drop analyses that are not `preserved`, here and in nested operations.

        A dropped analysis counts as not preserved from then on: the `is_invalidated`
        of an analysis that depends on it can check that.
        """
        if preserved.is_all:
            return
        still = preserved.copy()
        for analysis, entry in list(self._entries.items()):
            if not entry.is_valid or _is_invalidated(analysis, entry, still):
                entry.invalidate()
                still.unpreserve(analysis)
                del self._entries[analysis]
        if preserved.is_none:
            self._clear_children()
            return
        for child in self._children.values():
            child.invalidate(preserved)

    def clear(self) -> None:
        """Drop everything, here and in nested operations."""
        for entry in self._entries.values():
            entry.invalidate()
        self._entries.clear()
        self._clear_children()

    def _clear_children(self) -> None:
        for child in self._children.values():
            child.clear()
        self._children.clear()

    def _path_to(self, operation: Operation) -> list[Operation]:
        """Return the path from this operation, left out, down to `operation`.

        Raises:
            ValueError: `operation` is neither this manager's nor nested in it.
        """
        path: list[Operation] = []
        inner: Operation | None = operation
        while inner is not self.operation and inner != self.operation:
            if inner is None:
                found, own = map(self.context.describe, (operation, self.operation))
                raise ValueError(f"{found} is not nested in {own}")
            path.append(inner)
            inner = self.context.parent(inner)
        path.reverse()
        return path

    def _entry(self, analysis: type) -> _Entry | None:
        entry = self._entries.get(analysis)
        return entry if entry is not None and entry.is_valid else None

    def _compute(self, analysis: type) -> _Entry:
        dependencies: list[_Entry] = []
        token = _DEPENDENCIES.set(dependencies)
        try:
            computed = self._construct(analysis)
        finally:
            _DEPENDENCIES.reset(token)
        # Put at the end: an analysis follows its dependencies.
        self._entries.pop(analysis, None)
        entry = self._entries[analysis] = _Entry(computed, dependencies)
        return entry

    def _construct(self, analysis: type) -> object:
        observer = self._observer
        constructor: Callable[..., object] = analysis
        arguments = (self.operation, self)[: 1 + _wants_manager(analysis)]
        if observer is None:
            return constructor(*arguments)
        observer("run_before_analysis", analysis, self.operation)
        try:
            return constructor(*arguments)
        finally:
            observer("run_after_analysis", analysis, self.operation)


def _record_use(entry: _Entry) -> _Entry:
    """Make `entry` a dependency of the analysis being computed; return it."""
    dependencies = _DEPENDENCIES.get()
    if dependencies is not None:
        dependencies.append(entry)
    return entry


def _is_invalidated(
    analysis: type, entry: _Entry, preserved: PreservedAnalyses
) -> bool:
    """Return whether the hook of the analysis or else `preserved` invalidates it."""
    hook: Any = getattr(entry.analysis, "is_invalidated", None)
    if hook is not None:
        return bool(hook(preserved))
    return not preserved.is_preserved(analysis)


@functools.lru_cache(maxsize=256)
def _wants_manager(analysis: type) -> bool:
    """Return whether `analysis` is constructed from the analysis manager too."""
    parameters = inspect.signature(analysis).parameters.values()
    return sum(parameter.kind in _POSITIONAL for parameter in parameters) > 1
