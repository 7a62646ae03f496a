"""Resolution of textual pipelines to pass managers.

Implements the second half of "Textual Pass Pipeline Specification" of MLIR's
PassManagement page: a registry turns names into passes, and the text in braces into
options. All mistakes in a well-formed pipeline are reported at once, with their places.

    manager = parse_pass_manager("builtin.module(my-pass{n=3})", context)
    manager.run(module)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

from passgen_runtime.context import Context
from passgen_runtime.errors import (
    PIPELINE_SOURCE,
    PipelineError,
    Span,
    wrong_argument,
)
from passgen_runtime.operation_pass import Pass
from passgen_runtime.pass_manager import (
    OpPassManager,
    PassManager,
    check_context,
    manager_for,
)
from passgen_runtime.pass_options import PassOptions
from passgen_runtime.pass_registry.entries import PipelineEntry
from passgen_runtime.pass_registry.mistakes import PipelineMistakes
from passgen_runtime.pass_registry.pass_registry import PassRegistry, default_registry
from passgen_runtime.textual_pipeline import (
    ANY_ANCHOR,
    MAX_DEPTH,
    PipelineElement,
    TextSlice,
    TextualPipeline,
    parse_elements,
    parse_options,
    parse_pipeline,
)

M = TypeVar("M", bound=OpPassManager)

Resolve: TypeAlias = Callable[[TextualPipeline], OpPassManager]
"""Returns the pass manager of a pipeline that is an option's value."""

COMMAND_LINE_SOURCE = "command-line"
"""The file part of a place in a pass flag of the command line."""


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


def parse_pass_pipeline(
    text: str, registry: PassRegistry | None = None, context: Context | None = None
) -> OpPassManager:
    """Return the pipeline that `text` spells, e.g. `func.func(cse,canonicalize)`.

    Args:
        text: one pipeline, with its anchor.
        registry: where names are looked up; the default registry if not given.
        context: if given, anchors must be operations that it knows, passes are checked
            against their anchors, and warnings go to its handler.

    Raises:
        PipelineError: the text is wrong; the error has the places.
    """
    _check_given(text, registry)
    pipeline = parse_pipeline(text)
    manager = OpPassManager(pipeline.elements[0].name, context=context)
    return _fill(manager, pipeline, registry, context)


def parse_pass_manager(
    text: str,
    context: Context,
    registry: PassRegistry | None = None,
    *,
    is_trusted: bool = True,
) -> PassManager:
    """Return the pass manager that `text` spells, e.g. `builtin.module(cse)`.

    Args:
        text: one pipeline, with its anchor.
        context: the context of the IR; warnings go to its handler.
        registry: where names are looked up; the default registry if not given.
        is_trusted: whether its passes may start programs, and read or write files.

    Raises:
        PipelineError: the text is wrong; the error has the places.
    """
    _check_given(text, registry)
    check_context(context)
    pipeline = parse_pipeline(text)
    empty = PassManager(context, pipeline.elements[0].name)
    return _fill(empty, pipeline, registry, context, is_trusted=is_trusted)


def resolve_pipeline(
    pipeline: TextualPipeline,
    anchor: str = ANY_ANCHOR,
    registry: PassRegistry | None = None,
    context: Context | None = None,
) -> OpPassManager:
    """Return the pass manager of an option's value, for a dynamic pipeline.

    Args:
        pipeline: an anchored pipeline, or the elements of one.
        anchor: the anchor of a pipeline that has none.
        registry: where names are looked up; the default registry if not given.
        context: see `parse_pass_pipeline`.

    Raises:
        PipelineError: a name is not registered or options are wrong.
    """
    if not isinstance(pipeline, TextualPipeline):
        note = "parse_pass_pipeline(text) makes a pass manager from a text"
        raise wrong_argument("pipeline", pipeline, "a TextualPipeline", note)
    first = pipeline.elements[0] if pipeline else None
    if first is None or first.nested is None or len(pipeline.elements) > 1:
        whole = Span(0, len(pipeline.text))
        around = PipelineElement(anchor, whole, (), pipeline.elements)
        pipeline = TextualPipeline((around,), pipeline.text)
    manager = OpPassManager(pipeline.elements[0].name, context=context)
    return _fill(manager, pipeline, registry, context)


def add_elements(
    manager: OpPassManager,
    text: str,
    registry: PassRegistry,
    context: Context | None = None,
) -> None:
    """Add the passes and nested pipelines that `text` spells to `manager`.

    Raises:
        PipelineError: the text is wrong; the error has the places.
    """
    resolver = _Resolver(text, registry, context)
    resolver.fill(manager, parse_elements(text).elements)
    resolver.mistakes.report()


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
        manager: the pass manager; an implicit one nests passes with other anchors.
        flag: as given, e.g. `--affine-loop-unroll=unroll-factor=4`.
        registry: where the name is looked up.
        context: where warnings go.

    Raises:
        PipelineError: the flag is wrong; the error has the place.
    """
    start = len(flag) - len(flag.lstrip("-"))
    name, separator, _ = flag[start:].partition("=")
    end = start + len(name)
    options = TextSlice(flag, end + len(separator), len(flag))
    element = PipelineElement(name, Span(start, end), tuple(parse_options(options)))
    resolver = _Resolver(flag, registry, context, COMMAND_LINE_SOURCE)
    resolver.add(manager, element, nests=True)
    resolver.mistakes.report()


def _check_given(text: object, registry: object) -> None:
    """Check the arguments of functions that parse a pipeline.

    Raises:
        TypeError: the text is no string, or the registry no registry.
    """
    if not isinstance(text, str):
        notes = ("pass the pipeline before the context",) * isinstance(text, Context)
        raise wrong_argument("pipeline", text, "a text", *notes)
    if isinstance(registry, Context):
        note = "write context=..."
        raise wrong_argument("registry", registry, "a PassRegistry", note)


def _fill(
    manager: M,
    pipeline: TextualPipeline,
    registry: PassRegistry | None,
    context: Context | None,
    *,
    is_trusted: bool = True,
) -> M:
    """Return `manager` with the elements in the only anchor of `pipeline`."""
    resolver = _Resolver(
        pipeline.text, registry or default_registry, context, is_trusted=is_trusted
    )
    resolver.mistakes.check_anchor(pipeline.elements[0])
    resolver.fill(manager, pipeline.elements[0].nested or ())
    resolver.mistakes.report()
    return manager


class _Resolver:
    """Adds the elements of one text to pass managers, and collects the mistakes."""

    def __init__(
        self,
        text: str,
        registry: PassRegistry,
        context: Context | None,
        source: str = PIPELINE_SOURCE,
        *,
        is_trusted: bool = True,
    ) -> None:
        self.text = text
        self.registry = registry
        self.context = context
        self.mistakes = PipelineMistakes(text, registry, context, source)
        self.depth = 0
        self.is_trusted = is_trusted

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
                    self.mistakes.check_anchor(element)
                    pending.append((parent.append_nested(element.name), element.nested))

    def add(
        self, manager: OpPassManager, element: PipelineElement, *, nests: bool = False
    ) -> None:
        """Add the pass or pipeline that `element` names to `manager`.

        Args:
            manager: the pass manager.
            element: a name with its options.
            nests: whether to nest a pass that `manager` refuses.
        """
        entry = self.registry.lookup(element.name)
        if entry is None:
            self.mistakes.add_unknown(element)
            return
        pass_: Pass | None = None
        try:
            options = entry.parse_options(element.options)
            self.mistakes.check_options(type(options), element)
            resolve = self.resolve_pipelines(options)
            if isinstance(entry, PipelineEntry):
                before = set(map(id, manager.passes()))
                entry.build(manager, options)
                added = [inner for inner in manager.passes() if id(inner) not in before]
                self.check_trust(element, *added)
            else:
                pass_ = entry.create(options)
                if isinstance(pass_, PipelineUser):
                    pass_.use_pipelines(resolve)
                self.check_trust(element, pass_)
                if nests:
                    manager = manager_for(pass_, manager, self.context)
                manager.add_pass(pass_)
        except Exception as error:  # noqa: BLE001 - of the user's own code: chained
            self.mistakes.add_raised(error, element, entry, pass_)

    def check_trust(self, element: PipelineElement, *passes: Pass) -> None:
        """Add an error if a pass of an untrusted text reaches beyond the IR."""
        for pass_ in () if self.is_trusted else passes:
            if reason := pass_.reaches_outside():
                self.mistakes.add_untrusted(element, pass_, reason)

    def resolve_pipelines(self, options: PassOptions) -> Resolve:
        """Resolve the pipelines in `options` that are parts of this text.

        A pass may run them much later; mistakes in them are reported now, and once.

        Returns:
            A function that returns the result for one of these pipelines, and resolves
            any other.

        Raises:
            PipelineError: pipelines are nested too deeply.
        """
        if self.depth > MAX_DEPTH:
            message = f"pipelines nest at most {MAX_DEPTH} deep"
            raise PipelineError(message, self.text, Span(0, len(self.text)))
        resolved: dict[int, OpPassManager] = {}
        for pipeline in _pipelines(options):
            if pipeline.text is self.text and pipeline:
                self.depth += 1
                manager = OpPassManager(ANY_ANCHOR, context=self.context)
                self.fill(manager, pipeline.elements)
                self.depth -= 1
                resolved[id(pipeline)] = manager

        def resolve(pipeline: TextualPipeline) -> OpPassManager:
            manager = resolved.pop(id(pipeline), None)
            if manager is None:
                empty, parsed = OpPassManager(), parse_pipeline(f"any({pipeline})")
                trust = self.is_trusted
                manager = _fill(empty, parsed, self.registry, None, is_trusted=trust)
            return manager

        return resolve


def _pipelines(options: PassOptions) -> Iterator[TextualPipeline]:
    """Yield all pipelines among the values of `options`, those in lists included."""
    for info in options.declared_options():
        value = getattr(options, info.field, None)
        for element in value if isinstance(value, list) else (value,):
            if isinstance(element, TextualPipeline):
                yield element
            elif isinstance(element, PassOptions):
                yield from _pipelines(element)
