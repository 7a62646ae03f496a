"""The forms of IR that passes declare, verified while they run.

    verifier = verify_forms(manager)
    manager.run(module)
    verifier.violations

A form is verified on the operation of the pass: what the pass needs before it, and what
it gives after it, if its needs were met. What other passes need is looked at after each
pass, so that a need which is not met says after which pass the form held no more.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Final, NamedTuple, TypeAlias

from passgen_rules.forms import Promise
from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import UNKNOWN_LOCATION, Diagnostic
from passgen_runtime.errors import PassError, text_of
from passgen_runtime.forms import NO_FORMS, Form, FormRules
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import PassInstrumentation, PipelineParentInfo
from passgen_runtime.pass_manager import PassExecution, PassManager, Runner
from passgen_tools.ir_libraries import inspector_of

_PROMISES: Final[dict[Promise | None, str]] = {
    "gives": ", which declares that it gives it",
    "keeps": ", which declares that it keeps it",
    "breaks": ", which declares that it breaks it",
    "creates": ", which declares that it creates no such operation",
    None: "",
}
"""What a pass that has lost a form had declared about it, as a clause."""


class FormCheckError(PassError):
    """The function that checks a form cannot be used; its exception is chained."""


@dataclass(frozen=True)
class _Fault:
    """The first thing because of which a form does not hold."""

    text: str
    place: str
    what: str
    """The text without a place: that of a check, or the name of an operation."""


_Faults: TypeAlias = dict[Form, _Fault]
"""The forms that do not hold of an operation."""


@dataclass
class _RunningPass:
    """A pass that has begun and not ended."""

    faults_before: _Faults
    rules: FormRules = NO_FORMS
    """What it declares; nothing as long as the pass may be skipped."""


@dataclass(frozen=True)
class _Look:
    """What was found on an operation after a pass."""

    operation_key: Hashable
    faults: _Faults


class _FormViolation(NamedTuple):
    """One operation that does not have a form."""

    operation: str
    fault: _Fault
    loss: str
    """Until when it had the form; empty if that is unknown."""


class FormVerifier(PassInstrumentation):
    """Verifies the forms that passes need and give; a violation ends no run."""

    def __init__(self, context: Context, needed: Iterable[Form]) -> None:
        """Start without violations.

        Args:
            context: of the IR.
            needed: the forms whose loss is noted, because passes of the run need them.
        """
        self.violations: list[Diagnostic] = []
        self._context = context
        self._finder = _FaultFinder(context)
        self._needed = dict.fromkeys(needed)
        self._start()

    def _start(self) -> None:
        self._found: dict[tuple[str, Form, str, str], list[_FormViolation]] = {}
        self._running: list[_RunningPass] = []
        self._history = _FormHistory(self._context)
        self._last_look: _Look | None = None
        """The look after the last pass, as long as no other pass has begun."""

    def run_before_pipeline(self, _anchor: str, parent: PipelineParentInfo) -> None:
        """Forget what an earlier run has left."""
        if parent.is_outermost:
            self._start()

    def run_after_pipeline(self, _anchor: str, parent: PipelineParentInfo) -> None:
        """Report one violation for each claim of a pass, fault and loss of a form."""
        if not parent.is_outermost:
            return
        for (claim, form, _, _), (first, *others) in self._found.items():
            where, fault = first.operation, first.fault
            count = also_on([other.operation for other in others]) if others else ""
            summary = f"'{form.name}': {form.summary}" if form.summary else ""
            texts = filter(None, (count, summary, first.loss))
            notes = tuple(Diagnostic("note", text, fault.place) for text in texts)
            message = f"{claim} '{form.name}' of {where}: found {fault.text}"
            violation = Diagnostic("error", message, fault.place, notes)
            self.violations.append(violation)
            self._context.handle(violation)
        self._found.clear()

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Look at the forms that the pass needs, although it may be skipped."""
        needs = pass_.forms.needs
        faults = self._known_faults(operation, needs)
        if faults is None:
            faults = self._look(operation, needs)
        self._last_look = None
        self._running.append(_RunningPass(faults))

    def _known_faults(
        self, operation: Operation, forms: Iterable[Form]
    ) -> _Faults | None:
        """Return the faults of `operation` if a look after the last pass shows them.

        That look was at all forms that passes of the run need.
        """
        look = self._last_look
        if look is None or not self._needed.keys() >= {*forms}:
            return None
        is_there = look.operation_key == self._context.key(operation)
        return look.faults if is_there else None

    def execute(self, action: PassExecution, run: Callable[[], bool]) -> None:
        """Find the needs that are not met, and run the pass: it is not skipped."""
        running = self._running[-1]
        running.rules = action.pass_.forms
        for form in running.rules.needs:
            if fault := running.faults_before.get(form):
                claim = f"pass '{_title(action.pass_)}' needs"
                loss = self._history.loss(action.operation, form)
                self._keep(claim, action.operation, form, fault, loss)
        run()

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        """Find what the pass does not give, and note what it has lost."""
        running = self._running.pop()
        rules, before = running.rules, running.faults_before
        faults = self._look(operation, rules.gives)
        self._last_look = _Look(self._context.key(operation), faults)
        are_needs_met = before.keys().isdisjoint(rules.needs)
        for form in rules.gives if are_needs_met else ():
            if fault := faults.get(form):
                self._keep(f"pass '{_title(pass_)}' gives", operation, form, fault)
        for form in faults.keys() - before.keys():
            until = f"until '{_title(pass_)}'{_PROMISES[rules.promise(form)]}"
            self._history.note_loss(operation, form, until)

    def run_after_pass_failed(self, _pass: Pass, _operation: Operation) -> None:
        """Forget the state before the pass."""
        self._running.pop()
        self._last_look = None

    def _look(self, operation: Operation, forms: Iterable[Form]) -> _Faults:
        """Return the faults of `operation`, and note which forms hold of it.

        Args:
            operation: of a pass.
            forms: those of the pass, besides those that passes of the run need.
        """
        faults = self._finder.faults(operation, self._needed | dict.fromkeys(forms))
        self._history.note_held(operation, self._needed.keys() - faults.keys())
        return faults

    def _keep(
        self,
        claim: str,
        operation: Operation,
        form: Form,
        fault: _Fault,
        loss: str = "",
    ) -> None:
        violation = _FormViolation(self._context.describe(operation), fault, loss)
        key = claim, form, fault.what, loss
        self._found.setdefault(key, []).append(violation)


class _FaultFinder:
    """Finds that operations do not have forms."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._inspector = inspector_of(context)

    def faults(self, operation: Operation, forms: Iterable[Form]) -> _Faults:
        """Return the faults of `operation`, by one walk for all forms."""
        found: _Faults = {}
        inside: dict[str, Operation] | None = None
        for form in forms:
            if form.check:
                if text := self._text_of_check(form, operation):
                    found[form] = _Fault(text, self._context.location(operation), text)
                continue
            if inside is None:
                inside = self._inspector.first_operations(operation)
            for name, first in inside.items():
                if not form.allows(name):
                    found[form] = self._fault_at(first)
                    break
        return found

    def _text_of_check(self, form: Form, operation: Operation) -> str:
        """Return the first fault that the function of `form` finds; empty if none.

        Raises:
            FormCheckError: it cannot be imported, raises, or returns no texts.
        """
        try:
            return _first_text(resolve_name(form.check)(operation))
        except (Exception, SystemExit) as error:  # of the user's own code: chained
            raised = f"raised {type(error).__name__}: {text_of(error)}"
            message = f"'{form.check}', which checks form '{form.name}', {raised}"
            note = f"on {self._context.describe(operation)}"
            raise FormCheckError(f"{message}\nnote: {note}") from error

    def _fault_at(self, operation: Operation) -> _Fault:
        """Return an operation as a fault, at its place or the nearest one around it."""
        text, name = self._context.describe(operation), self._context.name(operation)
        place = self._context.location(operation)
        parent = self._context.parent(operation)
        if place != UNKNOWN_LOCATION or parent is None:
            return _Fault(text, place, name)
        around = self._fault_at(parent)
        return _Fault(f"{text} in {around.text}", around.place, name)


class _FormHistory:
    """Of which operations forms were seen to hold, and until which pass."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._held: set[tuple[Hashable, Form]] = set()
        self._lost: dict[tuple[Hashable, Form], str] = {}

    def note_held(self, operation: Operation, forms: Iterable[Form]) -> None:
        """Note that `forms` hold of `operation`."""
        key = self._context.key(operation)
        for form in forms:
            self._held.add((key, form))
            self._lost.pop((key, form), None)

    def note_loss(self, operation: Operation, form: Form, until: str) -> None:
        """Note until when `form` held, of `operation` and of what is around it.

        The check of an operation may look at those in it.
        """
        for around in self._context.ancestors(operation):
            held = self._context.key(around), form
            if held in self._held:
                self._held.remove(held)
                self._lost[held] = until

    def loss(self, operation: Operation, form: Form) -> str:
        """Return until when `form` held, of `operation` or of one that it depends on.

        The text is empty if it was never seen to hold, or still holds around.
        """
        ancestors = self._context.ancestors(operation)
        for around in ancestors if form.is_inherited else (operation,):
            held = self._context.key(around), form
            if held in self._held:
                return ""
            if held in self._lost:
                name = self._context.describe(around)
                of = "" if around is operation else f" of {name}"
                return f"it held{of} {self._lost[held]}"
        return ""


def verify_forms(manager: PassManager) -> FormVerifier:
    """Let all runs of `manager` verify forms, in one thread; return the verifier."""
    needed = (form for pass_ in manager.passes() for form in pass_.forms.needs)
    verifier = FormVerifier(manager.context, needed)
    manager.runner = Runner()
    manager.add_instrumentation(verifier)
    manager.add_action_handler(verifier.execute)
    return verifier


def also_on(operations: Sequence[str]) -> str:
    """Return the note about the other operations on which a pass breaks a rule."""
    count = len(operations)
    shown = "operation," if count == 1 else "operations, the first of them"
    return f"also on {count} other {shown} {operations[0]}"


def declares_forms(manager: PassManager) -> bool:
    """Return whether a pass of `manager` declares anything about forms."""
    return any(pass_.forms != NO_FORMS for pass_ in manager.passes())


def _title(pass_: Pass) -> str:
    return pass_.argument or pass_.name


def _first_text(found: str | Iterable[str | None] | None) -> str:
    """Return the first text that is not empty among what a function has returned.

    Raises:
        TypeError: there is anything but texts before it.
    """
    if found is None or isinstance(found, str):
        found = (found,)
    for text in found:
        if not isinstance(text, str | None):
            raise TypeError(f"expected texts, found {text!r}")
        if text:
            return text
    return ""
