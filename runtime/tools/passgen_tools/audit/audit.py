"""The audit: an instrumentation that compares IR and passes around each pass."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakValueDictionary

from passgen_runtime.analysis import AnalysisManager
from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.errors import PassError, text_of
from passgen_runtime.instrumentations.ir_printing import top_level_operation
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import PassInstrumentation, PipelineParentInfo
from passgen_runtime.pass_manager import PassManager, Runner, RunState
from passgen_tools.audit.pass_state import Place, instance_state, shared_state
from passgen_tools.audit.surroundings import IRSurroundings, keeps_objects
from passgen_tools.forms import also_on
from passgen_tools.ir_libraries import inspector_of

ONLY_INSIDE = "a pass changes only its operation, and those nested in it"
ONLY_ATTRIBUTES = "of its operation itself, a pass changes the attributes only"
NO_STATE = "a pass keeps no state from one operation to the next"
DECLARED_DIALECTS = "a pass declares the dialects whose entities it may create"
TRUE_CLAIMS = "a pass preserves only those analyses that are still right"
REPEATABLE = "an idempotent pass has no effect on its own result"
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
    """The effect of the pass that breaks the rule."""

    others: tuple[str, ...] = ()
    """The other operations on which the pass breaks the rule, not reported alone."""

    @property
    def diagnostic(self) -> Diagnostic:
        """The violation as an error at the operation."""
        message = f"pass '{self.pass_name}' on {self.operation} {self.found}"
        texts = [f"the rule: {self.rule}"]
        if self.others:
            texts.insert(0, also_on(self.others))
        notes = tuple(Diagnostic("note", text, self.location) for text in texts)
        return Diagnostic("error", message, self.location, notes)

    def __str__(self) -> str:
        """Return the text of the diagnostic."""
        return str(self.diagnostic)


class Subject(NamedTuple):
    """A pass on an operation: the first fields of a violation."""

    pass_name: str
    operation: str
    """Name, symbol and location."""

    location: str


def subject_of(context: Context, pass_: Pass, operation: Operation) -> Subject:
    """Return a pass and its operation as texts."""
    return Subject(
        pass_name=pass_.argument or pass_.name,
        operation=context.describe(operation),
        location=context.location(operation),
    )


class Audit(PassInstrumentation):
    """Compares the IR and the state of passes before and after each pass."""

    def __init__(self, context: Context) -> None:
        """Start without violations."""
        self.violations: list[Violation] = []
        self.unchecked: dict[str, str] = {}
        """Rules that cannot be checked on this IR, or in part, and the reasons."""

        self._context = context
        self._before: list[_Snapshot] = []
        self._found: dict[tuple[str, str, str], list[Subject]] = {}
        """The subjects of violations by the pass, the rule and the finding."""

        self._copied: WeakValueDictionary[int, Pass] = WeakValueDictionary()
        self._thread_id = threading.get_ident()

    def check(self) -> None:
        """Check that there were no violations.

        Raises:
            AuditError: passes broke rules; the text has a line for each, and its note.
        """
        if self.violations:
            raise AuditError("\n".join(map(str, self.violations)))

    def run_before_pipeline(self, _anchor: str, parent: PipelineParentInfo) -> None:
        """Forget the passes of a run that was interrupted."""
        if parent.is_outermost:
            self._before.clear()

    def run_after_pipeline(self, _anchor: str, parent: PipelineParentInfo) -> None:
        """Report one violation for each pass, rule and finding."""
        if not parent.is_outermost:
            return
        for (_, rule, what), (subject, *others) in self._found.items():
            operations = tuple(other.operation for other in others)
            violation = Violation(*subject, rule, what, operations)
            self.violations.append(violation)
            self._context.handle(violation.diagnostic)
        self._found.clear()

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Record everything that the pass must not change."""
        if not self._before:
            self._thread_id = threading.get_ident()
        elif self._thread_id != threading.get_ident():
            raise AuditError("an audited run has one thread: give it no `Threads`")
        before = _Snapshot(self._context, pass_, operation)
        self._before.append(before)
        self.unchecked |= before.unchecked

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        """Find forbidden changes, and wrong claims about preserved analyses."""
        before = self._before.pop()
        found = [
            *before.changes(),
            *self._copy_problems(pass_),
            *before.false_claims(),
            *self._repetition(pass_, operation),
        ]
        self._keep(before, found)

    def run_after_pass_failed(self, _pass: Pass, _operation: Operation) -> None:
        """Find forbidden changes that the pass made before it failed."""
        before = self._before.pop()
        self._keep(before, [*before.changes()])

    def _keep(self, before: _Snapshot, found: list[tuple[str, str]]) -> None:
        for around in self._before:
            around.excuse(before)
        for rule, what in found:
            subjects = self._found.setdefault(
                (before.subject.pass_name, rule, what), []
            )
            subjects.append(before.subject)

    def _copy_problems(self, pass_: Pass) -> Iterator[tuple[str, str]]:
        if self._copied.get(id(pass_)) is pass_:
            return
        self._copied[id(pass_)] = pass_
        try:
            is_same = str(pass_.clone()) == str(pass_)
        except Exception as error:  # noqa: BLE001 - of the pass's own: reported
            yield COPIED, f"cannot be copied: {type(error).__name__}: {text_of(error)}"
            return
        if not is_same:
            yield COPIED, "has other options in its copy"

    def _repetition(self, pass_: Pass, result: Operation) -> Iterator[tuple[str, str]]:
        if not pass_.idempotent or RunState.of(pass_).outcome == "unfinished":
            return
        context, ir = self._context, self._context.clone(result)
        again, before = PassManager(context, context.name(ir)), context.fingerprint(ir)
        again.add_pass(pass_.clone())
        try:
            again.run(ir)
        except PassError:
            yield REPEATABLE, "fails on its own result"
        if context.fingerprint(ir) != before:
            yield REPEATABLE, "changes its own result"


class _Snapshot:
    """The IR and the state of a pass before it ran.

    Without lasting objects of operations, the IR is compared by its text alone.
    """

    def __init__(self, context: Context, pass_: Pass, operation: Operation) -> None:
        self.subject = subject_of(context, pass_, operation)
        self._context = context
        self._pass = pass_
        self._operation = operation
        self._fingerprint = context.fingerprint(operation, with_locations=False)
        self._inspector = inspector = inspector_of(context)
        self._frame = inspector.frame(operation)
        root = top_level_operation(context, operation)
        self._dialects = inspector.used_dialects(root)
        self._around: IRSurroundings | None = None
        self.unchecked: dict[str, str] = {}
        ir = f"the IR of {type(context).__qualname__}"
        if not (inspector.has_lasting_objects and keeps_objects(context, operation)):
            reason = f"{ir} has no lasting objects of operations"
            self.unchecked = dict.fromkeys((ONLY_INSIDE, ONLY_ATTRIBUTES), reason)
        else:
            self._around = IRSurroundings(context, operation)
            if not self._around.knows_ancestors:
                reason = f"{ir} is not printed without regions, so changes of the "
                reason += "operations around it are not seen"
                self.unchecked[ONLY_INSIDE] = reason
        if inspector.is_native(pass_):
            reason = "C++ says which dialects a native pass creates"
            self.unchecked[DECLARED_DIALECTS] = reason
        self._instance_state, self._shared_state = self._states()

    def changes(self) -> Iterator[tuple[str, str]]:
        """Yield the rule and the finding for each forbidden change."""
        inspector, around = self._inspector, self._around
        if around is not None:
            for what in around.changes():
                yield ONLY_INSIDE, what
            if inspector.frame(self._operation) != self._frame or around.has_moved():
                yield ONLY_ATTRIBUTES, "changed its operands, its results or its place"
        instance, shared = self._states()
        yield from _state_changes(self._instance_state, instance)
        yield from _state_changes(self._shared_state, shared)
        if DECLARED_DIALECTS in self.unchecked:
            return
        declared = set(self._pass.get_dependent_dialects())
        new = inspector.used_dialects(self._operation) - self._dialects - declared
        for dialect in sorted(new):
            entities = f"entities of the dialect '{dialect}'"
            yield DECLARED_DIALECTS, f"created {entities}, which it does not declare"

    def _states(self) -> tuple[dict[Place, object], dict[Place, object]]:
        """Return the state of the pass, and what it shares with others.

        A native pass has none of its author's; the runtime keeps what runs it there.
        """
        if self._inspector.is_native(self._pass):
            return {}, {}
        return instance_state(self._pass), shared_state(type(self._pass))

    def excuse(self, inner: _Snapshot) -> None:
        """Accept the changes of `inner`, a pass that this one ran: they are its own."""
        before = inner._shared_state
        for place, after in inner._states()[1].items():
            if self._shared_state.get(place) == before.get(place):
                self._shared_state[place] = after

    def false_claims(self) -> Iterator[tuple[str, str]]:
        """Yield the rule and the finding for each analysis wrongly preserved."""
        context = self._context
        after = context.fingerprint(self._operation, with_locations=False)
        if after == self._fingerprint:
            return
        state = RunState.of(self._pass)
        if state.last_preserved.is_all or state.outcome == "unchanged":
            yield TRUE_CLAIMS, "preserved all analyses, and changed its operation"
        if not state.has_analyses:
            return
        for manager in state.analysis_manager.with_nested():
            if self._operation in context.ancestors(manager.operation):
                yield from self._false_claims_in(manager)

    def _false_claims_in(self, manager: AnalysisManager) -> Iterator[tuple[str, str]]:
        context, operation = self._context, manager.operation
        is_own = operation is self._operation or operation == self._operation
        of = "" if is_own else f" of {context.describe(operation)}"
        anew = AnalysisManager(operation, context, parent=manager.parent)
        for analysis, kept in manager.cached_analyses().items():
            can_compare = any("__eq__" in vars(cls) for cls in analysis.__mro__[:-1])
            if can_compare and anew.get_analysis(analysis) != kept:
                what = f"preserved '{analysis.__name__}'{of}, which is no longer right"
                yield TRUE_CLAIMS, what


def enable_audit(manager: PassManager) -> Audit:
    """Let all runs of `manager` be audited, in one thread; return the audit."""
    audit = Audit(manager.context)
    manager.runner = Runner()
    manager.add_instrumentation(audit)
    return audit


def _state_changes(
    before: dict[Place, object], after: dict[Place, object]
) -> Iterator[tuple[str, str]]:
    for place in before | after:
        if place not in before or place not in after or before[place] != after[place]:
            yield NO_STATE, f"changed {place}"
