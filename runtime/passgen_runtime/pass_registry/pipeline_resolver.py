"""The resolver of the text of a pipeline, with notes on the likely causes of mistakes.

The mistakes in one text are reported together, in the order of the text, and only the
first of many are shown.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from passgen_runtime.context import Context
from passgen_runtime.errors import (
    MAX_SHOWN_ERRORS,
    PIPELINE_SOURCE,
    MissingImplementationError,
    PassOptionError,
    PipelineError,
    SchedulingError,
    Span,
    UntrustedPassError,
    nearest_note,
    text_of,
)
from passgen_runtime.operation_pass import Pass, outside_access_by, owned_sequences
from passgen_runtime.pass_manager import OpPassManager, manager_for
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.pass_registry.entries import AnyEntry, PassEntry, PipelineEntry
from passgen_runtime.pass_registry.pass_registry import PassRegistry, default_registry
from passgen_runtime.textual_pipeline import (
    ANY_ANCHOR,
    MAX_DEPTH,
    PipelineElement,
    TextualPipeline,
    is_name,
    parse_pipeline,
)

Resolve: TypeAlias = Callable[[TextualPipeline], OpPassManager]
"""Returns the pass manager of a pipeline that is an option's value."""


class PipelineUser(ABC):
    """A pass that runs the pipelines in its options."""

    @abstractmethod
    def use_pipelines(self, resolve: Resolve) -> None:
        """Resolve the pipelines and keep the results; called on each new pass.

        Names are looked up in the registry of the pass. The results are anchored on
        `any`, and belong to this pass alone.

        Raises:
            PipelineError: a pipeline that is no part of the parsed text is wrong.
        """


@dataclass(eq=False)
class PipelineResolver:
    """Adds the elements of one text to pass managers, and collects the mistakes."""

    _text: str
    """The text that spans refer to."""

    _registry: PassRegistry
    """The registry of names and suggestions."""

    _context: Context | None
    """The context that knows the valid anchors, if it is given."""

    _source: str = PIPELINE_SOURCE
    """The file part of places in the text."""

    is_trusted: bool = field(default=True, kw_only=True)
    """Whether passes of the text may start programs, and read or write files."""

    _depth: int = field(default=0, init=False)
    _anchor: str = field(default="", init=False)
    """The anchor of the outermost pass manager."""

    _errors: list[PipelineError] = field(default_factory=list, init=False)

    def report(self) -> None:
        """Raise the errors, if any, as one.

        Raises:
            PipelineError: there are errors.
        """
        if self._errors:
            first, *others = sorted(self._errors, key=lambda error: error.span)
            first.others = tuple(others)
            raise first from first.__cause__

    def check_anchor(self, element: PipelineElement) -> None:
        """Add an error if no known operation has the name of an anchor."""
        name = element.name
        message = f"'{name}' does not refer to a registered operation"
        if not is_name(name):
            notes: tuple[str, ...] = ("an anchor is an operation's name, or 'any'",)
            self._add(message, element.span, notes)
            return
        context = self._context
        if name == ANY_ANCHOR or context is None or context.lookup(name) is not None:
            return
        if context.allow_unregistered:
            return
        notes = self._notes_on_anchor(name) if self._explains else ()
        self._add(message, element.span, notes)

    def fill(
        self, manager: OpPassManager, elements: tuple[PipelineElement, ...]
    ) -> None:
        """Add all of `elements` to `manager`."""
        self._anchor = self._anchor or manager.anchor
        pending = [(manager, elements)]
        while pending:
            parent, elements = pending.pop()
            for element in elements:
                if element.nested is None:
                    self.add(parent, element)
                else:
                    self.check_anchor(element)
                    pending.append((parent.nest(element.name), element.nested))

    def add(
        self, manager: OpPassManager, element: PipelineElement, *, nests: bool = False
    ) -> None:
        """Add the pass or pipeline that `element` names to `manager`.

        Args:
            manager: the pass manager.
            element: a name with its options.
            nests: whether to nest a pass that `manager` refuses.
        """
        library = "" if self._context is None else self._context.library
        entry = self._registry.lookup(element.name, library)
        if entry is None:
            name = element.name
            message = f"'{name}' does not refer to a registered pass or pass pipeline"
            notes = self._notes_on_pass(name) if self._explains else ()
            self._add(message, element.span, notes)
            return
        pass_: Pass | None = None
        try:
            options = entry.parse_options(element.options)
            resolve = self._resolve_pipelines(options)
            if isinstance(entry, PipelineEntry):
                if not self.is_trusted and (access := outside_access_by(type(options))):
                    self._refuse(element, entry.argument, access)
                    return
                before = set(map(id, manager.passes()))
                entry.build(manager, options)
                for inner in manager.passes():
                    if id(inner) not in before:
                        self._check_trust(element, inner, resolve)
            else:
                pass_ = entry.create(options)
                if self.is_trusted and isinstance(pass_, PipelineUser):
                    pass_.use_pipelines(resolve)
                self._check_trust(element, pass_, resolve)
                if nests:
                    manager = manager_for(pass_, manager, self._context)
                manager.add_pass(pass_)
        except Exception as error:  # noqa: BLE001 - of the user's own code: chained
            self._add_raised(error, element, entry, pass_, manager.anchor)

    def _check_trust(
        self, element: PipelineElement, pass_: Pass, resolve: Resolve
    ) -> None:
        """Add an error if a pass of an untrusted text reaches beyond the IR.

        Raises:
            PipelineError: a pipeline in its options is wrong, or is refused.
        """
        if self.is_trusted:
            return
        # A default is not part of the text, nor is the text that the code of a named
        # pipeline has made a pipeline of.
        if isinstance(pass_, PipelineUser):
            pass_.use_pipelines(resolve)
        else:
            for pipeline in _pipelines(pass_.options):
                resolve(pipeline)
        if access := _outside_access(pass_):
            self._refuse(element, _name_of(pass_), access)

    def _refuse(self, element: PipelineElement, name: str, access: str) -> None:
        refused = f"'{name}' is refused in a pipeline that is not trusted"
        self._add(f"{refused}: {access}", element.span, (), UntrustedPassError)

    def _resolve_pipelines(self, options: PassOptions) -> Resolve:
        """Resolve the pipelines in `options` that are parts of this text.

        A pass may run them much later; mistakes in them are reported now, and once.

        Returns:
            A function that returns the result for one of these pipelines, and resolves
            any other.

        Raises:
            PipelineError: pipelines are nested too deeply.
        """
        if self._depth > MAX_DEPTH:
            message = f"pipelines nest at most {MAX_DEPTH} deep"
            raise PipelineError(message, self._text, Span(0, len(self._text)))
        resolved: dict[int, OpPassManager] = {}
        for pipeline in _pipelines(options):
            if pipeline.text is self._text and pipeline:
                self._depth += 1
                manager = OpPassManager(ANY_ANCHOR, context=self._context)
                self.fill(manager, pipeline.elements)
                self._depth -= 1
                resolved[id(pipeline)] = manager

        def resolve(pipeline: TextualPipeline) -> OpPassManager:
            manager = resolved.pop(id(pipeline), None)
            if manager is None:
                manager, parsed = OpPassManager(), parse_pipeline(f"any({pipeline})")
                own = PipelineResolver(
                    parsed.text, self._registry, None, is_trusted=self.is_trusted
                )
                own.fill(manager, parsed.elements[0].nested or ())
                own.report()
            return manager

        return resolve

    def _add_raised(
        self,
        error: Exception,
        element: PipelineElement,
        entry: AnyEntry,
        pass_: Pass | None,
        anchor: str,
    ) -> None:
        """Add `error`, raised while the pass or pipeline of `element` was made.

        Args:
            error: the exception.
            element: a name with its options.
            entry: the entry of the name.
            pass_: the pass, if it was made before.
            anchor: that of the manager that it was to be added to.
        """
        from passgen_runtime.pass_registry import option_advice as on  # noqa: PLC0415

        span, message = element.span, str(error)
        notes: tuple[str, ...] = ()
        is_elsewhere = isinstance(error, SchedulingError) and error.has_own_place
        if isinstance(error, PipelineError):
            message = error.message
            # The error is in a pipeline of the options, maybe of the same text. A
            # pipeline that contains itself would repeat the note at each level.
            notes = tuple(dict.fromkeys((*error.notes, _not_added(element))))
            span = error.span if error.text == self._text else span
        elif isinstance(error, PassOptionError):
            advice = tuple(on.option_advice(element, entry.options_class, error))
            own_notes = error.notes if advice else error.all_notes
            notes = (*own_notes, *advice, _not_added(element))
            message, span = error.message, error.span or span
        elif isinstance(error, SchedulingError):
            message, notes = error.brief(element.name)
            # Errors of derived classes have other reasons than the place.
            if type(error) is SchedulingError and pass_ is not None:
                notes = on.place_advice(pass_, anchor, element, self._anchor)
        elif isinstance(error, MissingImplementationError):
            notes = self._registry.explanations(element.name)
        else:
            raised = f"{type(error).__name__}: {text_of(error)}"
            message = f"'{element.name}' cannot be constructed: it raised {raised}"
            is_class = isinstance(entry, PassEntry) and entry.factory is None
            if is_class and isinstance(error, TypeError):
                notes = ("register a factory if the class needs more than options",)
        is_untrusted = isinstance(error, UntrustedPassError)
        kind = UntrustedPassError if is_untrusted else PipelineError
        added = self._add(message, span, notes, kind)
        added.is_elsewhere, added.__cause__ = is_elsewhere, error

    def _add(
        self,
        message: str,
        span: Span,
        notes: Iterable[str],
        kind: type[PipelineError] = PipelineError,
    ) -> PipelineError:
        error = kind(message, self._text, span, tuple(notes), source=self._source)
        self._errors.append(error)
        return error

    @property
    def _explains(self) -> bool:
        """Whether to search for similar names, which takes long for many mistakes."""
        return len(self._errors) < MAX_SHOWN_ERRORS

    def _notes_on_anchor(self, name: str) -> tuple[str, ...]:
        """Return a note on the likely cause of an unknown anchor."""
        if self._registry.lookup(name) is not None:
            from passgen_runtime.pass_registry.spelling_advice import (  # noqa: PLC0415
                in_braces,  # only for mistakes
            )

            return (in_braces(name),)
        anchors = self._registry.known_anchors()
        anchors.update(() if self._context is None else self._context.operation_names())
        return nearest_note(name, sorted(anchors - {name}))

    def _notes_on_pass(self, name: str) -> tuple[str, ...]:
        """Return notes on the likely cause of an unknown name of a pass."""
        if not name:
            return ("expected a pass, a pass pipeline or an anchor",)
        words = name.split()
        if all(self._registry.lookup(word) for word in words):
            return (f"expected ',' between the passes: '{','.join(words)}'",)
        from passgen_runtime.pass_registry.spelling_advice import (  # noqa: PLC0415
            spelling_advice,  # only for mistakes
        )

        if notes := tuple(spelling_advice(name, self._registry)):
            return notes
        if name in self._registry.known_anchors():
            return (f"an anchor holds its passes in parentheses: '{name}(...)'",)
        arguments = self._registry.arguments()
        notes = self._registry.explanations(name) or nearest_note(name, arguments)
        is_default = self._registry is default_registry
        if not arguments or (is_default and "canonicalize" not in arguments):
            text = "shipped_registry() returns the shipped passes"
            return (*notes, f"{text}, mlir_registry() those of MLIR")
        return notes


def _name_of(pass_: Pass) -> str:
    return pass_.argument or pass_.name


def _outside_access(pass_: Pass) -> str:
    """Return the access beyond the IR of a pass, and of the passes that it runs.

    The pipelines of a `PipelineUser` are resolved and checked by themselves.
    """
    if access := pass_.reaches_outside():
        return access
    for sequence in () if isinstance(pass_, PipelineUser) else owned_sequences(pass_):
        for inner in sequence.passes():
            if access := _outside_access(inner):
                return f"it runs '{_name_of(inner)}': {access}"
    return ""


def _not_added(element: PipelineElement) -> str:
    """Return MLIR's note below an error in the options of `element`."""
    options = " ".join(map(str, element.options))
    return f"failed to add `{element.name}` with options `{options}`"


def _pipelines(options: PassOptions) -> Iterator[TextualPipeline]:
    """Yield all pipelines among the values of `options`, those in lists included."""
    for info in options.declared_options():
        value = getattr(options, info.field, None)
        for element in value if isinstance(value, list) else (value,):
            if isinstance(element, TextualPipeline):
                yield element
            elif isinstance(element, PassOptions):
                yield from _pipelines(element)
