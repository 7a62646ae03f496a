"""Patterns on MLIR's IR: MLIR applies them itself."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from passgen_runtime.context import Operation
from passgen_runtime.instrumentations.pattern_hooks import PatternAttempt
from passgen_runtime.ir.mlir import MLIRContext
from passgen_runtime.patterns import (
    Call,
    MayApply,
    Native,
    NativeFunctions,
    PatternApplier,
    PatternDriver,
    PatternGraph,
    PDLWriter,
    RewriteFunction,
    RewritePattern,
    Test,
    Watch,
    note_patterns,
    pattern_error,
)

_COUNT: Final = "passgen.count."
_ASK: Final = "passgen.ask."

_MAX_REWRITES: Final = 1_000_000
"""The default limit of an iteration of the greedy driver."""


@dataclass(slots=True)
class _Frozen:
    """Patterns as MLIR applies them, and the objects that must live as long."""

    counts: dict[str, int] = field(default_factory=dict)
    may_apply: MayApply | None = None
    """What their callbacks use: that of the run that applies them."""

    watch: Watch | None = None
    """Makes the calls of functions of the pass, if they are watched."""

    root: Operation = None
    """The operation that the pass runs on."""

    rewritten_by: str = ""
    """The pattern that was counted last: its rewrite is running, or has ended."""

    has_raised: bool = False
    """Whether one of their callbacks has raised an exception."""

    patterns: Any = None
    module: Any = None
    pdl_module: Any = None

    def note_exception(
        self, error: BaseException, callers: Collection[RewritePattern]
    ) -> None:
        """Note that the function which `callers` call has raised `error`."""
        self.has_raised = True
        if isinstance(error, Exception):
            note_patterns(error, callers)


WHY_NO_MISSES: Final = "MLIR matches patterns itself: use --ir=xdsl"


class MLIRPatternApplier(PatternApplier):
    """Applies patterns to MLIR's IR.

    One object serves all threads and runs of a context.
    """

    always_counts = False
    why_no_misses = WHY_NO_MISSES

    def __init__(
        self,
        context: MLIRContext,
        rewrite: Any,  # noqa: ANN401 - a module of the bindings
        graphs: Sequence[PatternGraph],
        functions: NativeFunctions,
        driver: PatternDriver,
    ) -> None:
        """Freeze `graphs`.

        Raises:
            PatternError: patterns differ in the results of a function.
        """
        self.graphs = graphs
        self._mlir = context.mlir
        self._ir = context.bindings.ir
        self._functions = functions
        self._driver = driver
        self._max_rewrites = driver.max_rewrites or _MAX_REWRITES
        self._rewrite = rewrite
        self._kinds = _result_kinds(graphs)
        self._config = self._greedy_config()
        self._lone_callers = {
            graph.name
            for graph in graphs
            if len(graph.steps) == 1 and isinstance(graph.steps[0], Call)
        }
        """The patterns whose rewrite is one call of a function."""

        self._plain = self._freeze()
        self._idle: defaultdict[tuple[bool, bool], list[_Frozen]] = defaultdict(list)
        """By whether they ask before a rewrite, and whether functions are watched."""

    def _greedy_config(self) -> Any:  # noqa: ANN401 - of the bindings
        rewrite = self._rewrite
        config = rewrite.GreedyRewriteConfig()
        config.max_iterations = self._driver.max_iterations
        config.max_num_rewrites = self._max_rewrites
        config.region_simplification_level = rewrite.GreedySimplifyRegionLevel.DISABLED
        return config

    def apply(
        self,
        operation: Operation,
        counts: dict[str, int] | None,
        may_apply: MayApply | None,
        watch: Watch | None = None,
    ) -> str:
        """Apply the patterns inside `operation`; see `PatternApplier`."""
        is_watched = watch is not None and self._calls_functions
        if counts is None and may_apply is None and not is_watched:
            return self._apply(operation, self._plain)
        kind = may_apply is not None, is_watched
        try:
            frozen = self._idle[kind].pop()
        except IndexError:
            frozen = self._freeze(counts=True, asks=kind[0], is_watched=is_watched)
        frozen.counts = defaultdict(int) if counts is None else counts
        frozen.may_apply, frozen.watch, frozen.root = may_apply, watch, operation
        try:
            return self._apply(operation, frozen)
        finally:
            frozen.watch = frozen.root = None
            self._idle[kind].append(frozen)

    def _apply(self, operation: Operation, frozen: _Frozen) -> str:
        if self._driver.name == "walk":
            self._rewrite.walk_and_apply_patterns(operation, frozen.patterns)
            return ""
        frozen.has_raised = False
        try:
            self._rewrite.apply_patterns_and_fold_greedily(
                operation, frozen.patterns, self._config
            )
        except RuntimeError as error:
            # The bindings raise no type of their own; callbacks may raise it too.
            if frozen.has_raised or type(error) is not RuntimeError:
                raise
            iterations = f"{self._driver.max_iterations} iterations"
            return f"{iterations} or {self._max_rewrites} rewrites"
        return ""

    @property
    def _calls_functions(self) -> bool:
        """Whether patterns call functions of the pass: all else is MLIR's own."""
        return any(True for graph in self.graphs for _ in graph.natives)

    def _freeze(
        self, *, counts: bool = False, asks: bool = False, is_watched: bool = False
    ) -> _Frozen:
        frozen, texts = _Frozen(), []
        constraints: dict[str, Test] = {}
        rewrites: dict[str, RewriteFunction] = {}
        callers: defaultdict[str, list[RewritePattern]] = defaultdict(list)
        for graph in self.graphs:
            writer = PDLWriter(graph)
            texts.append(writer.write())
            constraints |= writer.tests
            rewrites |= writer.functions
            for name in (*writer.tests, *writer.functions):
                callers[name].append(graph.pattern)
        with self._mlir:
            module = self._ir.Module.parse("\n".join(texts))
            for graph, pattern in zip(self.graphs, module.body, strict=True):
                if counts:
                    self._add_calls(pattern, graph.name, asks=asks)
            pdl = self._rewrite.PDLModule(module)
        for name, test in constraints.items():
            function = self._functions.test(test)
            if is_watched and isinstance(test, Native):
                # Which of them tests the condition is not known.
                names = ", ".join(dict.fromkeys(each.name for each in callers[name]))
                function = partial(self._watched_test, frozen, names, function)
            pdl.register_constraint_function(
                name, _constraint(frozen, function, callers[name])
            )
        for name, rewrite in rewrites.items():
            call = self._functions.rewrite(rewrite, self._kinds[rewrite])
            if is_watched:
                call = partial(self._watched_rewrite, frozen, call)
            pdl.register_rewrite_function(name, _rewrite(frozen, call, callers[name]))
        for name in dict.fromkeys(graph.name for graph in self.graphs):
            pdl.register_rewrite_function(_COUNT + name, _counter(frozen, name))
            pdl.register_constraint_function(_ASK + name, _question(frozen, name))
        with self._mlir:
            frozen.patterns = pdl.freeze()
        frozen.module, frozen.pdl_module = module, pdl
        return frozen

    def _watched_test(
        self,
        frozen: _Frozen,
        pattern: str,
        test: Callable[..., bool],
        *values: object,
    ) -> bool:
        """Test a condition, as an attempt: no test is a match."""
        if frozen.watch is None:
            return test(*values)
        results: list[bool] = []

        def run() -> bool:
            results.append(test(*values))
            return False

        pass_, hook = frozen.watch
        operation = self._operation_of(values) or frozen.root
        hook(PatternAttempt(pass_, pattern, operation, None, run))
        return results[0]

    def _watched_rewrite(
        self,
        frozen: _Frozen,
        rewrite: Callable[..., tuple[Any, ...]],
        rewriter: object,
        *values: object,
    ) -> tuple[Any, ...]:
        """Call a function; if it is all of a rewrite, as an attempt that succeeds."""
        pattern = frozen.rewritten_by
        if frozen.watch is None or pattern not in self._lone_callers:
            return rewrite(rewriter, *values)
        results: list[tuple[Any, ...]] = []

        def run() -> bool:
            results.append(rewrite(rewriter, *values))
            return True

        pass_, hook = frozen.watch
        operation = self._operation_of(values) or frozen.root
        hook(PatternAttempt(pass_, pattern, operation, rewriter, run))
        return results[0]

    def _operation_of(self, values: Sequence[Any]) -> Operation:
        """Return the first operation in `values`, or that defines one of them."""
        classes = self._functions.reader.classes
        for value in values:
            if isinstance(value, classes["operation"]):
                return value
            if isinstance(value, classes["value"]):
                owner = value.owner
                return owner.owner if isinstance(owner, self._ir.Block) else owner
        return None

    def _add_calls(self, pattern: Operation, name: str, *, asks: bool) -> None:
        """Count first in the rewrite of `pattern`, and ask last in its match."""
        ir = self._ir
        *_, rewrite = pattern.regions[0].blocks[0].operations
        with ir.Location.unknown():
            ir.Operation.create(
                "pdl.apply_native_rewrite",
                attributes={"name": ir.StringAttr.get(_COUNT + name)},
                ip=ir.InsertionPoint.at_block_begin(rewrite.regions[0].blocks[0]),
            )
            if asks:
                ir.Operation.create(
                    "pdl.apply_native_constraint",
                    operands=[rewrite.operands[0]],
                    attributes={
                        "name": ir.StringAttr.get(_ASK + name),
                        "isNegated": ir.BoolAttr.get(False),
                    },
                    ip=ir.InsertionPoint(rewrite),
                )


def _result_kinds(
    graphs: Sequence[PatternGraph],
) -> Mapping[RewriteFunction, tuple[str, ...]]:
    """Return the kinds of the results of each function that a rewrite calls.

    Raises:
        PatternError: they differ; MLIR knows one function of a name.
    """
    known: dict[RewriteFunction, tuple[str, ...]] = {}
    for graph in graphs:
        for call in graph.calls:
            kinds = tuple(node.kind for node in call.results)
            if known.setdefault(call.function, kinds) != kinds:
                others = ", ".join(known[call.function]) or "none"
                message = f"the results of '{call.function}' are {others} elsewhere"
                raise pattern_error(graph.pattern, call.place, message)
    return known


def _counter(frozen: _Frozen, name: str) -> Callable[..., None]:
    def count(*_: object) -> None:
        frozen.counts[name] += 1
        frozen.rewritten_by = name

    return count


def _question(frozen: _Frozen, name: str) -> Callable[..., bool]:
    def is_vetoed(_rewriter: object, _results: object, values: Sequence[Any]) -> bool:
        if frozen.may_apply is None:
            return False
        try:
            return not frozen.may_apply(name, values[0])
        except BaseException:
            frozen.has_raised = True
            raise

    return is_vetoed


def _constraint(
    frozen: _Frozen,
    function: Callable[..., bool],
    callers: Collection[RewritePattern],
) -> Callable[..., bool]:
    def is_violated(_rewriter: object, _results: object, values: Sequence[Any]) -> bool:
        try:
            return not function(*values)  # false is success, as in a `LogicalResult`
        except BaseException as error:
            frozen.note_exception(error, callers)
            raise

    return is_violated


def _rewrite(
    frozen: _Frozen,
    function: Callable[..., tuple[Any, ...]],
    callers: Collection[RewritePattern],
) -> Callable[..., None]:
    def rewrite(
        rewriter: object,
        results: Any,  # noqa: ANN401 - of the bindings
        values: Sequence[Any],
    ) -> None:
        try:
            for result in function(rewriter, *values):
                results.append(result)
        except BaseException as error:
            frozen.note_exception(error, callers)
            raise

    return rewrite
