"""Passes that apply the patterns of their declaration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Final, TypeVar, cast

from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import PassError
from passgen_runtime.instrumentations.pattern_hooks import (
    pattern_hook,
    pattern_instrumentations,
)
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import (
    ActionHandler,
    PassExecution,
    RunState,
    TaggedActionHandler,
    execute,
)
from passgen_runtime.pass_statistics import Statistic, optional_statistic
from passgen_runtime.patterns.functions import (
    NamedFunctions,
    NativeFunctions,
    import_functions,
)
from passgen_runtime.patterns.graph import PatternGraph
from passgen_runtime.patterns.library import (
    MayApply,
    NearMiss,
    PatternApplier,
    PatternLibrary,
)
from passgen_runtime.patterns.reader import (
    check_graphs,
    library_of,
    read_pattern,
)
from passgen_runtime.patterns.rewrite_pattern import (
    PatternDriver,
    PatternError,
    RewritePattern,
    select_patterns,
)

APPLY_PATTERN: Final = "apply-pattern"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PatternApplication(PassExecution):
    """The application of a pattern to an operation: MLIR's `ApplyPatternAction`.

    A `TaggedActionHandler` with its tag gets it. On MLIR's IR, a
    condition of the pattern may still fail after they have executed it.
    """

    tag: ClassVar[str] = APPLY_PATTERN

    pattern: RewritePattern


class Patterns(Pass):
    """The patterns of a pass: a base beside `OperationPass` or `InterfacePass`."""

    patterns: ClassVar[tuple[RewritePattern, ...]] = ()
    pattern_driver: ClassVar[PatternDriver] = PatternDriver()
    native_constraints: ClassVar[NamedFunctions] = ()
    """Names in `pdl.apply_native_constraint`, and functions as `module:function`."""

    native_rewrites: ClassVar[NamedFunctions] = ()
    """Names in `pdl.apply_native_rewrite`, and functions as `module:function`."""

    semantics: ClassVar[NamedFunctions] = ()
    """Operations, and functions that compute their results, for `passgen-verify`."""

    _applier: PatternApplier | None = None

    def __init_subclass__(cls, **kwargs: object) -> None:
        """Declare a statistic for each pattern.

        Raises:
            TypeError: two patterns share a name.
        """
        super().__init_subclass__(**kwargs)
        if "patterns" not in vars(cls):
            return
        file = cls.declared_in or cls.__module__
        cls.patterns = tuple(
            replace(pattern, file=pattern.file or file) for pattern in cls.patterns
        )
        for pattern in cls.patterns:
            name = _counter_name(pattern.name)
            if name in vars(cls):
                raise TypeError(f"{cls.__qualname__} has two patterns '{pattern.name}'")
            description = pattern.summary or "Number of applications"
            counter = optional_statistic(pattern.name, description)
            counter.__set_name__(cls, name)
            setattr(cls, name, counter)

    def check_context(self, context: Context) -> None:
        """Check that the IR library of `context` can apply the patterns.

        Raises:
            PatternError: it cannot, or a pattern is wrong or does not parse.
            PassOptionError: a pattern that is enabled or disabled does not exist.
        """
        super().check_context(context)
        self._make_applier(context)

    def initialize(self, context: Context) -> None:
        """Prepare the patterns, once for a context and a selection."""
        super().initialize(context)
        self._applier = self._make_applier(context)

    def run_on_operation(self) -> None:
        """Apply the patterns."""
        if not self.apply_patterns():
            self.mark_unchanged()

    def apply_patterns(self) -> bool:
        """Apply the patterns to the operations inside the current one.

        Return whether they may have changed anything, or a handler has kept them from
        it. If not, the pass is not marked as unchanged: it may have changed something
        itself.
        """
        state = RunState.of(self)
        applier = self._applier or self._make_applier(state.context)
        if applier is None:
            return False
        instrumentations = pattern_instrumentations(self)
        is_statistic = applier.always_counts or state.settings.counts_optional
        counts: dict[str, int] | None = None
        if is_statistic or instrumentations:
            counts = {graph.name: 0 for graph in applier.graphs}
        refused: list[str] = []
        may_apply = self._ask_handlers(state, refused)
        hook = pattern_hook(self)
        watch = None if hook is None else (self, hook)
        try:
            limit = applier.apply(self.operation, counts, may_apply, watch)
        finally:
            if counts is not None and is_statistic:
                for name, count in counts.items():
                    self._counter(name).merge(count)
            for instrumentation in instrumentations:
                instrumentation.run_after_patterns(self, counts or {})
        if limit:
            self.emit_error(f"the patterns of the pass did not converge in {limit}")
            self.signal_pass_failure()
        if refused:
            self.mark_unfinished()
        return limit is not None or bool(refused)

    def explain_pattern(
        self, name: str, root: Operation
    ) -> tuple[bool, NearMiss | None]:
        """Return whether a pattern matches at `root`, and else why it does not.

        The pass is one that is running, or about to. `None` if `root` is another
        operation than the pattern starts from. A `PatternExplainer` asks for each.

        Raises:
            PatternError: the IR library matches patterns itself: MLIR does.
        """
        if self._applier is None:
            return False, None
        return self._applier.explain(name, root)

    def pattern_counts(self) -> dict[str, int]:
        """Return the number of applications of each selected pattern.

        On MLIR's IR, it counts if the manager's `counts_optional` is set. From this
        call on, or the first count, the numbers are among the statistics.
        """
        return {
            pattern.name: self._counter(pattern.name).value
            for pattern in self._selected_patterns()
        }

    def pattern_roots(self, context: Context) -> dict[str, set[str]]:
        """Return the operations from which each selected pattern starts, by name.

        The name of an operation is empty if a pattern starts from any.
        """
        roots: dict[str, set[str]] = {}
        applier = self._make_applier(context)
        for graph in () if applier is None else applier.graphs:
            roots.setdefault(graph.name, set()).add(graph.root.operation)
        return roots

    def _selected_patterns(self) -> tuple[RewritePattern, ...]:
        disabled = getattr(self.options, "disabled_patterns", ())
        enabled = getattr(self.options, "enabled_patterns", ())
        return select_patterns(self.patterns, disabled, enabled)

    def _counter(self, pattern_name: str) -> Statistic:
        return cast("Statistic", getattr(self, _counter_name(pattern_name)))

    def _ask_handlers(self, state: RunState, refused: list[str]) -> MayApply | None:
        """Return a function that asks the handlers of pattern applications, if any.

        It appends the names of patterns that they keep from being applied to `refused`.
        """
        handlers = [
            handler
            for handler in state.settings.handlers
            if isinstance(handler, TaggedActionHandler)
            and APPLY_PATTERN in handler.tags
        ]
        return partial(self._may_apply, handlers, refused) if handlers else None

    def _may_apply(
        self,
        handlers: Sequence[ActionHandler],
        refused: list[str],
        name: str,
        operation: Operation,
    ) -> bool:
        is_executed = False

        def run() -> bool:
            nonlocal is_executed
            is_executed = True
            return True

        around = RunState.of(self).action
        assert around is not None
        pattern = next(pattern for pattern in self.patterns if pattern.name == name)
        action = PatternApplication(self, operation, around.path, around.depth, pattern)
        execute(handlers, action, run)
        if not is_executed:
            refused.append(name)
        return is_executed

    def _make_applier(self, context: Context) -> PatternApplier | None:
        """Return the applier of the selected patterns in `context`, made once.

        There is none without patterns: MLIR cannot freeze none.
        """
        selected = self._selected_patterns()
        if not selected:
            return None
        library = self._library(context)

        def make_applier() -> PatternApplier:
            graphs = self._read_all(library, selected)
            functions = self._functions(library)
            return library.applier(graphs, functions, self.pattern_driver)

        key = type(self), selected, self.pattern_driver
        return _find_or_make(library, key, make_applier)

    def _read_all(
        self, library: PatternLibrary, selected: Sequence[RewritePattern]
    ) -> list[PatternGraph]:
        """Return the graphs of patterns.

        Raises:
            PassError: some are wrong, or the IR library cannot have them; it names
                each of them, and says what is wrong with the first.
        """
        graphs: list[PatternGraph] = []
        failed: dict[str, PassError] = {}
        for pattern in selected:
            try:
                graphs += self._read(library, pattern)
            except PassError as error:
                failed[pattern.name] = error
        if not failed:
            return graphs
        first, *others = failed.values()
        if not others and len(selected) == 1:
            raise first
        names = ", ".join(f"'{name}'" for name in failed)
        count = f"{len(failed)} of {len(selected)} patterns"
        lines = [str(first), f"note: on this IR, {count} fail: {names}"]
        if len(failed) < len(selected) and hasattr(self.options, "disabled_patterns"):
            lines.append("note: the option 'disable-patterns' leaves patterns out")
        raise PatternError("\n".join(lines))

    def _library(self, context: Context) -> PatternLibrary:
        library = library_of(context)
        if library is None:
            subject = f"pass '{self.argument or self.name}'"
            kind = type(context).__qualname__
            message = f"{subject} has patterns, which the IR of a {kind} cannot run"
            raise PatternError(message)
        return library

    def _read(
        self, library: PatternLibrary, pattern: RewritePattern
    ) -> list[PatternGraph]:
        natives = {
            "constraint": dict(self.native_constraints),
            "rewrite": dict(self.native_rewrites),
        }

        def read() -> list[PatternGraph]:
            graphs = read_pattern(library, pattern)
            check_graphs(library, graphs, natives, self.pattern_driver)
            return graphs

        return _find_or_make(library, (type(self), pattern), read)

    def _functions(self, library: PatternLibrary) -> NativeFunctions:
        """Return the functions that the patterns call.

        Raises:
            PatternError: one does not import.
        """
        place = self.declared_in or type(self).__module__
        return NativeFunctions(
            library,
            import_functions(self.native_constraints, f"{place}: constraint"),
            import_functions(self.native_rewrites, f"{place}: rewrite"),
        )


def _counter_name(pattern_name: str) -> str:
    """Return the attribute of a pass that counts the applications of a pattern."""
    return f"_applications_of_{pattern_name}"


def _find_or_make(library: PatternLibrary, key: object, make: Callable[[], T]) -> T:
    """Return the result of `make`, which is called once for the context and `key`."""
    if key not in library.made:
        library.made[key] = make()
    return cast("T", library.made[key])
