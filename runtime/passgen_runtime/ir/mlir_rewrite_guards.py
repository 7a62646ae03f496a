"""Guards of the bindings' pattern rewriting.

Whoever applies patterns lets MLIR erase and fold what it likes, as native passes do,
and has it call back. MLIR holds addresses of operations all the while, so what a
pattern erases is freed at once, and its handle becomes invalid. What the pass held
before is kept from that: MLIR works on a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from typing import TYPE_CHECKING

from passgen_runtime.ir.mlir_bindings import Bindings, MLIRObject
from passgen_runtime.ir.mlir_graves import (
    InvalidUseError,
    described,
)
from passgen_runtime.ir.mlir_guard_checks import (
    Guard,
    Method,
    erasures_in,
)
from passgen_runtime.ir.mlir_pattern_matches import (
    REWRITING,
    Application,
    Match,
    check_may_be_erased,
    check_no_pattern,
    check_replacements,
    invalidate,
    is_part,
)
from passgen_runtime.ir.mlir_reachability import watched

if TYPE_CHECKING:
    from passgen_runtime.ir.mlir_erasures import Erasures


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


def _apply_greedily(bindings: Bindings, original: Method) -> Method:
    def apply_patterns_and_fold_greedily(
        *args: MLIRObject, **named: MLIRObject
    ) -> None:
        target = args[0] if args else named.get("op", named.get("module"))
        operation: MLIRObject = getattr(target, "operation", None)
        erasures = None if operation is None else erasures_in(bindings, operation)
        if erasures is None:
            original(*args, **named)
            return
        if len(operation.regions) and not erasures.is_isolated(operation):
            message = (
                f"{described(operation)} is not isolated from above: patterns cannot "
                "be applied to it greedily"
            )
            raise InvalidUseError(message)
        with _applying(erasures, Application(operation, is_walk=False)):
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
        with _applying(erasures, Application(operation, is_walk=True)):
            original(op, *args, **named)

    return walk_and_apply_patterns


@contextmanager
def _applying(erasures: Erasures, application: Application) -> Iterator[None]:
    """Let MLIR apply patterns in the block, as it would run a native pass."""
    root = application.root
    check_no_pattern(root, "rewritten by others")
    with erasures.called_by_pass():
        erasures.prepare_native_run(root)
        with erasures.rewriting(root):
            REWRITING.applications.append(application)
            try:
                yield
            finally:
                REWRITING.applications.pop()


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
        held = [each for each in REWRITING.frozen if each.value is not None]
        REWRITING.frozen = [*held, watched(self)]
        return frozen

    return freeze


def _check_not_frozen(patterns: MLIRObject) -> None:
    if any(each.value is patterns for each in REWRITING.frozen):
        message = "the patterns are frozen: make a new set"
        raise InvalidUseError(message)


def _register(bindings: Bindings, original: Method) -> Method:
    def register(self: MLIRObject, name: str, fn: Callable[..., object], /) -> None:
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
    match = Match(rewriter, operation)
    REWRITING.matches.append(match)
    try:
        yield
    finally:
        REWRITING.matches.remove(match)
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
    def erase_op(self: MLIRObject, op: MLIRObject) -> None:
        match = _match_of(bindings, self)
        erased = op.operation
        erasures = erasures_in(bindings, erased)
        if erasures is None:
            original(self, op)
            return
        check_may_be_erased(erasures, match, erased)
        erasures.check_unused(erased)
        _free(erasures, match, erased, lambda: original(self, op))

    return erase_op


def _replace(bindings: Bindings, original: Method) -> Method:
    def replace_op(
        self: MLIRObject, op: MLIRObject, *args: MLIRObject, **named: MLIRObject
    ) -> None:
        match = _match_of(bindings, self)
        replaced = op.operation
        erasures = erasures_in(bindings, replaced)
        if erasures is None:
            original(self, op, *args, **named)
            return
        check_may_be_erased(erasures, match, replaced)
        for new in (*args, *named.values()):
            check_replacements(bindings, replaced, new)
        replace = partial(original, self, op, *args, **named)
        _free(erasures, match, replaced, replace)

    return replace_op


def _match_of(bindings: Bindings, rewriter: MLIRObject) -> Match | None:
    """Return the match that `rewriter` is for, if it is known.

    Raises:
        InvalidUseError: that has ended.
    """
    if not bindings.running:
        return None
    for match in REWRITING.matches:
        if match.rewriter is rewriter:
            return match
    if REWRITING.applications and not REWRITING.matches:
        return None  # of a pattern that was added before there were guards
    message = "the pattern that this rewriter is for has ended"
    raise InvalidUseError(message)


def _free(
    erasures: Erasures,
    match: Match | None,
    operation: MLIRObject,
    erase: Callable[[], None],
) -> None:
    """Let MLIR erase `operation`; handles to it become invalid."""
    matched = None if match is None else match.present
    takes_matched = matched is not None and is_part(matched, operation)
    erasures.note_freed(operation)
    erase()
    invalidate(operation)
    if match is not None and takes_matched:
        match.is_erased = True
        invalidate(matched)
        match.end()
