"""Guards of the bindings' pattern rewriting.

Whoever applies patterns lets MLIR erase and fold what it likes, as native passes do,
and has it call back. MLIR holds addresses of operations all the while, so what a
pattern erases is freed at once, and its handle becomes invalid. What the pass held
before is kept from that: MLIR works on a copy.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import (
    InvalidUseError,
    described,
    is_inside,
    operations_inside,
    top_of,
    values_of,
)
from passgen_runtime.ir.mlir_guard_checks import (
    Guard,
    Method,
    check_same_context,
    check_value,
    erasures_in,
)
from passgen_runtime.ir.mlir_handles import Held, watched

if TYPE_CHECKING:
    from passgen_runtime.ir.mlir_erasures import Erasures


@dataclass
class _Application:
    """Patterns being applied to what is inside `root`."""

    root: MLIRObject
    is_walk: bool


@dataclass
class _Match:
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
            _invalidate(point.ref_operation)


class _Rewriting(threading.local):
    """What patterns of this thread are at."""

    def __init__(self) -> None:
        self.applications: list[_Application] = []
        self.matches: list[_Match] = []
        self.frozen: list[Held] = []
        """Sets of patterns that cannot be used any more, as long as they are held."""


_REWRITING = _Rewriting()


def rewrite_guards(bindings: Bindings) -> tuple[Guard, ...]:
    """Return the guards of `bindings` that are for pattern rewriting."""
    module = bindings.rewrite
    rewriter = getattr(module, "PatternRewriter", None)
    patterns = getattr(module, "RewritePatternSet", None)
    pdl = getattr(module, "PDLModule", None)
    return (
        (module, "apply_patterns_and_fold_greedily", _apply_greedily),
        (module, "walk_and_apply_patterns", _apply_by_walk),
        (patterns, "add", _add),
        (patterns, "freeze", _freeze),
        (pdl, "freeze", _freeze),
        (pdl, "register_rewrite_function", _register),
        (pdl, "register_constraint_function", _register),
        (rewriter, "ip", _point),
        (rewriter, "erase_op", _erase_matched),
        (rewriter, "replace_op", _replace),
    )


def check_no_pattern(operation: MLIRObject, done: str) -> None:
    """Check that no patterns are being applied to what `operation` is part of.

    Raises:
        InvalidUseError: MLIR holds addresses of what is there.
    """
    for each in _REWRITING.applications:
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
    if not (_REWRITING.matches and _is_rewritten(operation)):
        return False
    _REWRITING.matches[-1].rewriter.erase_op(operation)
    return True


def _apply_greedily(bindings: Bindings, original: Method) -> Method:
    def apply_patterns_and_fold_greedily(
        *args: MLIRObject, **named: MLIRObject
    ) -> None:
        target = args[0] if args else named["op" if "op" in named else "module"]
        operation = target.operation
        erasures = erasures_in(bindings, operation)
        if erasures is None:
            original(*args, **named)
            return
        if len(operation.regions) and not erasures.is_isolated(operation):
            message = (
                f"{described(operation)} is not isolated from above: patterns cannot "
                "be applied to it greedily"
            )
            raise InvalidUseError(message)
        with _applying(erasures, _Application(operation, is_walk=False)):
            original(*args, **named)

    return apply_patterns_and_fold_greedily


def _apply_by_walk(bindings: Bindings, original: Method) -> Method:
    def walk_and_apply_patterns(
        op: MLIRObject, *args: MLIRObject, **named: MLIRObject
    ) -> None:
        operation = op.operation
        erasures = erasures_in(bindings, operation)
        if erasures is None:
            original(op, *args, **named)
            return
        with _applying(erasures, _Application(operation, is_walk=True)):
            original(op, *args, **named)

    return walk_and_apply_patterns


@contextmanager
def _applying(erasures: Erasures, application: _Application) -> Iterator[None]:
    """Let MLIR apply patterns in the block, as it would run a native pass."""
    root = application.root
    check_no_pattern(root, "rewritten by others")
    with erasures.called_by_pass():
        erasures.prepare_native_run(root)
        with erasures.rewriting(root):
            _REWRITING.applications.append(application)
            try:
                yield
            finally:
                _REWRITING.applications.pop()


def _add(bindings: Bindings, original: Method) -> Method:
    def add(
        self: MLIRObject,
        root: MLIRObject,
        fn: Callable[..., object],
        *args: MLIRObject,
        **named: MLIRObject,
    ) -> None:
        @wraps(fn)
        def pattern(operation: MLIRObject, rewriter: MLIRObject) -> object:
            with _matching(bindings, rewriter, operation.operation):
                return fn(operation, rewriter)

        _check_not_frozen(self)
        original(self, root, pattern, *args, **named)

    return add


def _freeze(bindings: Bindings, original: Method) -> Method:
    def freeze(self: MLIRObject) -> MLIRObject:
        if not bindings.running:
            return original(self)
        _check_not_frozen(self)
        frozen = original(self)
        held = [each for each in _REWRITING.frozen if each.value is not None]
        _REWRITING.frozen = [*held, watched(self)]
        return frozen

    return freeze


def _check_not_frozen(patterns: MLIRObject) -> None:
    if any(each.value is patterns for each in _REWRITING.frozen):
        message = "the patterns are frozen: make a new set"
        raise InvalidUseError(message)


def _register(bindings: Bindings, original: Method) -> Method:
    def register(self: MLIRObject, name: str, fn: Callable[..., object]) -> None:
        @wraps(fn)
        def called(rewriter: MLIRObject, *args: MLIRObject) -> object:
            with _matching(bindings, rewriter, None):
                return fn(rewriter, *args)

        original(self, name, called)

    return register


@contextmanager
def _matching(
    bindings: Bindings, rewriter: MLIRObject, operation: MLIRObject | None
) -> Iterator[None]:
    """Let `rewriter` be used in the block."""
    if not bindings.running:
        yield
        return
    match = _Match(rewriter, operation)
    _REWRITING.matches.append(match)
    try:
        yield
    finally:
        _REWRITING.matches.remove(match)
        match.end()


def _point(bindings: Bindings, original: Method) -> Method:
    def ip(self: MLIRObject) -> MLIRObject:
        match = _match_of(bindings, self)
        if match is not None and match.is_erased:
            message = (
                "the insertion point of the rewriter was before what the pattern has "
                "erased: insert before that"
            )
            raise InvalidUseError(message)
        point = original(self)
        if match is not None and point.ref_operation is not None:
            match.points.append(point)
        return point

    return ip


def _erase_matched(bindings: Bindings, original: Method) -> Method:
    def erase_op(self: MLIRObject, operation: MLIRObject) -> None:
        match = _match_of(bindings, self)
        erased = operation.operation
        erasures = erasures_in(bindings, erased)
        if erasures is None:
            original(self, operation)
            return
        _check_may_be_erased(erasures, match, erased)
        erasures.check_unused(erased)
        _free(erasures, match, erased, lambda: original(self, operation))

    return erase_op


def _replace(bindings: Bindings, original: Method) -> Method:
    def replace_op(
        self: MLIRObject, op: MLIRObject, new: MLIRObject | Sequence[MLIRObject]
    ) -> None:
        match = _match_of(bindings, self)
        replaced = op.operation
        erasures = erasures_in(bindings, replaced)
        if erasures is None:
            original(self, op, new)
            return
        _check_may_be_erased(erasures, match, replaced)
        _check_replacements(bindings, replaced, new)
        _free(erasures, match, replaced, lambda: original(self, op, new))

    return replace_op


def _match_of(bindings: Bindings, rewriter: MLIRObject) -> _Match | None:
    """Return the match that `rewriter` is for, if it is known.

    Raises:
        InvalidUseError: that has ended.
    """
    if not bindings.running:
        return None
    for match in _REWRITING.matches:
        if match.rewriter is rewriter:
            return match
    if _REWRITING.applications and not _REWRITING.matches:
        return None  # of a pattern that was added before there were guards
    message = "the pattern that this rewriter is for has ended"
    raise InvalidUseError(message)


def _is_rewritten(operation: MLIRObject) -> bool:
    """Return whether `operation` is inside what patterns of this thread rewrite."""
    applications = _REWRITING.applications
    return not applications or is_inside(operation, applications[-1].root)


def _check_may_be_erased(
    erasures: Erasures, match: _Match | None, operation: MLIRObject
) -> None:
    """Check that MLIR goes on after a pattern has erased `operation`.

    Raises:
        InvalidUseError: it would end the process.
    """
    erasures.check_alive(operation)
    erasures.check_below_top(operation, "erased")
    message: str | None = None
    for each in _REWRITING.applications:
        if operation == each.root or is_inside(each.root, operation):
            message = f"patterns are being applied to {described(each.root)}"
    application = _REWRITING.applications[-1] if _REWRITING.applications else None
    if match is not None and application is not None and application.is_walk:
        matched = match.present
        if matched is None or not _is_part(operation, matched):
            message = (
                "in walk_and_apply_patterns, a pattern may erase what it has matched, "
                "and what is inside that"
            )
    message = message or _use_outside(erasures.bindings, operation)
    if message is not None:
        raise InvalidUseError(f"{described(operation)} cannot be erased: {message}")


def _is_part(operation: MLIRObject, whole: MLIRObject) -> bool:
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


def _check_replacements(
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
        if _is_part(owner.operation, replaced):
            message = f"{described(replaced)} cannot be replaced by a value of its own"
            raise InvalidUseError(message)


def _free(
    erasures: Erasures,
    match: _Match | None,
    operation: MLIRObject,
    erase: Callable[[], None],
) -> None:
    """Let MLIR erase `operation`; handles to it become invalid."""
    matched = None if match is None else match.present
    takes_matched = matched is not None and _is_part(matched, operation)
    erasures.note_freed(operation)
    erase()
    _invalidate(operation)
    if match is not None and takes_matched:
        match.is_erased = True
        _invalidate(matched)
        match.end()


def _invalidate(operation: MLIRObject) -> None:
    operation._set_invalid()  # noqa: SLF001 - its only name
