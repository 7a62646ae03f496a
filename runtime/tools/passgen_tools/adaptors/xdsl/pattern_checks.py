"""Checks around attempts to apply patterns to xDSL's IR.

An attempt is compared with the IR before it. The operation, those that it uses and that
use it, and its neighbours are compared always. All operations inside that of the pass
are, while they are few: each attempt earns a few comparisons, so that an audit takes
time in proportion to the attempts. Of a pattern that is tried more than 1,000 times,
it looks at a third of the later attempts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from xdsl.ir import Block, ErasedSSAValue, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriterListener

from passgen_runtime.context import Context
from passgen_runtime.errors import IRError, PassError
from passgen_runtime.instrumentations.pattern_hooks import (
    MayLeaveInvalidIR,
    PatternAttempt,
)
from passgen_tools.adaptors.pattern_checks import (
    BY_REWRITER,
    CHANGES_NOTHING,
    CHANGES_SOMETHING,
    NO_USE_OF_ERASED,
    UNDOES_NOTHING,
    VALID_BETWEEN,
    Finding,
    PatternChecks,
)
from passgen_tools.adaptors.xdsl.ir_comparison import Events, IRBefore, suspects_of
from passgen_tools.adaptors.xdsl.rewrite_history import (
    Chain,
    RewriteHistory,
    Stamp,
    stamp_of,
    state_of,
)

_FIRST_COMPARISONS: Final = 10_000
"""The comparisons with which an audit begins."""

_COMPARISONS_PER_ATTEMPT: Final = 2

_MANY_ATTEMPTS: Final = 1_000
"""The attempts of a pattern all of which are looked at; later, some in a row are."""

_IN_A_ROW, _PERIOD = 100, 300


class PatternLoopError(PassError):
    """Patterns undo one another without end."""


class XDSLPatternChecks(PatternChecks):
    """Looks at attempts to apply patterns to xDSL's IR."""

    def __init__(self, context: Context) -> None:
        """Begin without operations."""
        self._context = context
        self._comparisons = _FIRST_COMPARISONS
        self._num_operations: int | None = None
        self._num_attempts: Counter[str] = Counter()
        self._open: list[Events] = []
        """The events of the attempts that are being made, one inside another."""

        self._gone: set[Operation] = set()
        self._invalid: set[Operation] = set()
        self._history = RewriteHistory()
        self._listener = PatternRewriterListener(
            operation_insertion_handler=[self._on_insertion],
            operation_modification_handler=[self._on_modification],
            operation_removal_handler=[self._on_removal],
            operation_replacement_handler=[self._on_replacement],
        )

    def forget(self) -> None:
        """Forget the operations of the last pass."""
        self._num_operations = None
        self._gone.clear()
        self._invalid.clear()
        self._history = RewriteHistory()

    def around(self, attempt: PatternAttempt, found: list[Finding]) -> bool:
        """Make an attempt; see `PatternChecks`."""
        self._num_attempts[attempt.pattern] += 1
        number = self._num_attempts[attempt.pattern]
        if number > _MANY_ATTEMPTS and number % _PERIOD >= _IN_A_ROW:
            return attempt.run()
        operation, rewriter = attempt.operation, attempt.rewriter
        self._listen(rewriter)
        before = IRBefore(operation, self._whole(attempt.pass_.operation))
        events = Events()
        self._open.append(events)
        is_applied = False
        try:
            is_applied = attempt.run()
        except Exception:
            found += self._uses_of_erased(events, list(before.changed()))
            raise
        finally:
            self._open.pop()
            if self._open:
                self._open[-1].add(events)
        if not is_applied:
            found += self._hidden_changes(before, events)
            return False
        found += self._judge(attempt, before, events)
        return True

    def _whole(self, root: Operation) -> Operation | None:
        """Return the operation to compare all inside of, `None` to save time."""
        if self._num_operations is None:
            self._num_operations = sum(1 for _ in root.walk())
        self._comparisons += _COMPARISONS_PER_ATTEMPT
        if self._comparisons < self._num_operations:
            return None
        self._comparisons -= self._num_operations
        return root

    def _judge(
        self, attempt: PatternAttempt, before: IRBefore, events: Events
    ) -> Iterator[Finding]:
        """Yield what was wrong in an attempt that reports success."""
        changed = list(before.changed())
        if (equal := self._replaced_by_its_equal(before, events)) is not None:
            what = f"reports success, but replaces {self._name(equal)} by its equal"
            yield Finding(CHANGES_SOMETHING, what)
            return
        if self._has_changed_nothing(before, events, changed):
            yield Finding(CHANGES_SOMETHING, "reports success, but changes nothing")
            return
        yield from self._changes_past_rewriter(before, events, changed)
        misuses = list(self._uses_of_erased(events, changed))
        yield from misuses
        if not misuses and not isinstance(attempt.pass_, MayLeaveInvalidIR):
            yield from self._invalid_results(before, events, changed)
        yield from self._undone(attempt, before, events, changed)

    def _replaced_by_its_equal(
        self, before: IRBefore, events: Events
    ) -> Operation | None:
        """Return an operation whose replacement by its equal is all that was done."""
        if len(events.erased) > len(events.replaced) + len(events.temporary):
            return None
        for old, (state, values) in events.replaced.items():
            # The regions of the operation may have moved to the new one.
            is_first = old is before.operation
            known = state._replace(regions=before.regions) if is_first else state
            new = _new_owner(values, events)
            if new is None or not self._history.is_equal(known, state_of(new)):
                return None
        return next(iter(events.replaced), None)

    @staticmethod
    def _has_changed_nothing(
        before: IRBefore, events: Events, changed: Sequence[Operation]
    ) -> bool:
        if events.inserted or events.replaced or changed:
            return False
        if len(events.erased) > len(events.temporary):
            return False
        known = before.stamps.keys() | events.temporary
        is_known = events.modified.keys() <= known
        return is_known and not before.has_other_shape()

    def _hidden_changes(self, before: IRBefore, events: Events) -> Iterator[Finding]:
        changed = next(before.changed(), None) or next(iter(events.modified), None)
        if changed is not None:
            what = f"does not match, but changes {self._name(changed)}"
        elif (erased := next(before.erased(), None)) is not None:
            what = f"does not match, but erases {self._name(erased)}"
        elif (added := next(before.added(), None)) is not None:
            what = f"does not match, but adds {self._name(added)}"
        elif events or before.has_other_shape():
            what = "does not match, but adds, erases or moves operations or blocks"
        else:
            return
        yield Finding(CHANGES_NOTHING, what)

    def _changes_past_rewriter(
        self, before: IRBefore, events: Events, changed: Sequence[Operation]
    ) -> Iterator[Finding]:
        for each in changed:
            if not events.knows(each) and not _follows(before.stamps[each], each):
                what = f"changes {self._name(each)} without `notify_op_modified`"
                yield Finding(BY_REWRITER, what)
                return
        for each in before.erased():
            if not events.knows(each):
                what = f"erases {self._name(each)} without its rewriter"
                yield Finding(BY_REWRITER, what)
                return
        for each in before.added():
            if not events.knows(each):
                what = f"adds {self._name(each)} without its rewriter"
                yield Finding(BY_REWRITER, what)
                return

    def _uses_of_erased(
        self, events: Events, changed: Sequence[Operation]
    ) -> Iterator[Finding]:
        for each in events.misused:
            what = f"changes {self._name(each)}, which was erased before"
            yield Finding(NO_USE_OF_ERASED, what)
            return
        for each, attributes in events.erased.items():
            if each.parent is None and _attributes(each) != attributes:
                what = f"changes {self._name(each)}, which it has erased"
                yield Finding(NO_USE_OF_ERASED, what)
                return
        for each in (*events.inserted, *events.modified, *changed):
            if each.parent is None:
                continue
            for operand in each.operands:
                if self._is_gone(operand):
                    user = self._name(each)
                    what = f"leaves {user} with a value of an operation that is gone"
                    yield Finding(NO_USE_OF_ERASED, what)
                    return

    def _is_gone(self, value: SSAValue) -> bool:
        if isinstance(value, ErasedSSAValue):
            return True
        owner = value.owner
        return isinstance(owner, Operation) and (
            owner in self._gone and owner.parent is None
        )

    def _invalid_results(
        self, before: IRBefore, events: Events, changed: Sequence[Operation]
    ) -> Iterator[Finding]:
        """Yield the first operation that an attempt has left invalid."""
        suspects = suspects_of(before, events, changed)
        for each, is_new in suspects.items():
            is_detached = each.parent is None and each is not before.whole
            if is_detached or each in self._invalid:
                continue
            try:
                each.verify(verify_nested_ops=is_new)
            except Exception:  # noqa: BLE001 - of a verifier; the context words it
                self._invalid.add(each)
                reason = self._reason(each, is_recursive=is_new)
                yield Finding(VALID_BETWEEN, f"leaves invalid IR: {reason}")
                return

    def _reason(self, operation: Operation, *, is_recursive: bool) -> str:
        try:
            self._context.verify(operation, recursive=is_recursive)
        except IRError as error:
            diagnostic = error.diagnostic
            return f"{diagnostic.location}: {diagnostic.message}"
        return self._name(operation)

    def _undone(
        self,
        attempt: PatternAttempt,
        before: IRBefore,
        events: Events,
        changed: Sequence[Operation],
    ) -> Iterator[Finding]:
        history, pattern = self._history, attempt.pattern
        history.note_new(events.inserted)
        chains: list[tuple[Chain, str]] = []
        for old, (state, values) in events.replaced.items():
            new = _new_owner(values, events)
            if new is not None:
                chains.append(history.replace(old, state, new, pattern))
        operation = attempt.operation
        if operation in changed and operation not in events.replaced:
            old_stamp = before.stamps[operation]
            chains.append(history.modify(operation, old_stamp, pattern))
        for chain, undone in chains:
            if not undone:
                continue
            what = f"undoes what '{undone}' has done to {self._name(chain.origin)}"
            yield Finding(UNDOES_NOTHING, what, chain.origin)
            if chain.is_endless:
                others = "itself" if undone == pattern else f"'{undone}'"
                times = f"{chain.num_undone} times, and the audit ends it"
                raise PatternLoopError(f"pattern '{pattern}' undoes {others} {times}")

    def _name(self, operation: Operation) -> str:
        return self._context.describe(operation)

    # The listener of rewriters.

    def _listen(self, rewriter: PatternRewriter) -> None:
        if self._on_removal not in rewriter.operation_removal_handler:
            rewriter.extend_from_listener(self._listener)

    def _on_insertion(self, operation: Operation) -> None:
        self._gone.discard(operation)
        if self._open:
            self._open[-1].inserted[operation] = None

    def _on_modification(self, operation: Operation) -> None:
        if self._open:
            self._note_misuse(operation)
            self._open[-1].modified[operation] = None

    def _on_removal(self, operation: Operation) -> None:
        inside = operation.walk() if operation.regions else (operation,)
        if self._open:
            self._note_misuse(operation)
        for each in inside:
            self._gone.add(each)
            if self._open:
                self._open[-1].note_erased(each, _attributes(each))

    def _on_replacement(
        self, operation: Operation, values: Sequence[SSAValue | None]
    ) -> None:
        if self._open:
            self._note_misuse(operation)
            self._open[-1].replaced[operation] = state_of(operation), list(values)

    def _note_misuse(self, operation: Operation) -> None:
        if operation in self._gone and operation.parent is None:
            self._open[-1].misused.append(operation)


def _attributes(operation: Operation) -> tuple[object, ...]:
    return (*operation.attributes.items(), *operation.properties.items())


def _follows(stamp: Stamp, operation: Operation) -> bool:
    """Return whether an operation has changed because others have.

    Where a block is inlined, or a value gets another type, rewriters do not report the
    operations whose operands they replace.
    """
    _, old_operands, *old_rest = stamp
    _, operands, *rest = stamp_of(operation)
    if old_rest != rest or len(old_operands) != len(operands):
        return False
    pairs = zip(old_operands, operands, strict=True)
    return all(old is new or _is_followed(old, new) for old, new in pairs)


def _is_followed(old: SSAValue, new: SSAValue) -> bool:
    """Return whether no rewriter reports that one value has taken another's place."""
    if isinstance(new, ErasedSSAValue):
        return True
    owner = old.owner
    if isinstance(owner, Block):
        return owner.parent is None or all(each is not old for each in owner.args)
    return owner.parent is not None and all(each is not old for each in owner.results)


def _new_owner(values: Sequence[SSAValue | None], events: Events) -> Operation | None:
    """Return the new operation that replaces another one."""
    if not values:  # which new operation it is cannot be known if there are several
        return next(iter(events.inserted)) if len(events.inserted) == 1 else None
    owner = None if values[0] is None else values[0].owner
    return owner if isinstance(owner, Operation) and owner in events.inserted else None
