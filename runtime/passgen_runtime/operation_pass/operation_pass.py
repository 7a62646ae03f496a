"""Passes: the classes that every pass derives from, by hand or by a generated base.

Implements "Operation Pass" and "Pass Failure" of MLIR's PassManagement page.

| a pass that runs on         | derives from    | and defines       |
|-----------------------------|-----------------|-------------------|
| any operation               | `OperationPass` | nothing           |
| one operation type          | `OperationPass` | `anchor`          |
| all types with an interface | `InterfacePass` | `interface`       |
| types of its own choice     | `OperationPass` | `can_schedule_on` |

A pass must not inspect siblings of its operation or operations in them, must change
nothing outside its operation, and must keep no state from one operation to the next:
copies of it may run on many operations, in any order, in several threads.
"""

from __future__ import annotations

import copy
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar, cast

from passgen_runtime.analysis import AnalysisManager, PreservedAnalyses
from passgen_runtime.context import Context, Operation, OperationInfo
from passgen_runtime.diagnostics import Severity
from passgen_runtime.errors import (
    PassInUseError,
    PassOptionError,
    wrong_argument,
)
from passgen_runtime.operation_pass.ownership import (
    PassSequence,
    copy_owned,
    owned_sequences,
)
from passgen_runtime.operation_pass.pass_declaration import (
    PassDeclaration,
    description_of,
    outside_access_by,
    outside_access_of,
)
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.pass_statistics import optional_statistic

RUN_ATTRIBUTES = frozenset(
    {"_initialization", "_state", "_statistics", "dynamic_pipelines"}
)
"""The attributes of a pass that belong to its runs, and not to the pass."""

OptionsT = TypeVar("OptionsT", bound=PassOptions)
A = TypeVar("A")


class PassExecutionState(Protocol):
    """The state of a pipeline's run on an operation, as its passes see it."""

    context: Context
    operation: Operation
    failed: bool
    preserved: PreservedAnalyses | None
    outcome: str
    touched: bool
    """Whether the run looks at the state after the pass; set with any change of it."""

    @property
    def analysis_manager(self) -> AnalysisManager:
        """The analyses of the operation."""

    def run_pipeline(
        self, pass_: Pass, pipeline: PassSequence[Pass], operation: Operation, /
    ) -> bool:
        """Run `pipeline` on `operation` for `pass_`; return whether it succeeded."""


class Pass(PassDeclaration, ABC):
    """A transformation or analysis of an operation: the base of all passes.

    The pass manager that runs it sets `_state`.
    """

    options: PassOptions
    times_skipped = optional_statistic(
        "skipped-unchanged", "Number of runs without need"
    )
    dynamic_pipelines: dict[str, PassSequence[Pass]]
    """The pipelines that the pass has run, by text, with their statistics."""

    _state: PassExecutionState | None = None
    """The state of the run that uses the pass; `bind_all` and `unbind_all` set it."""

    _initialization: object = None
    """The key of the last initialization; see `initialize_pass`."""

    def __new__(cls, *_args: object, **_kwargs: object) -> Self:
        """Give the instance default options, whatever its `__init__` does."""
        if cls.__abstractmethods__:
            raise _missing_method(cls)
        instance = super().__new__(cls)
        if not any(info.is_required for info in cls.options_class.declared_options()):
            instance.options = cls.options_class()
        instance.dynamic_pipelines = {}
        return instance

    @abstractmethod
    def run_on_operation(self) -> None:
        """Do the work of the pass on `self.operation`."""

    def initialize(self, context: Context) -> None:
        """Prepare state that is expensive to compute and the same for all operations.

        Called before any pass of the pipeline runs. Later runs call it again only if
        the passes of the pipeline, the options of passes that override this method, or
        the loaded dialects have changed. An exception aborts the run.
        """

    def reaches_outside(self) -> str:
        """Return the access of the pass beyond the IR; empty if it has none.

        A pipeline that is not trusted, such as that of a reproducer, is refused if one
        of its passes starts programs, or reads or writes files.
        """
        # The options may be of a class that extends the declared one.
        return outside_access_of(type(self)) or outside_access_by(type(self.options))

    def check_context(self, context: Context) -> None:
        """Raise a `PassError` if the pass cannot run on the IR of `context`."""

    def in_context(self, context: Context) -> Pass:
        """Return the pass to run on IR of `context`, which may be the IR library's own.

        Raises:
            MissingImplementationError: the pass is only declared, and the library does
                not have it.
        """
        del context
        return self

    def get_dependent_dialects(self) -> Iterable[str]:
        """Return the dialects to load before the pipeline starts.

        By default, the declared ones, and those of the passes in pass managers that are
        attributes of the pass: its dynamic pipelines.
        """
        dialects = self.dependent_dialects
        for sequence in owned_sequences(self):
            for pass_ in sequence.passes():
                dialects += tuple(pass_.get_dependent_dialects())
        return dialects

    @property
    def description(self) -> str:
        """The text below the first line of the class's docstring, as Markdown."""
        return description_of(type(self))

    def clone(self) -> Self:
        """Return a copy with the same options, fresh statistics and no run state.

        Containers and pass managers in attributes are copied too, so that copies in
        several threads do not share them; other objects are shared, as are containers
        inside of containers.
        """
        duplicate = copy.copy(self)
        attributes = duplicate.__dict__
        for name in RUN_ATTRIBUTES:
            attributes.pop(name, None)
        attributes["options"] = copy.deepcopy(self.options)
        copies: dict[int, object] = {}  # two attributes may share a container
        for name, value in tuple(attributes.items()):
            if id(value) not in copies:
                copies[id(value)] = copy_owned(value)
            attributes[name] = copies[id(value)]
        duplicate.dynamic_pipelines = {}
        return duplicate

    def __str__(self) -> str:
        """Return the pass as a textual pipeline spells it.

        Raises:
            PassOptionError: an option was changed in place to a wrong value.
        """
        options = self.check_options()
        return f"{self._spelling}{{{options}}}" if options else self._spelling

    def __repr__(self) -> str:
        """Return the class, and the text of the pass in a pipeline."""
        try:
            shown = str(self)
        except PassOptionError:
            shown = f"{self._spelling}{{{self.options!r}}}"
        return f"<{type(self).__qualname__} {shown}>"

    def check_options(self) -> str:
        """Return the options as a pipeline spells them.

        Raises:
            PassOptionError: an option was changed in place to a wrong value.
            TypeError: the options are those of another pass.
        """
        type(self).options_class.given_by(self.options, {})
        try:
            return str(self.options)
        except PassOptionError as error:
            error.notes += (f"in the options of '{self._spelling}'",)
            raise

    @property
    def _spelling(self) -> str:
        return self.argument or f"unknown<{self.name}>"

    # These members may be used only while the pass runs on an operation.

    @property
    def state(self) -> PassExecutionState:
        """The state of the run on the current operation."""
        if self._state is None:
            message = f"pass '{self.name}' is not running: it has no operation"
            raise RuntimeError(message)
        return self._state

    @property
    def operation(self) -> Any:  # noqa: ANN401 - the IR library's own object
        """The operation that the pass runs on."""
        return self.state.operation

    @property
    def context(self) -> Context:
        """The context of the IR."""
        return self.state.context

    def signal_pass_failure(self) -> None:
        """Stop the pipeline on this operation; the caller still has to return."""
        self.state.failed = self.state.touched = True

    def emit_error(self, message: str, operation: Operation | None = None) -> None:
        """Report an error about `operation`, by default the current one."""
        self._emit("error", message, operation)

    def emit_warning(self, message: str, operation: Operation | None = None) -> None:
        """Report a warning about `operation`, by default the current one."""
        self._emit("warning", message, operation)

    def emit_remark(self, message: str, operation: Operation | None = None) -> None:
        """Report a remark about `operation`, by default the current one."""
        self._emit("remark", message, operation)

    def run_pipeline(self, pipeline: PassSequence[Pass], operation: Operation) -> bool:
        """Run `pipeline` on the current operation or one in it; return its success.

        If the pipeline failed, the pass may go on, or signal failure itself.
        """
        return self.state.run_pipeline(self, pipeline, operation)

    def get_analysis(self, analysis: type[A]) -> A:
        """Return `analysis` of the current operation, computed if it is not cached."""
        return self.state.analysis_manager.get_analysis(analysis)

    def get_cached_analysis(self, analysis: type[A]) -> A | None:
        """Return `analysis` of the current operation if it is cached."""
        return self.state.analysis_manager.get_cached_analysis(analysis)

    def get_cached_parent_analysis(
        self, analysis: type[A], parent: Operation
    ) -> A | None:
        """Return `analysis` of an operation around the current one if it is cached."""
        return self.state.analysis_manager.get_cached_parent_analysis(analysis, parent)

    def get_child_analysis(self, analysis: type[A], child: Operation) -> A:
        """Return `analysis` of an operation nested in the current one."""
        return self.state.analysis_manager.get_child_analysis(analysis, child)

    def get_cached_child_analysis(
        self, analysis: type[A], child: Operation
    ) -> A | None:
        """Return `analysis` of an operation nested in the current one, if cached."""
        return self.state.analysis_manager.get_cached_child_analysis(analysis, child)

    def mark_unchanged(self, *, keeps_analyses: bool = True) -> None:
        """Declare that the pass changed nothing, so that all analyses are still valid.

        Args:
            keeps_analyses: whether they are kept nevertheless; some passes of MLIR that
                change nothing let later passes compute them again.
        """
        self.state.outcome = "unchanged"
        if keeps_analyses:
            self.mark_all_analyses_preserved()

    def mark_unfinished(self) -> None:
        """Declare that an idempotent pass may change more if it runs again."""
        self.state.outcome = "unfinished"

    def mark_all_analyses_preserved(self) -> None:
        """Declare that all analyses are still valid, and that the IR is verified."""
        self._preservation().preserve_all()

    def mark_analyses_preserved(self, *analyses: type) -> None:
        """Declare that `analyses` are still valid after the pass."""
        self._preservation().preserve(*analyses)

    def _preservation(self) -> PreservedAnalyses:
        state = self.state
        state.touched = True
        if state.preserved is None:
            state.preserved = PreservedAnalyses()
        return state.preserved

    def _emit(
        self, severity: Severity, message: str, operation: Operation | None
    ) -> None:
        state = self.state
        wrong: tuple[str, object, str] | None = None
        if not isinstance(message, str):
            wrong = ("message", message, "a text")
        elif operation is not None:
            try:
                state.context.callers(operation)  # of its location
            except AttributeError:
                wrong = ("operation", operation, "an operation")
        if wrong is not None:
            name, given, expected = wrong
            function = f"emit_{severity}"
            note = f"the signature is {function}(message, operation=None)"
            raise wrong_argument(f"{name} of {function}()", given, expected, note)
        subject = state.operation if operation is None else operation
        state.context.emit(severity, message, subject)


def _missing_method(cls: type[Pass]) -> TypeError:
    """Return the error that a class does not define what each pass has to."""
    [missing, *_] = sorted(cls.__abstractmethods__)
    message = f"pass {cls.__qualname__} does not define {missing}()"
    return TypeError("\nnote: ".join((message, *misspelt_method_notes(cls))))


def misspelt_method_notes(cls: type[Pass]) -> tuple[str, ...]:
    """Return a note with the method of a class that has a name like the missing one."""
    # No part of `import passgen_runtime`: it takes long to import.
    from passgen_rules.suggestions import nearest_name  # noqa: PLC0415

    [missing, *_] = sorted(cls.__abstractmethods__)
    owners = {name: base for base in cls.__mro__ for name in vars(base)}
    nearest = nearest_name(missing, owners.keys() - {*dir(Pass)})
    if nearest is None:
        return ()
    owner = owners[nearest].__qualname__
    return (f"{owner} defines {nearest}(): is {missing}() meant?",)


class OperationPass(Pass, Generic[OptionsT]):
    """A pass on operations of one type, or of any type if `anchor` is not set."""

    options: OptionsT

    def __init__(self, options: OptionsT | None = None, **settings: object) -> None:
        """Make a pass with `options`, or with the values that `settings` gives by name.

        Raises:
            TypeError: both are given, or there is no such option.
        """
        if self.deprecated:
            from passgen_runtime.deprecation import warn  # noqa: PLC0415 - rare

            classes = type(self).__mro__
            declared = next(cls for cls in classes if "deprecated" in vars(cls))
            subject = f"pass '{self.argument or self.name}'"
            warn(subject, self.deprecated, declared.__module__)
        self.options = cast("OptionsT", self.options_class.given_by(options, settings))


class InterfacePass(OperationPass[OptionsT]):
    """A pass on all operations that have an interface."""

    interface: ClassVar[str]
    """The op interface's name, e.g. `FunctionOpInterface`."""

    def can_schedule_on(self, info: OperationInfo) -> bool:
        """Return whether operations of this type have the interface."""
        return info.has_interface(self.interface)


_BINDING = threading.Lock()
"""Held while passes are bound, so that only one run can bind a pass."""


def bind_all(passes: Iterable[Pass], state: PassExecutionState) -> None:
    """Let `passes` see the operations of `state`, until the run ends.

    Raises:
        PassInUseError: a pass belongs to another run that has not ended.
    """
    with _BINDING:
        for pass_ in passes:
            user = pass_._state  # noqa: SLF001 - same module
            if user is not None and user is not state:
                raise PassInUseError(pass_.argument or pass_.name)
            pass_._state = state  # noqa: SLF001 - same module


def unbind_all(passes: Iterable[Pass], state: PassExecutionState) -> None:
    """Release those of `passes` that are bound to `state`."""
    for pass_ in passes:
        if pass_._state is state:  # noqa: SLF001 - same module
            pass_._state = None  # noqa: SLF001 - same module


def initialize_pass(pass_: Pass, context: Context, key: object) -> None:
    """Initialize `pass_`; `key` identifies the initialization if it succeeds."""
    pass_._initialization = None  # noqa: SLF001 - same module
    pass_.initialize(context)
    pass_._initialization = key  # noqa: SLF001 - same module


def initialization_of(pass_: Pass) -> object:
    """Return the key of the initialization of `pass_`; `None` if it has none."""
    return pass_._initialization  # noqa: SLF001 - same module
