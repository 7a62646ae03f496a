"""What the patterns are at that passes apply: see `mlir_rewrite_guards`."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import (
    InvalidUseError,
    described,
    is_inside,
    operations_inside,
    top_of,
    values_of,
)
from passgen_runtime.ir.mlir_guard_checks import check_same_context, check_value
from passgen_runtime.ir.mlir_reachability import Held

if TYPE_CHECKING:
    from passgen_runtime.ir.mlir_erasures import Erasures


@dataclass
class Application:
    """Patterns being applied to what is inside `root`."""

    root: MLIRObject
    is_walk: bool


@dataclass
class Match:
    """A call of a pattern, or of a function that one in PDL calls."""

    rewriter: MLIRObject
    operation: MLIRObject | None
    """What was matched; nothing, where PDL did it."""

    is_erased: bool = False
    """Whether the pattern has erased that."""

    points: list[MLIRObject] = field(default_factory=list)
    """The insertion points that the rewriter has given."""

    @property
    def present(self) -> MLIRObject | None:
        """What was matched, as long as it is there."""
        return None if self.is_erased else self.operation

    def end(self) -> None:
        """Let none of the insertion points be used any more."""
        for point in self.points:
            invalidate(point.ref_operation)


class Rewriting(threading.local):
    """What patterns of this thread are at."""

    def __init__(self) -> None:
        """Begin without any, in each thread."""
        self.applications: list[Application] = []
        self.matches: list[Match] = []
        self.frozen: list[Held] = []
        """Sets of patterns that cannot be used any more, as long as they are held."""


REWRITING: Final = Rewriting()


def check_no_pattern(operation: MLIRObject, done: str) -> None:
    """Check that no patterns are being applied to what `operation` is part of.

    Raises:
        InvalidUseError: MLIR holds addresses of what is there.
    """
    for each in REWRITING.applications:
        if top_of(each.root) == top_of(operation):
            message = (
                f"{described(operation)} cannot be {done} in a pattern: patterns are "
                f"being applied to {described(each.root)}"
            )
            raise InvalidUseError(message)


def erased_by_rewriter(operation: MLIRObject) -> bool:
    """Erase `operation` by the rewriter of the pattern in this thread.

    Returns:
        Whether there is one, and `operation` is part of what patterns are applied to.
    """
    if not (REWRITING.matches and _is_rewritten(operation)):
        return False
    REWRITING.matches[-1].rewriter.erase_op(operation)
    return True


def _is_rewritten(operation: MLIRObject) -> bool:
    """Return whether `operation` is inside what patterns of this thread rewrite."""
    applications = REWRITING.applications
    return not applications or is_inside(operation, applications[-1].root)


def check_may_be_erased(
    erasures: Erasures, match: Match | None, operation: MLIRObject
) -> None:
    """Check that MLIR goes on after a pattern has erased `operation`.

    Raises:
        InvalidUseError: it would end the process.
    """
    erasures.check_alive(operation)
    erasures.check_below_top(operation, "erased")
    message: str | None = None
    for each in REWRITING.applications:
        if operation == each.root or is_inside(each.root, operation):
            message = f"patterns are being applied to {described(each.root)}"
    application = REWRITING.applications[-1] if REWRITING.applications else None
    if match is not None and application is not None and application.is_walk:
        matched = match.present
        if matched is None or not is_part(operation, matched):
            message = (
                "in walk_and_apply_patterns, a pattern may erase what it has matched, "
                "and what is inside that"
            )
    message = message or _use_outside(erasures.bindings, operation)
    if message is not None:
        raise InvalidUseError(f"{described(operation)} cannot be erased: {message}")


def is_part(operation: MLIRObject, whole: MLIRObject) -> bool:
    """Return whether `operation` is `whole`, or inside that."""
    is_same: bool = operation == whole
    return is_same or is_inside(operation, whole)


def _use_outside(bindings: Bindings, operation: MLIRObject) -> str | None:
    """Return who uses a value from inside `operation`, but is outside."""
    for each in (operation, *operations_inside(bindings, operation)):
        for value in values_of(each):
            is_inner = each is not operation or isinstance(
                value.owner, bindings.ir.Block
            )
            for use in value.uses if is_inner else ():
                user = use.owner.operation
                if not is_inside(user, operation):
                    return f"{described(user)} uses a value that is inside"
    return None


def check_replacements(
    bindings: Bindings, replaced: MLIRObject, new: MLIRObject | Sequence[MLIRObject]
) -> None:
    """Check that `new` can stand for the results of `replaced`.

    Raises:
        InvalidUseError: MLIR would end the process.
    """
    ir = bindings.ir
    if isinstance(new, ir.Operation | ir.OpView):
        check_same_context(new.operation, replaced.context)
        values = list(new.operation.results)
    else:
        values = list(new)
    if len(values) != len(replaced.results):
        message = (
            f"{described(replaced)} cannot be replaced: found {len(values)} values for "
            f"its {len(replaced.results)} results"
        )
        raise InvalidUseError(message)
    for value in values:
        if not isinstance(value, ir.Value):
            return  # the bindings say so
        check_value(bindings, value, replaced.context)
        owner = value.owner
        if isinstance(owner, ir.Block):
            owner = owner.owner
        if is_part(owner.operation, replaced):
            message = f"{described(replaced)} cannot be replaced by a value of its own"
            raise InvalidUseError(message)


def invalidate(operation: MLIRObject) -> None:
    """Let nobody use the handle `operation` any more."""
    operation._set_invalid()  # noqa: SLF001 - its only name
