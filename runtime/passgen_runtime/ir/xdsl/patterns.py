"""Patterns on xDSL's IR: its drivers apply them, compiled to closures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, cast

from xdsl.dialects.builtin import IntegerAttr, StringAttr
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)

from passgen_runtime.context import Context
from passgen_runtime.ir.xdsl import XDSLContext
from passgen_runtime.ir.xdsl.compiled_pattern import CompiledPattern, name_of, value_of
from passgen_runtime.ir.xdsl.constant_printer import attribute_text
from passgen_runtime.patterns import (
    Ask,
    NativeFunctions,
    ParsedPattern,
    PatternApplier,
    PatternDriver,
    PDLOperation,
    pattern_error,
    read_pattern,
)
from passgen_runtime.patterns import RewritePattern as DeclaredPattern

_ANYWHERE: Final = {"pdl.attribute", "pdl.operation", "pdl.result", "pdl.type"}
_KNOWN: Final = {
    False: _ANYWHERE | {"pdl.apply_native_constraint", "pdl.operand", "pdl.rewrite"},
    True: _ANYWHERE | {"pdl.apply_native_rewrite", "pdl.erase", "pdl.replace"},
}
"""What `CompiledPattern` knows, by whether it stands in the rewrite."""


def _text(operation: Operation) -> str:
    for name in ("opName", "name", "index"):
        match operation.properties.get(name):
            case StringAttr(data=text):
                return text
            case IntegerAttr() as index:
                return str(index.value.data)
    return ""


def _check_support(parsed: ParsedPattern) -> None:
    """Check that a pattern can be compiled.

    Raises:
        PatternError: it cannot.
    """
    if (benefit := _benefit(parsed)) < 0:  # as MLIR reads 16 bits
        problem = f"the benefit is {benefit}, and must not be negative"
        raise pattern_error(parsed.pattern, parsed.root.place, problem)
    constants = (known for known in parsed.operations if value_of(known) is not None)
    found = {parsed.root, *constants}
    for operation in reversed(parsed.operations):  # uses stand behind definitions
        if operation in found:
            found.update(operation.operands)
    used = {
        user.operands[-1]
        for user in parsed.of_kind("pdl.result", "pdl.replace")
        if user.kind == "pdl.result" or user.operands[0].num_types
    }
    untyped = {operation for operation in used if not operation.num_types}
    for operation in parsed.operations:
        if problem := _problem(operation, found, untyped):
            raise pattern_error(parsed.pattern, operation.place, problem)


def _problem(
    operation: PDLOperation, found: set[PDLOperation], untyped: set[PDLOperation]
) -> str:
    match operation.kind, operation.is_in_rewrite:
        case kind, is_in_rewrite if kind not in _KNOWN[is_in_rewrite]:
            return f"'{kind}' is not supported here on xDSL's IR"
        case "pdl.operation", True if operation in untyped:
            return "xDSL needs the types of the results"
        case "pdl.type", True if operation not in found:
            return "xDSL does not infer types: write a constant"
        case "pdl.replace", True if len(operation.operands) == 1:
            return "xDSL cannot replace an operation by nothing: erase it"
        case "pdl.apply_native_constraint", False:
            pass  # its results are refused on all IR
        case _, False if operation.result_types and operation.defining not in found:
            return "xDSL only finds operations that the root uses, and their parts"
    return ""


class _NotConvergedError(Exception):
    """So many rewrites, or iterations, are allowed, and patterns still match."""


@dataclass
class _Run(RewritePattern):
    """One run of patterns, which applies the best one that matches an operation."""

    patterns: Mapping[str, Sequence[CompiledPattern]]
    """The patterns by the name of the root; those for any root have the name ''."""

    folding: RewritePattern
    """Removes or folds operations first, if the driver does."""

    counts: dict[str, int]
    ask: Ask | None
    max_rewrites: float
    max_iterations: float
    num_rewrites: int = 0
    num_iterations: int = 0

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Fold `op`, or apply the first pattern that matches and is not vetoed.

        Raises:
            _NotConvergedError: a limit is met.
        """
        if self.num_iterations >= self.max_iterations:
            raise _NotConvergedError(f"{self.max_iterations} iterations")
        self.location = op.location
        self.folding.match_and_rewrite(op, rewriter)
        if rewriter.has_done_action:
            return
        for pattern in self.patterns.get(name_of(op), self.patterns[""]):
            if (frame := pattern.match(op)) is None:
                continue
            if self.num_rewrites >= self.max_rewrites:
                raise _NotConvergedError(f"{self.max_rewrites} rewrites")
            if self.ask is None or self.ask(pattern.name, op):
                pattern.rewrite(frame, rewriter)
                rewriter.has_done_action = True  # also if it only called functions
                self.num_rewrites += 1
                self.counts[pattern.name] += 1
                return

    def locate(self, operation: Operation) -> None:
        """Let a new operation have the location of the one that it replaces."""
        operation.location = self.location

    def end_iteration(self, *_: object) -> bool:
        """Return `False`: the end of an iteration changes nothing."""
        self.num_iterations += 1
        return False


def _benefit(parsed: ParsedPattern) -> int:
    benefit: int = parsed.original.benefit.value.data
    return benefit


class XDSLPatternApplier(PatternApplier):
    """Applies patterns to xDSL's IR."""

    always_counts = True

    @staticmethod
    def parse(context: Context, pattern: DeclaredPattern) -> ParsedPattern:
        """Return `pattern` as an operation of xDSL; see `PatternApplier`."""
        # PDL is no dialect of the IR: it is loaded even while a pipeline runs.
        xdsl = cast("XDSLContext", context).xdsl.clone()
        parsed = read_pattern(XDSLContext(xdsl), pattern, _text)
        context.verify(parsed.module)
        _check_support(parsed)
        return parsed

    @staticmethod
    def attributes(operation: Operation) -> dict[str, str]:
        """Return attributes and properties as texts; see `PatternApplier`."""
        found = operation.properties | operation.attributes
        return {name: attribute_text(attribute) for name, attribute in found.items()}

    def __init__(
        self,
        context: Context,
        patterns: Sequence[ParsedPattern],
        functions: NativeFunctions,
        driver: PatternDriver,
    ) -> None:
        """Compile all, and sort them by the names of their roots."""
        # A `pdl.pattern` that is given as a whole has its benefit in its text.
        self.patterns = sorted(patterns, key=lambda parsed: -_benefit(parsed))
        self._xdsl = cast("XDSLContext", context).xdsl
        self._driver = driver
        compiled = [
            CompiledPattern(parsed, self._xdsl, functions) for parsed in self.patterns
        ]
        self._by_root = {
            name: [pattern for pattern in compiled if pattern.root_name in {name, ""}]
            for name in {"", *(pattern.root_name for pattern in compiled)}
        }

    def apply(
        self, operation: Operation, counts: dict[str, int] | None, ask: Ask | None
    ) -> str | None:
        """Apply the patterns inside `operation`; see `PatternApplier`."""
        driver, is_greedy = self._driver, self._driver.name == "greedy"
        folding = GreedyRewritePatternApplier(
            [], self._xdsl, folding_enabled=is_greedy, dce_enabled=is_greedy
        )
        counts = defaultdict(int) if counts is None else counts
        run = _Run(self._by_root, folding, counts, ask, inf, inf)
        if is_greedy:
            run.max_iterations = driver.max_iterations
            # By default few: a pattern that undoes itself reaches them soon.
            num_operations = sum(1 for _ in operation.walk())
            run.max_rewrites = driver.max_rewrites or 10_000 + 10 * num_operations
        walker = PatternRewriteWalker(
            run,
            walk_regions_first=True,
            apply_recursively=is_greedy,
            post_walk_func=run.end_iteration if is_greedy else None,
            listener=PatternRewriterListener(operation_insertion_handler=[run.locate]),
        )
        has_changed = False
        try:
            for region in operation.regions:
                run.num_iterations = 0
                has_changed |= walker.rewrite_region(region)
        except _NotConvergedError as error:
            return str(error)
        return "" if has_changed else None
