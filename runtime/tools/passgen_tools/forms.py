"""The forms of IR that passes declare, verified while they run.

    verifier = verify_forms(manager)
    manager.run(module)
    verifier.violations

A form is verified on the operation of the pass: what the pass needs before it, and what
it gives after it, if its needs were met. What other passes need is looked at after each
pass, so that a need which is not met says after which pass the form held no more.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from pkgutil import resolve_name
from typing import TypeAlias

from passgen_runtime.context import Context, Operation
from passgen_runtime.diagnostics import UNKNOWN_LOCATION, Diagnostic
from passgen_runtime.errors import PassError, text_of
from passgen_runtime.forms import NO_FORMS, Form, FormRules
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_instrumentation import PassInstrumentation, PipelineParentInfo
from passgen_runtime.pass_manager import PassExecution, PassManager
from passgen_tools.ir_libraries import inspector_of

_Faults: TypeAlias = dict[Form, tuple[str, str]]
"""The forms that do not hold, each with its first fault and the fault's place."""


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
        self._inspector = inspector_of(context)
        self._needed = dict.fromkeys(needed)
        self._before: list[tuple[_Faults, FormRules]] = []
        self._last: tuple[Hashable, _Faults] | None = None
        self._held: set[tuple[Hashable, Form]] = set()
        self._lost: dict[tuple[Hashable, Form], str] = {}

    def run_before_pipeline(self, _anchor: str, parent: PipelineParentInfo) -> None:
        """Forget what an earlier run has left."""
        if parent.is_outermost:
            self._before, self._last, self._held, self._lost = [], None, set(), {}

    def run_before_pass(self, pass_: Pass, operation: Operation) -> None:
        """Look at the forms that the pass needs, although it may be skipped."""
        needs, key = pass_.forms.needs, self._context.key(operation)
        if self._last and self._last[0] == key and {*needs} <= self._needed.keys():
            faults = self._last[1]
        else:
            faults = self._faults(operation, needs)
        self._last = None
        self._before.append((faults, NO_FORMS))

    def execute(self, action: PassExecution, run: Callable[[], bool]) -> None:
        """Report the needs that are not met of a pass that is not skipped; run it."""
        faults, pass_ = self._before[-1][0], action.pass_
        self._before[-1] = faults, pass_.forms
        for form in pass_.forms.needs:
            if form in faults:
                self._report(pass_, action.operation, "needs", form, faults)
        run()

    def run_after_pass(self, pass_: Pass, operation: Operation) -> None:
        """Report what the pass does not give, and note what it has lost."""
        before, rules = self._before.pop()
        faults = self._faults(operation, rules.gives)
        self._last = self._context.key(operation), faults
        for form in rules.gives if before.keys().isdisjoint(rules.needs) else ():
            if form in faults:
                self._report(pass_, operation, "gives", form, faults)
        for form in faults.keys() - before.keys():
            for around in self._around(operation, form):
                key = self._context.key(around), form
                if key in self._held:
                    self._held.remove(key)
                    self._lost[key] = f"until '{_title(pass_)}'{_promise(rules, form)}"

    def run_after_pass_failed(self, _pass: Pass, _operation: Operation) -> None:
        """Forget the state before the pass."""
        self._before.pop()
        self._last = None

    def _around(self, operation: Operation, form: Form) -> Iterator[Operation]:
        """Yield the operations that lose `form` if `operation` does."""
        around: Operation | None = operation
        while around is not None:
            yield around
            around = None if form.check else self._context.parent(around)

    def _loss(self, operation: Operation, form: Form) -> Iterator[str]:
        """Yield until which pass `form` held, of `operation` or of one around it."""
        for around in self._around(operation, form):
            key = self._context.key(around), form
            of = "" if around is operation else f" of {self._context.describe(around)}"
            if key in self._lost:
                yield f"it held{of} {self._lost[key]}"
            if key in self._lost.keys() | self._held:
                return

    def _faults(self, operation: Operation, forms: Iterable[Form]) -> _Faults:
        """Return the faults of `operation`, by one walk for all forms.

        Args:
            operation: of a pass.
            forms: those of the pass, besides those that passes of the run need.
        """
        found: _Faults = {}
        inside: dict[str, Operation] | None = None
        for form in self._needed | dict.fromkeys(forms):
            if form.check:
                if text := self._first_text(form, operation):
                    found[form] = text, self._context.location(operation)
                continue
            if inside is None:
                inside = self._inspector.first_operations(operation)
            for name, first in inside.items():
                if not _allows(form, name):
                    found[form] = self._fault(first)
                    break
        key = self._context.key(operation)
        for form in self._needed.keys() - found.keys():
            self._held.add((key, form))
            self._lost.pop((key, form), None)
        return found

    def _first_text(self, form: Form, operation: Operation) -> str:
        """Return the first fault that the function of `form` finds; empty if none.

        Raises:
            PassError: it cannot be imported, raises an exception, or returns no texts.
        """
        try:
            return _first_text_of(resolve_name(form.check)(operation))
        except (Exception, SystemExit) as error:  # of the user's own code: chained
            raised = f"raised {type(error).__name__}: {text_of(error)}"
            message = f"'{form.check}', which checks form '{form.name}', {raised}"
            note = f"on {self._context.describe(operation)}"
            raise PassError(f"{message}\nnote: {note}") from error

    def _fault(self, operation: Operation) -> tuple[str, str]:
        """Return an operation as text, and its place or the nearest one around it."""
        what = self._context.describe(operation)
        place = self._context.location(operation)
        around = self._context.parent(operation)
        if place != UNKNOWN_LOCATION or around is None:
            return what, place
        outer, place = self._fault(around)
        return f"{what} in {outer}", place

    def _report(
        self, pass_: Pass, operation: Operation, verb: str, form: Form, faults: _Faults
    ) -> None:
        what, place = faults[form]
        where = self._context.describe(operation)
        claim = f"pass '{_title(pass_)}' {verb} '{form.name}' of {where}"
        texts = [f"'{form.name}': {form.summary}"] if form.summary else []
        if verb == "needs":
            texts += self._loss(operation, form)
        notes = tuple(Diagnostic("note", text, place) for text in texts)
        violation = Diagnostic("error", f"{claim}: found {what}", place, notes)
        self.violations.append(violation)
        self._context.handle(violation)


def verify_forms(manager: PassManager) -> FormVerifier:
    """Let all runs of `manager` verify forms, in one thread; return the verifier."""
    needed = (form for pass_ in manager.passes() for form in pass_.forms.needs)
    verifier = FormVerifier(manager.context, needed)
    manager.disable_multithreading()
    manager.add_instrumentation(verifier)
    manager.add_action_handler(verifier.execute)
    return verifier


def declares_forms(manager: PassManager) -> bool:
    """Return whether a pass of `manager` declares anything about forms."""
    return any(pass_.forms != NO_FORMS for pass_ in manager.passes())


def _title(pass_: Pass) -> str:
    return pass_.argument or pass_.name


def _promise(rules: FormRules, form: Form) -> str:
    """Return the promise about `form` of a pass that has lost it, as a clause."""
    for said, forms in (("keeps", rules.keeps), ("breaks", rules.breaks)):
        if form in forms:
            return f", which declares that it {said} it"
    if rules.creates is None or not form.absent:
        return ""
    may_create = any(
        f"{own}.".startswith(f"{name}.") or f"{name}.".startswith(f"{own}.")
        for own in rules.creates
        for name in form.absent
    )
    return "" if may_create else ", which declares that it creates no such operation"


def _allows(form: Form, name: str) -> bool:
    """Return whether an operation called `name` may be where `form` holds."""
    names = form.absent or form.only
    is_named = name in names or name.partition(".")[0] in names
    return is_named == bool(form.only)


def _first_text_of(found: str | Iterable[str | None] | None) -> str:
    """Return the first text that is not empty among what a function has returned.

    Raises:
        TypeError: there is anything but texts before it.
    """
    for text in (found,) if found is None or isinstance(found, str) else found:
        if not isinstance(text, str | None):
            raise TypeError(f"expected texts, found {text!r}")
        if text:
            return text
    return ""
