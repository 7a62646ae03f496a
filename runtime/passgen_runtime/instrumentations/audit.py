"""Audit: finds the passes that break the rules for pass authors.

The rules are those of "Operation Pass" of MLIR's PassManagement page. A pass that
breaks one may work until threads, another order or another pipeline show otherwise.

    audit = enable_audit(manager)
    manager.run(module)
    for violation in audit.violations:
        print(violation)

An audited run looks at all IR around each pass: it is slow, and has one thread.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from passgen_runtime.analysis_manager import AnalysisManager
from passgen_runtime.context import Context, Operation
from passgen_runtime.errors import Diagnostic, PassError
from passgen_runtime.instrumentations.pass_state import class_state, instance_state
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import PassInstrumentation

if TYPE_CHECKING:
    from passgen_runtime.pass_manager import PassManager

ONLY_INSIDE = "a pass changes nothing but what is nested in its operation"
ONLY_ATTRIBUTES = "of its operation itself, a pass changes the attributes only"
NO_STATE = "a pass keeps no state from one operation to the next"
DECLARED_DIALECTS = "a pass declares the dialects whose entities it may create"
TRUE_CLAIMS = "a pass preserves only those analyses that are still right"
COPIED = "a pass can be copied, and its copy has the same options"


class AuditError(PassError):
    """The audited passes broke rules."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A pass broke a rule on an operation."""

    pass_name: str
    operation: str
    """Name, symbol and location."""

    location: str
    rule: str
    found: str
    """What the pass did."""

    @property
    def diagnostic(self) -> Diagnostic:
        """The violation as an error at the operation."""
        message = f"pass '{self.pass_name}' on {self.operation} {self.found}"
        note = Diagnostic("note", f"the rule: {self.rule}", self.location)
        return Diagnostic("error", message, self.location, (note,))

    def __str__(self) -> str:
        """Return the text of the diagnostic."""
        return str(self.diagnostic)


_Outside: TypeAlias = list[tuple[Operation, str, bytes]]
"""Operations around the audited one, with what they are called and a fingerprint."""


class Audit(PassInstrumentation):
    """Compares what is there before and after each pass."""

    def __init__(self, context: Context) -> None:
        """Start without violations."""
        self.violations: list[Violation] = []
        self._context = context
        self._before: list[_Snapshot] = []
        self._copied: set[int] = set()
        self._thread_id = threading.get_ident()

    def check(self) -> None:
        """Raise what was found, if anything.

        Raises:
            AuditError: passes broke rules; one a line, with its note.
        """
        if self.violations:
            raise AuditError("\n".join(map(str, self.violations)))

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Look at everything that the pass must leave alone."""
        if not self._before:
            self._thread_id = threading.get_ident()
        elif self._thread_id != threading.get_ident():
            message = "an audited run has one thread: disable multithreading"
            raise AuditError(message)
        self._before.append(_Snapshot(self._context, pass_, operation))

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        """Report what the pass did to it, and whether its claims are true."""
        before = self._before.pop()
        found = [
            *before.changes(),
            *self._copy_problems(pass_),
            *before.false_claims(),
        ]
        self._report(before, pass_, operation, found)

    def run_after_pass_failed(self, pass_: Pass, operation: Operation) -> None:
        """Report what the pass did before it failed."""
        before = self._before.pop()
        self._report(before, pass_, operation, [*before.changes()])

    def _report(
        self,
        before: _Snapshot,
        pass_: Pass,
        operation: Operation,
        found: list[tuple[str, str]],
    ) -> None:
        del operation
        for rule, what in found:
            violation = Violation(
                pass_.argument or pass_.name,
                before.description,
                before.location,
                rule,
                what,
            )
            self.violations.append(violation)
            self._context.handle(violation.diagnostic)

    def _copy_problems(self, pass_: Pass) -> Iterator[tuple[str, str]]:
        if id(pass_) in self._copied:
            return
        self._copied.add(id(pass_))
        try:
            is_same = str(pass_.clone()) == str(pass_)
        except Exception as error:  # noqa: BLE001 - of the pass's own: reported
            yield COPIED, f"cannot be copied: {type(error).__name__}: {error}"
            return
        if not is_same:
            yield COPIED, "has other options in its copy"


class _Snapshot:
    """What there was before a pass."""

    def __init__(self, context: Context, pass_: Pass, operation: Operation) -> None:
        self.description = context.describe(operation)
        self.location = context.location(operation)
        self._context = context
        self._pass = pass_
        self._operation = operation
        self._root = _root(context, operation)
        self._outside = list(_outside(context, operation))
        self._frame = context.frame(operation)
        self._fingerprint = context.fingerprint(operation, with_locations=False)
        self._dialects = context.used_dialects(self._root)
        self._instance_state = instance_state(pass_)
        self._class_state = class_state(type(pass_))

    def changes(self) -> Iterator[tuple[str, str]]:
        """Yield the rule and the finding for all that changed and must not."""
        yield from self._changes_outside()
        context = self._context
        if context.frame(self._operation) != self._frame:
            what = "changed its operands, its results or its place"
            yield ONLY_ATTRIBUTES, what
        yield from _state_changes("", self._instance_state, instance_state(self._pass))
        yield from _state_changes(
            "class ", self._class_state, class_state(type(self._pass))
        )
        declared = set(self._pass.get_dependent_dialects())
        new = context.used_dialects(self._operation) - self._dialects - declared
        for dialect in sorted(new):
            entities = f"entities of the dialect '{dialect}'"
            yield DECLARED_DIALECTS, f"created {entities}, which it does not declare"

    def false_claims(self) -> Iterator[tuple[str, str]]:
        """Yield the rule and the finding for each analysis wrongly preserved."""
        context = self._context
        after = context.fingerprint(self._operation, with_locations=False)
        if after == self._fingerprint:
            return
        state = self._pass.state
        if state.last_preserved.is_all:
            yield TRUE_CLAIMS, "preserved all analyses, and changed its operation"
        if not state.has_analyses:
            return
        manager = state.analysis_manager
        anew = AnalysisManager(self._operation, self._context, parent=manager.parent)
        for analysis, kept in manager.cached().items():
            can_compare = any("__eq__" in vars(cls) for cls in analysis.__mro__[:-1])
            if can_compare and anew.get_analysis(analysis) != kept:
                what = f"preserved '{analysis.__name__}', which is no longer right"
                yield TRUE_CLAIMS, what

    def _changes_outside(self) -> Iterator[tuple[str, str]]:
        after = dict[Operation, bytes]()
        descriptions = dict[Operation, str]()
        if _root(self._context, self._operation) is self._root:
            around = _outside(self._context, self._operation)
        else:
            # It was taken out: look at where it was.
            around = _inside_but(self._context, self._root, self._outside)
        for operation, description, fingerprint in around:
            after[operation] = fingerprint
            descriptions[operation] = description
        for operation, description, fingerprint in self._outside:
            if operation not in after:
                yield ONLY_INSIDE, f"erased or moved {description}"
            elif after[operation] != fingerprint:
                yield ONLY_INSIDE, f"changed {description}"
        known = {operation for operation, _, _ in self._outside}
        for operation, description in descriptions.items():
            if operation not in known:
                yield ONLY_INSIDE, f"added {description}"


def enable_audit(manager: PassManager) -> Audit:
    """Let all runs of `manager` be audited, in one thread; return what finds out."""
    audit = Audit(manager.context)
    manager.disable_multithreading()
    manager.add_instrumentation(audit)
    return audit


def _root(context: Context, operation: Operation) -> Operation:
    while (parent := context.parent(operation)) is not None:
        operation = parent
    return operation


def _outside(
    context: Context, operation: Operation
) -> Iterator[tuple[Operation, str, bytes]]:
    """Yield ancestors without, and their other children with, what is inside them."""
    while (parent := context.parent(operation)) is not None:
        yield parent, context.describe(parent), context.shallow_fingerprint(parent)
        for sibling in context.children(parent):
            if sibling is not operation and sibling != operation:
                yield sibling, context.describe(sibling), _digest(context, sibling)
        operation = parent


def _inside_but(
    context: Context, root: Operation, known: _Outside
) -> Iterator[tuple[Operation, str, bytes]]:
    """Yield what of `known` is still in `root`, as `_outside` does."""
    ancestors = [each for each, _, _ in known if _has_known_child(context, each, known)]
    for operation, _, _ in known:
        if _root(context, operation) is root:
            is_ancestor = operation is root or operation in ancestors
            digest = (
                context.shallow_fingerprint(operation)
                if is_ancestor
                else _digest(context, operation)
            )
            yield operation, context.describe(operation), digest


def _has_known_child(context: Context, operation: Operation, known: _Outside) -> bool:
    return any(context.parent(each) is operation for each, _, _ in known)


def _digest(context: Context, operation: Operation) -> bytes:
    return context.shallow_fingerprint(operation) + context.fingerprint(operation)


def _state_changes(
    kind: str, before: dict[str, object], after: dict[str, object]
) -> Iterator[tuple[str, str]]:
    for name in before.keys() | after.keys():
        if name not in before or name not in after or before[name] != after[name]:
            yield NO_STATE, f"changed its {kind}attribute '{name}'"
