"""Patterns on xDSL's IR: its interpreter of PDL applies them."""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any, Final, cast

from xdsl.dialects import pdl
from xdsl.dialects.builtin import (
    IntAttr,
    IntegerAttr,
    LocationAttr,
    StringAttr,
    UnknownLoc,
)
from xdsl.interpreter import Interpreter, InterpreterFunctions, impl, register_impls
from xdsl.interpreters.pdl import PDLMatcher, PDLRewritePattern
from xdsl.ir import Attribute, Operation, OpResult, SSAValue, TypedAttribute
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)

from passgen_runtime.context import Context
from passgen_runtime.ir.xdsl import XDSLContext
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

_MATCHED: Final = frozenset(
    {
        "pdl.apply_native_constraint",
        "pdl.attribute",
        "pdl.operand",
        "pdl.operation",
        "pdl.result",
        "pdl.rewrite",
        "pdl.type",
    }
)
_FOUND: Final = frozenset({"pdl.attribute", "pdl.operation", "pdl.type"})
_REWRITTEN: Final = frozenset(
    {
        "pdl.apply_native_rewrite",
        "pdl.attribute",
        "pdl.erase",
        "pdl.operation",
        "pdl.replace",
        "pdl.result",
        "pdl.type",
    }
)
"""What xDSL's interpreter knows, and `_NativeRewrites` besides."""

_CLASSES: Final[Mapping[str, Any]] = {
    "!pdl.attribute": Attribute,
    "!pdl.operation": Operation,
    "!pdl.type": Attribute,
    "!pdl.value": SSAValue,
}


def _text(operation: Operation) -> str:
    for name in ("opName", "name", "index"):
        match operation.properties.get(name):
            case StringAttr(data=text):
                return text
            case IntegerAttr(value=IntAttr(data=number)):
                return str(number)
    return ""


def _check_support(parsed: ParsedPattern) -> None:
    """Check that the interpreter can apply a pattern.

    Raises:
        PatternError: it cannot.
    """
    if (benefit := _benefit(parsed)) < 0:  # as MLIR reads 16 bits
        problem = f"the benefit is {benefit}, and must not be negative"
        raise pattern_error(parsed.pattern, parsed.root.place, problem)
    reached = set(_reached_from(parsed.root))
    for operation in parsed.operations:
        known = _REWRITTEN if operation.is_in_rewrite else _MATCHED
        problem = ""
        if operation.kind not in known:
            problem = f"xDSL cannot interpret '{operation.kind}' here"
        elif operation.is_in_rewrite:
            is_new = operation.kind == "pdl.operation"
            is_type = operation.kind == "pdl.type"
            if is_new and not operation.num_types and _needs_type(operation, parsed):
                problem = "xDSL needs the types of the results"
            if is_type and "constantType" not in operation.original.properties:
                problem = "xDSL does not infer types: write a constant"
            if operation.kind == "pdl.replace" and len(operation.operands) == 1:
                problem = "xDSL cannot replace an operation by nothing: erase it"
        elif operation.kind in _FOUND and operation not in reached:
            problem = "xDSL only finds operations that the root uses, and their parts"
        if problem:
            raise pattern_error(parsed.pattern, operation.place, problem)


def _reached_from(operation: PDLOperation) -> Iterator[PDLOperation]:
    yield operation
    for operand in operation.operands:
        yield from _reached_from(operand)


def _needs_type(operation: PDLOperation, parsed: ParsedPattern) -> bool:
    """Return whether a rewrite uses results of an operation that it creates."""
    users = [
        *parsed.of_kind("pdl.result"),
        *(user for user in parsed.of_kind("pdl.replace") if user.operands[0].num_types),
    ]
    return any(
        operation in user.operands[user.kind == "pdl.replace" :] for user in users
    )


class _Matcher(PDLMatcher):
    """xDSL's matcher, as strict as MLIR's, and with types of all typed attributes."""

    def match_result(
        self, ssa_val: SSAValue, pdl_op: pdl.ResultOp, xdsl_operand: SSAValue
    ) -> bool:
        """Return whether an operand is the result of that number.

        xDSL's matcher takes any result of the operation.
        """
        is_numbered_so = (
            isinstance(xdsl_operand, OpResult)
            and xdsl_operand.index == pdl_op.index.value.data
        )
        return is_numbered_so and super().match_result(ssa_val, pdl_op, xdsl_operand)

    def match_attribute(
        self,
        ssa_val: SSAValue,
        pdl_op: pdl.AttributeOp,
        attr_name: str,
        xdsl_attr: Attribute,
    ) -> bool:
        """Return whether an attribute matches."""
        type_ = pdl_op.value_type
        if ssa_val in self.matching_context or not isinstance(type_, OpResult):
            matches = super().match_attribute(ssa_val, pdl_op, attr_name, xdsl_attr)
            return bool(matches)
        self.matching_context[ssa_val] = xdsl_attr
        type_op = cast("pdl.TypeOp", type_.op)
        return (
            isinstance(xdsl_attr, TypedAttribute)
            and pdl_op.value in {None, xdsl_attr}
            and bool(self.match_type(type_, type_op, xdsl_attr.get_type()))
        )


@register_impls
class _NativeRewrites(InterpreterFunctions):
    """Calls the functions of `pdl.apply_native_rewrite`, which xDSL does not know."""

    def __init__(self, functions: NativeFunctions, pattern: _Pattern) -> None:
        self._functions = functions
        self._pattern = pattern

    @impl(pdl.ApplyNativeRewriteOp)
    def run(
        self,
        interpreter: Interpreter,
        op: pdl.ApplyNativeRewriteOp,
        args: tuple[Any, ...],
    ) -> tuple[Any, ...]:
        del interpreter
        name = op.constraint_name.data
        returned = self._functions.rewrites[name](
            self._pattern.functions.rewriter, *args
        )
        return self._functions.results(name, returned, _CLASSES)


class _Pattern(PDLRewritePattern):
    """A pattern that counts, and asks before it rewrites."""

    def __init__(
        self,
        parsed: ParsedPattern,
        context: XDSLContext,
        functions: NativeFunctions,
        run: _Run,
    ) -> None:
        """Prepare the interpreter, which serves one run at a time."""
        super().__init__(
            parsed.rewrite.original,
            context.xdsl,
            native_constraints=dict(functions.constraints),
        )
        self.interpreter.register_implementations(_NativeRewrites(functions, self))
        self._name = parsed.name
        self._run = run
        self._root_name = parsed.root.text
        self._root_value = parsed.root.original.results[0]
        self._results = [
            operation.original
            for operation in parsed.of_kind("pdl.result")
            if not operation.is_in_rewrite
        ]
        self._constraints = [
            operation.original
            for operation in parsed.of_kind("pdl.apply_native_constraint")
        ]

    def match_and_rewrite(self, xdsl_op: Operation, rewriter: PatternRewriter) -> None:
        """Apply the pattern if it matches, the limit is not met, and nobody objects."""
        if self._root_name and xdsl_op.name != self._root_name:
            return  # most operations, and the matcher takes longer to see it
        run, root = self._run, self._root_value
        matcher = _Matcher(native_constraints=self.native_constraints)
        if not matcher.match_operation(root, root.op, xdsl_op):
            return
        matched = matcher.matching_context
        for result in self._results:  # xDSL finds those that are operands alone
            owner = cast("Operation", matched[result.parent_])
            matched[result.val] = owner.results[result.index.value.data]
        if any(
            bool(matcher.check_native_constraints(constraint))
            == bool(constraint.is_negated.value.data)
            for constraint in self._constraints
        ):
            return
        if run.rewrites_left <= 0:
            raise _TooManyRewritesError
        if run.ask is not None and not run.ask(self._name, xdsl_op):
            return
        run.location = xdsl_op.location
        self.interpreter.push_scope(self._name)
        try:
            self.interpreter.set_values(matched.items())
            self.functions.rewriter = rewriter
            run.has_changed = True
            self.interpreter.run_ssacfg_region(self.pdl_rewrite_op.body, ())
        finally:
            self.interpreter.pop_scope()
        rewriter.has_done_action = True  # also if all it did was to call functions
        run.rewrites_left -= 1
        run.counts[self._name] += 1


class _TooManyRewritesError(Exception):
    """A pattern matches after the last rewrite that the driver allows."""


class _TooManyIterationsError(Exception):
    """The last iteration that the driver allows has still changed the IR."""


class _Run:
    """A walker over operations, and the state of its run."""

    walker: PatternRewriteWalker
    counts: dict[str, int]
    ask: Ask | None = None
    rewrites_left: float = inf
    iterations_left: int = 0
    has_changed: bool = False
    """Whether the current iteration, a walk over a region, has changed the IR."""

    location: LocationAttr = UnknownLoc()
    """The location of the operation that is rewritten."""

    def locate(self, operation: Operation) -> None:
        """Let a new operation have the location of the one that it replaces."""
        operation.location = self.location

    def note_change(self, *_: object) -> None:
        """Note that the current iteration has changed the IR."""
        self.has_changed = True

    def end_iteration(self, *_: object) -> bool:
        """Return `False`: the end of an iteration changes nothing.

        Raises:
            _TooManyIterationsError: there would be another one.
        """
        self.iterations_left -= 1
        if self.has_changed and self.iterations_left <= 0:
            raise _TooManyIterationsError
        self.has_changed = False
        return False


def _benefit(parsed: ParsedPattern) -> int:
    benefit: int = parsed.original.benefit.value.data
    return benefit


def _max_rewrites(operation: Operation) -> int:
    """Return the default limit, which a pattern that undoes itself reaches soon."""
    return 10_000 + 10 * sum(1 for _ in operation.walk())


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

    def __init__(
        self,
        context: Context,
        patterns: Sequence[ParsedPattern],
        functions: NativeFunctions,
        driver: PatternDriver,
    ) -> None:
        """Keep all; each run at the same time has interpreters of its own."""
        self._context = weakref.ref(cast("XDSLContext", context))
        # A `pdl.pattern` that is given as a whole has its benefit in its text.
        self.patterns = sorted(patterns, key=lambda parsed: -_benefit(parsed))
        self._functions = functions
        self._driver = driver
        self._idle: list[_Run] = []

    def apply(
        self, operation: Operation, counts: dict[str, int] | None, ask: Ask | None
    ) -> str:
        """Apply the patterns inside `operation`; see `PatternApplier`."""
        driver = self._driver
        is_greedy = driver.name == "greedy"
        try:
            run = self._idle.pop()
        except IndexError:
            run = self._make_run(is_greedy=is_greedy)
        run.counts = defaultdict(int) if counts is None else counts
        run.ask = ask
        max_rewrites = driver.max_rewrites or _max_rewrites(operation)
        run.rewrites_left = max_rewrites if is_greedy else inf
        for region in operation.regions:
            run.iterations_left, run.has_changed = driver.max_iterations, False
            try:
                run.walker.rewrite_region(region)
            except _TooManyIterationsError:
                return f"{driver.max_iterations} iterations"
            except _TooManyRewritesError:
                return f"{max_rewrites} rewrites"
        self._idle.append(run)  # not after an exception, which leaves work undone
        return ""

    def _make_run(self, *, is_greedy: bool) -> _Run:
        context, run = self._context(), _Run()
        assert context is not None
        patterns = [
            _Pattern(parsed, context, self._functions, run) for parsed in self.patterns
        ]
        applier = GreedyRewritePatternApplier(
            cast("list[RewritePattern]", patterns),
            context.xdsl,
            folding_enabled=is_greedy,
            dce_enabled=is_greedy,
        )
        listener = PatternRewriterListener(
            operation_insertion_handler=[run.locate, run.note_change],
            operation_removal_handler=[run.note_change],
            operation_modification_handler=[run.note_change],
            operation_replacement_handler=[run.note_change],
        )
        run.walker = PatternRewriteWalker(
            applier,
            walk_regions_first=True,
            apply_recursively=is_greedy,
            post_walk_func=run.end_iteration if is_greedy else None,
            listener=listener,
        )
        return run
