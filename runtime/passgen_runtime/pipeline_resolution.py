"""From the text of a pipeline to a pass manager that runs it.

The resolving half of "Textual Pass Pipeline Specification" of MLIR's PassManagement
page: names become passes of a registry, texts between braces become options. All that
is wrong with a well-formed pipeline is reported at once, each mistake at its place.

    manager = parse_pass_manager("builtin.module(my-pass{n=3})", context)
    manager.run(module)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import TypeVar

from passgen_runtime.context import Context, print_diagnostic
from passgen_runtime.errors import (
    PIPELINE_SOURCE,
    Diagnostic,
    MissingImplementationError,
    PassError,
    PassOptionError,
    PipelineError,
    SchedulingError,
    Span,
    nearest_note,
    pipeline_warning,
)
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import OpPassManager, PassManager
from passgen_runtime.pass_options import PassOptions, option_warnings
from passgen_runtime.pass_registry import PassRegistry, default_registry
from passgen_runtime.registry_entries import (
    FactoryEntry,
    PassClassEntry,
    PipelineEntry,
    RegistryEntry,
)
from passgen_runtime.textual_options import Fragment, parse_options
from passgen_runtime.textual_pipeline import (
    ANY_ANCHOR,
    MAX_DEPTH,
    PipelineElement,
    TextualPipeline,
    is_name,
    parse_pipeline,
)

M = TypeVar("M", bound=OpPassManager)

COMMAND_LINE_SOURCE = "command-line"
"""The file part of a place in a pass that is given as a flag."""


class RegistryUser(ABC):
    """A pass that looks names up itself, such as those of an inner pipeline."""

    @abstractmethod
    def use_registry(self, registry: PassRegistry) -> None:
        """Look names up in `registry`: called once the pass was found in it.

        Raises:
            PipelineError: a name is not in it.
        """


def parse_pass_pipeline(
    text: str, registry: PassRegistry | None = None, context: Context | None = None
) -> OpPassManager:
    """Return the pipeline that `text` spells, e.g. `func.func(cse,canonicalize)`.

    Args:
        text: one pipeline, with its anchor.
        registry: where names are looked up; the default registry where not given.
        context: if given, anchors must be operations that it knows, passes are checked
            against their anchors, and warnings go to its handler.

    Raises:
        PipelineError: anything is wrong with the text, with the place.
    """
    pipeline = parse_pipeline(text)
    manager = OpPassManager(pipeline.elements[0].name, context=context)
    return _filled(manager, pipeline, registry, context)


def parse_pass_manager(
    text: str, context: Context, registry: PassRegistry | None = None
) -> PassManager:
    """Return the pass manager that `text` spells, e.g. `builtin.module(cse)`.

    Raises:
        PipelineError: anything is wrong with the text, with the place.
    """
    pipeline = parse_pipeline(text)
    manager = PassManager(context, pipeline.elements[0].name)
    return _filled(manager, pipeline, registry, context)


def resolve_pipeline(
    pipeline: TextualPipeline,
    anchor: str = ANY_ANCHOR,
    registry: PassRegistry | None = None,
    context: Context | None = None,
) -> OpPassManager:
    """Return the pass manager of an option's value, for a dynamic pipeline.

    Args:
        pipeline: an anchored pipeline, or the elements of one.
        anchor: for a pipeline that has no anchor of its own.
        registry: where names are looked up; the default registry where not given.
        context: see `parse_pass_pipeline`.

    Raises:
        PipelineError: a name is not registered or options are wrong.
    """
    first = pipeline.elements[0] if pipeline else None
    if first is None or first.nested is None or len(pipeline.elements) > 1:
        whole = Span(0, len(pipeline.text))
        around = PipelineElement(anchor, whole, (), pipeline.elements)
        pipeline = TextualPipeline((around,), pipeline.text)
    manager = OpPassManager(pipeline.elements[0].name, context=context)
    return _filled(manager, pipeline, registry, context)


def add_pass_from_flag(
    manager: OpPassManager,
    flag: str,
    registry: PassRegistry,
    context: Context,
) -> None:
    """Add the pass or pipeline that the command line's `flag` names to `manager`.

    A pass that cannot run on the manager's operations, such as a function pass on a
    module, goes into an op-agnostic manager nested in it; MLIR refuses it.

    Args:
        manager: which nests a pass with another anchor if it is an implicit one.
        flag: as given, e.g. `--affine-loop-unroll=unroll-factor=4`.
        registry: where the name is looked up.
        context: where warnings go.

    Raises:
        PipelineError: anything is wrong with the flag, with the place.
    """
    start = len(flag) - len(flag.lstrip("-"))
    name, separator, _ = flag[start:].partition("=")
    end = start + len(name)
    options = Fragment(flag, end + len(separator), len(flag))
    element = PipelineElement(name, Span(start, end), tuple(parse_options(options)))
    resolver = _Resolver(flag, registry, context, COMMAND_LINE_SOURCE)
    resolver.add(manager, element, nests=True)
    resolver.finish()


def warn_about_unmatched(manager: PassManager) -> None:
    """Report the nested pipelines that met no operation in the last run.

    For a program that runs a pipeline once: without it, a misplaced anchor does nothing
    in silence.
    """
    for pipeline in manager.unmatched_pipelines():
        message = f"the nested pipeline {pipeline} matched no operation"
        manager.context.handle(Diagnostic("warning", message, PIPELINE_SOURCE))


def _filled(
    manager: M,
    pipeline: TextualPipeline,
    registry: PassRegistry | None,
    context: Context | None,
) -> M:
    """Return `manager` with what is nested in the only element of `pipeline`."""
    registry = default_registry if registry is None else registry
    resolver = _Resolver(pipeline.text, registry, context)
    resolver.check_anchor(pipeline.elements[0])
    resolver.fill(manager, pipeline.elements[0].nested or ())
    resolver.finish()
    return manager


class _Resolver:
    """Turns elements of one text into passes; collects every error with its place."""

    def __init__(
        self,
        text: str,
        registry: PassRegistry,
        context: Context | None,
        source: str = PIPELINE_SOURCE,
    ) -> None:
        self.text = text
        self.registry = registry
        self.context = context
        self.source = source
        self.errors: list[PipelineError] = []
        self.depth = 0
        self.nearest: dict[str, tuple[str, ...]] = {}

    def finish(self) -> None:
        """Raise what was found, if anything, as one error."""
        if self.errors:
            first, *others = sorted(self.errors, key=lambda error: error.span)
            first.others = tuple(others)
            raise first from first.__cause__

    def fill(
        self, manager: OpPassManager, elements: tuple[PipelineElement, ...]
    ) -> None:
        """Add all of `elements` to `manager`."""
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
            manager: what to add to.
            element: a name with its options.
            nests: whether a pass that `manager` refuses is nested in it.
        """
        entry = self.registry.lookup(element.name)
        if entry is None:
            self.report_unknown(element)
            return
        pass_: Pass | None = None
        try:
            options = entry.parse_options(element.options)
            self.warn_about_options(type(options), element)
            self.check_pipelines(options)
            if isinstance(entry, PipelineEntry):
                entry.build(manager, options)
            else:
                pass_ = self.create(entry, options)
                if nests and not _can_schedule(pass_, manager, self.context):
                    manager = _nested_any(manager)
                manager.add_pass(pass_)
        except PipelineError as error:
            # Of a pipeline within the options, which is a part of the same text.
            notes = (*error.notes, f"in the options of '{element.name}'")
            span = error.span if error.text == self.text else element.span
            self.report(error.message, span, notes, error)
        except PassOptionError as error:
            notes = (*error.notes, f"in the options of '{element.name}'")
            self.report(error.message, error.span or element.span, notes, error)
        except SchedulingError as error:
            notes = ()
            if pass_ is not None and pass_.anchor is not None:
                notes = (f"'{pass_.anchor}({element})' nests it",)
            self.report(str(error), element.span, notes, error)
        except MissingImplementationError as error:
            self.report(str(error), element.span, (), error)
        except Exception as error:  # noqa: BLE001 - of the user's own code: chained
            self.report_raised(error, element, entry)

    def create(self, entry: RegistryEntry, options: PassOptions) -> Pass:
        """Return a new pass, which knows the registry if it uses one."""
        pass_ = entry.create(options)
        if isinstance(pass_, RegistryUser):
            pass_.use_registry(self.registry)
        return pass_

    def check_anchor(self, element: PipelineElement) -> None:
        """Report an anchor that no operation is called, as far as is known."""
        name = element.name
        message = f"'{name}' does not refer to a registered operation"
        if not is_name(name):
            notes: tuple[str, ...] = ("an anchor is an operation's name, or 'any'",)
            self.report(message, element.span, notes)
            return
        context = self.context
        if name == ANY_ANCHOR or context is None or context.lookup(name) is not None:
            return
        notes = self.nearest_note(name, self.anchors())
        if self.registry.lookup(name) is not None:
            notes = (
                f"'{name}' is a pass: its options stand in braces, '{name}{{...}}'",
            )
        if context.allow_unregistered:
            warning = pipeline_warning(
                message, self.text, element.span, notes, self.source
            )
            context.handle(warning)
            return
        self.report(message, element.span, notes)

    def anchors(self) -> Iterator[str]:
        """Yield names that an anchor may be meant to be."""
        yield ANY_ANCHOR
        yield "builtin.module"
        for entry in self.registry.passes():
            # The class of another kind of entry may have to be imported.
            known = isinstance(entry, PassClassEntry | FactoryEntry)
            if known and entry.pass_class.anchor is not None:
                yield entry.pass_class.anchor

    def warn_about_options(
        self, options_class: type[PassOptions], element: PipelineElement
    ) -> None:
        """Report what MLIR accepts in silence."""
        handler = self.context.handle if self.context else print_diagnostic
        for warning in option_warnings(
            options_class, element.options, self.text, self.source
        ):
            handler(warning)

    def check_pipelines(self, options: PassOptions) -> None:
        """Resolve pipelines in the values of `options` that this text gives.

        The pass makes them when it runs; what is wrong with them is said now.

        Raises:
            PipelineError: pipelines are nested too deeply.
        """
        if self.depth > MAX_DEPTH:
            message = f"pipelines nest at most {MAX_DEPTH} deep"
            raise PipelineError(message, self.text, Span(0, len(self.text)))
        for pipeline in _pipelines(options):
            if pipeline.text is self.text and pipeline:
                self.depth += 1
                scratch = OpPassManager(ANY_ANCHOR, context=self.context)
                self.fill(scratch, pipeline.elements)
                self.depth -= 1

    def report_raised(
        self,
        error: Exception,
        element: PipelineElement,
        entry: RegistryEntry | PipelineEntry,
    ) -> None:
        """Report what the making of a pass or pipeline has raised."""
        raised = f"{type(error).__name__}: {error}"
        message = f"'{element.name}' cannot be made: it raised {raised}"
        notes: tuple[str, ...] = ()
        if isinstance(error, TypeError) and isinstance(entry, PassClassEntry):
            notes = ("register a factory if options are not all that it needs",)
        self.report(message, element.span, notes, error)

    def report_unknown(self, element: PipelineElement) -> None:
        """Report a name that nothing is registered under."""
        name = element.name
        message = f"'{name}' does not refer to a registered pass or pass pipeline"
        self.report(message, element.span, self.unknown_notes(name))

    def unknown_notes(self, name: str) -> tuple[str, ...]:
        """Return how an unknown `name` may have come about."""
        if not name:
            return ("expected a pass, a pass pipeline or an anchor",)
        words = name.split()
        if all(self.registry.lookup(word) for word in words):
            return (f"expected ',' between the passes: '{','.join(words)}'",)
        if "}" in name:
            return ("encountered extra closing '}'",)
        notes = self.nearest_note(name, self.registry.arguments())
        if not notes and "." in name:
            notes = (f"an anchor holds its passes in parentheses: '{name}(...)'",)
        return notes

    def nearest_note(self, name: str, candidates: Iterable[str]) -> tuple[str, ...]:
        """Return the note about a mistyped `name`, searched for once."""
        if name not in self.nearest:
            self.nearest[name] = nearest_note(name, candidates)
        return self.nearest[name]

    def report(
        self,
        message: str,
        span: Span,
        notes: Iterable[str],
        cause: PassError | Exception | None = None,
    ) -> None:
        error = PipelineError(
            message, self.text, span, tuple(notes), source=self.source
        )
        error.__cause__ = cause
        self.errors.append(error)


def _can_schedule(pass_: Pass, manager: OpPassManager, context: Context | None) -> bool:
    """Return whether `manager` takes `pass_`, if need be in a manager of its anchor."""
    info = None if context is None else context.lookup(manager.anchor)
    return pass_.anchor is not None or info is None or pass_.can_schedule_on(info)


def _nested_any(manager: OpPassManager) -> OpPassManager:
    """Return the op-agnostic manager at the end of `manager`, added if need be."""
    last = manager.elements[-1] if manager.elements else None
    if isinstance(last, OpPassManager) and last.is_op_agnostic:
        return last
    return manager.nest_any()


def _pipelines(options: PassOptions) -> Iterator[TextualPipeline]:
    """Yield all pipelines among the values of `options`, those in lists included."""
    for info in options.declared():
        value = getattr(options, info.field, None)
        for each in value if isinstance(value, list) else (value,):
            if isinstance(each, TextualPipeline):
                yield each
            elif isinstance(each, PassOptions):
                yield from _pipelines(each)
