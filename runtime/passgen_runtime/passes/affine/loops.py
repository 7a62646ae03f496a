"""Bounds, trip counts and bodies of `affine.for`, shared by the affine passes.

Source: `LoopAnalysis.cpp` and `LoopUtils.cpp` of MLIR.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import affine, arith, func
from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    i32,
)
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsolatedFromAbove

from passgen_runtime.passes.analysis import walk


@dataclass
class AffineOperands:
    """Operands that the expressions of several maps have in common.

    Each value is a dimension or a symbol of all expressions; it is a symbol if it is
    one in any of the maps, or if it is defined at the top of a function. Results of
    `affine.apply` and of constants are expanded.
    """

    _expressions: dict[SSAValue, AffineExpr] = field(default_factory=dict)
    dims: list[SSAValue] = field(default_factory=list)
    symbols: list[SSAValue] = field(default_factory=list)

    def declare_symbols(self, bound: AffineMap, operands: Sequence[SSAValue]) -> None:
        """Make the symbols of `bound` symbols; call it for all maps before any use."""
        for value in operands[bound.num_dims :]:
            self._expression(value, is_symbol=True)

    def results_of(
        self, bound: AffineMap, operands: Sequence[SSAValue]
    ) -> list[AffineExpr]:
        """Return the results of `bound` at `operands`, over the common operands."""
        dims = [
            self._expression(value, is_symbol=False)
            for value in operands[: bound.num_dims]
        ]
        symbols = [
            self._expression(value, is_symbol=True)
            for value in operands[bound.num_dims :]
        ]
        return [
            result.replace_dims_and_symbols(dims, symbols) for result in bound.results
        ]

    def simplify(self, expression: AffineExpr) -> AffineExpr:
        """Return `expression` with like terms collected, if it is pure affine."""
        if not expression.is_pure_affine():
            return expression
        return expression.simplify(len(self.dims), len(self.symbols))

    def count(self, lower: AffineExpr, upper: AffineExpr, step: int) -> AffineExpr:
        """Return the number of steps from `lower` to `upper`; may be negative."""
        distance = self.simplify(upper - lower)
        return distance if step == 1 else self.simplify(distance.ceil_div(step))

    def map(
        self, results: Sequence[AffineExpr]
    ) -> tuple[AffineMapAttr, list[SSAValue]]:
        """Return a map of `results` over the operands that they use, and these."""
        used = {leaf for result in results for leaf in _leaves(result)}
        dims = [i for i in range(len(self.dims)) if AffineExpr.dimension(i) in used]
        symbols = [i for i in range(len(self.symbols)) if AffineExpr.symbol(i) in used]
        new_dims = _renumbering(dims, len(self.dims), AffineExpr.dimension)
        new_symbols = _renumbering(symbols, len(self.symbols), AffineExpr.symbol)
        new_results = tuple(
            result.replace_dims_and_symbols(new_dims, new_symbols) for result in results
        )
        operands = [
            *(self.dims[index] for index in dims),
            *(self.symbols[index] for index in symbols),
        ]
        return (
            AffineMapAttr(AffineMap(len(dims), len(symbols), new_results)),
            operands,
        )

    def _expression(self, value: SSAValue, *, is_symbol: bool) -> AffineExpr:
        known = self._expressions.get(value)
        if known is None:
            known = self._expand(value, is_symbol=is_symbol)
            self._expressions[value] = known
        return known

    def _expand(self, value: SSAValue, *, is_symbol: bool) -> AffineExpr:
        match value.owner:
            case affine.ApplyOp() as apply:
                (result,) = self.results_of(apply.map.data, apply.mapOperands)
                return result
            case arith.ConstantOp(value=IntegerAttr() as constant):
                return AffineExpr.constant(constant.value.data)
        if is_symbol or _is_at_top_level(value):
            self.symbols.append(value)
            return AffineExpr.symbol(len(self.symbols) - 1)
        self.dims.append(value)
        return AffineExpr.dimension(len(self.dims) - 1)


def _is_at_top_level(value: SSAValue) -> bool:
    """Return whether `value` is defined at the top of an isolated operation."""
    owner = value.owner
    around = owner.parent_op()
    return around is not None and around.has_trait(IsolatedFromAbove)


def _leaves(expression: AffineExpr) -> Iterator[AffineExpr]:
    return (
        part
        for part in expression.dfs()
        if isinstance(part, AffineDimExpr | AffineSymExpr)
    )


def _renumbering(
    kept: list[int], count: int, make: Callable[[int], AffineExpr]
) -> list[AffineExpr]:
    return [make(kept.index(i) if i in kept else i) for i in range(count)]


@dataclass(frozen=True)
class TripCount:
    """The number of iterations: the least of `counts`, but not less than zero."""

    operands: AffineOperands
    lower_bound: AffineExpr
    """The only lower bound, over `operands`."""

    counts: tuple[AffineExpr, ...]
    """One for each upper bound, over `operands`; may be negative."""

    @property
    def constant(self) -> int | None:
        """The trip count if it is known."""
        values = [
            count.value
            for count in self.counts
            if isinstance(count, AffineConstantExpr)
        ]
        if len(values) == len(self.counts):
            return max(0, min(values))
        # One upper bound that is not above the lower bound is enough: no iteration.
        return 0 if any(value <= 0 for value in values) else None

    def is_multiple_of(self, factor: int) -> bool:
        """Return whether the trip count surely is a multiple of `factor`."""
        if self.constant is not None:
            return self.constant % factor == 0
        return all(largest_divisor(count) % factor == 0 for count in self.counts)


def trip_count(loop: affine.ForOp) -> TripCount | None:
    """Return the trip count of `loop`, `None` if it is not known.

    The loop has several lower bounds, or a step that is not positive.
    """
    lower_map, upper_map = loop.lowerBoundMap.data, loop.upperBoundMap.data
    step = step_of(loop)
    if len(lower_map.results) != 1 or step < 1:
        return None
    operands = AffineOperands()
    operands.declare_symbols(lower_map, loop.lowerBoundOperands)
    operands.declare_symbols(upper_map, loop.upperBoundOperands)
    (lower,) = operands.results_of(lower_map, loop.lowerBoundOperands)
    uppers = operands.results_of(upper_map, loop.upperBoundOperands)
    counts = tuple(operands.count(lower, upper, step) for upper in uppers)
    return TripCount(operands, lower, counts)


def constant_trip_count(loop: affine.ForOp) -> int | None:
    """Return the number of iterations of `loop` if it is known."""
    count = trip_count(loop)
    return None if count is None else count.constant


def largest_divisor(expression: AffineExpr) -> int:
    """Return the largest number known to divide `expression`; 0 if that is zero."""
    match expression:
        case AffineConstantExpr(value=value):
            return abs(value)
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mul, lhs=lhs, rhs=rhs):
            return largest_divisor(lhs) * largest_divisor(rhs)
        case AffineBinaryOpExpr(
            kind=AffineBinaryOpKind.Add | AffineBinaryOpKind.Mod, lhs=lhs, rhs=rhs
        ):
            return math.gcd(largest_divisor(lhs), largest_divisor(rhs))
        case _:
            return 1


def step_of(loop: affine.ForOp) -> int:
    """Return the step of `loop`."""
    return loop.step.value.data


def induction_variable(loop: affine.ForOp) -> BlockArgument:
    """Return the induction variable of `loop`."""
    return loop.body.block.args[0]


def yielded_values(loop: affine.ForOp) -> tuple[SSAValue, ...]:
    """Return the values that an iteration of `loop` yields to the next."""
    terminator = loop.body.block.last_op
    assert isinstance(terminator, affine.YieldOp)
    return tuple(terminator.arguments)


def body_operations(loop: affine.ForOp) -> list[Operation]:
    """Return the operations in the body of `loop` without its terminator."""
    ops = list(loop.body.block.ops)
    if ops and isinstance(ops[-1], affine.YieldOp):
        ops.pop()
    return ops


def affine_loops(root: Operation) -> list[affine.ForOp]:
    """Return the affine loops in `root`, inner ones before outer ones."""
    return [op for op in walk(root, region_first=True) if isinstance(op, affine.ForOp)]


def is_innermost(loop: affine.ForOp) -> bool:
    """Return whether there is no affine loop inside of `loop`."""
    return not any(isinstance(op, affine.ForOp) for op in loop.walk() if op is not loop)


def set_lower_bound(
    loop: affine.ForOp, bound: AffineMapAttr, operands: Sequence[SSAValue]
) -> None:
    """Replace the lower bound of `loop`."""
    _set_operands(loop, operands, loop.upperBoundOperands, loop.inits)
    loop.properties["lowerBoundMap"] = bound


def set_upper_bound(
    loop: affine.ForOp, bound: AffineMapAttr, operands: Sequence[SSAValue]
) -> None:
    """Replace the upper bound of `loop`."""
    _set_operands(loop, loop.lowerBoundOperands, operands, loop.inits)
    loop.properties["upperBoundMap"] = bound


def set_inits(loop: affine.ForOp, inits: Sequence[SSAValue]) -> None:
    """Replace the values that the first iteration of `loop` starts with."""
    _set_operands(loop, loop.lowerBoundOperands, loop.upperBoundOperands, inits)


def set_step(loop: affine.ForOp, step: int) -> None:
    """Replace the step of `loop`."""
    loop.properties["step"] = IntegerAttr.from_index_int_value(step)


def _set_operands(
    loop: affine.ForOp,
    lower: Sequence[SSAValue],
    upper: Sequence[SSAValue],
    inits: Sequence[SSAValue],
) -> None:
    lower, upper, inits = tuple(lower), tuple(upper), tuple(inits)
    loop.operands = (*lower, *upper, *inits)
    loop.properties["operandSegmentSizes"] = DenseArrayBase.from_list(
        i32, (len(lower), len(upper), len(inits))
    )


def promote_if_single_iteration(loop: affine.ForOp) -> bool:
    """Replace `loop` by its body if it runs exactly once; return whether it does."""
    if constant_trip_count(loop) != 1:
        return False
    variable = induction_variable(loop)
    if variable.first_use is not None:
        variable.replace_all_uses_with(_first_index(loop))
    body = loop.body.block
    for arg, init in zip(body.args[1:], loop.inits, strict=True):
        arg.replace_all_uses_with(init)
    results = yielded_values(loop)
    for op in body_operations(loop):
        loop.body.block.detach_op(op)
        Rewriter.insert_op(op, InsertPoint.before(loop))
    Rewriter.replace_op(loop, [], results)
    return True


def _first_index(loop: affine.ForOp) -> SSAValue:
    """Return the first value of the induction variable of `loop`."""
    bound = loop.lowerBoundMap.data
    if isinstance(result := bound.results[0], AffineConstantExpr):
        constant = arith.ConstantOp(IntegerAttr(result.value, IndexType()))
        constant.location = loop.location
        _insert_constant(constant, loop)
        return constant.result
    if bound == AffineMap.identity(1) or bound == AffineMap.identity(0, 1):
        return loop.lowerBoundOperands[0]
    apply = affine.ApplyOp(loop.lowerBoundOperands, loop.lowerBoundMap)
    apply.location = loop.location
    Rewriter.insert_op(apply, InsertPoint.before(loop))
    return apply.result


def _insert_constant(constant: arith.ConstantOp, loop: affine.ForOp) -> None:
    """Insert `constant` at the start of the function around `loop`, else before it."""
    around: Operation | None = loop
    while around is not None and not isinstance(around, func.FuncOp):
        around = around.parent_op()
    point = (
        InsertPoint.before(loop)
        if around is None
        else InsertPoint.at_start(around.body.blocks[0])
    )
    Rewriter.insert_op(constant, point)
