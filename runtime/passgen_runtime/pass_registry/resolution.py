"""Resolution of textual pipelines to pass managers.

Implements the second half of "Textual Pass Pipeline Specification" of MLIR's
PassManagement page: a registry turns names into passes, and the text in braces into
options. All mistakes in a well-formed pipeline are reported at once, with their places.

    manager = parse_pass_manager("builtin.module(my-pass{n=3})", context)
    manager.run(module)
"""

from __future__ import annotations

from typing import TypeVar

from passgen_runtime.context import Context
from passgen_runtime.errors import PipelineError, Span
from passgen_runtime.pass_manager import OpPassManager, PassManager, check_context
from passgen_runtime.pass_registry.pass_registry import PassRegistry, default_registry
from passgen_runtime.pass_registry.pipeline_resolver import PipelineResolver
from passgen_runtime.textual_pipeline import (
    ANY_ANCHOR,
    PipelineElement,
    TextSlice,
    TextualPipeline,
    parse_elements,
    parse_options,
    parse_pipeline,
)

M = TypeVar("M", bound=OpPassManager)

COMMAND_LINE_SOURCE = "command-line"
"""The file part of a place in a pass flag of the command line."""


def parse_pass_pipeline(
    text: str, registry: PassRegistry | None = None, context: Context | None = None
) -> OpPassManager:
    """Return the pipeline that `text` spells, e.g. `func.func(cse,canonicalize)`.

    Args:
        text: one pipeline, with its anchor.
        registry: where names are looked up; the default registry if not given.
        context: if given, anchors must be operations that it knows, passes are checked
            against their anchors.

    Raises:
        PipelineError: the text is wrong; the error has the places.
    """
    pipeline = _parse(text, registry, context)
    return resolve_pipeline(pipeline, ANY_ANCHOR, registry, context)


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
        context: the context of the IR.
        registry: where names are looked up; the default registry if not given.
        is_trusted: whether its passes may start programs, and read or write files.

    Raises:
        PipelineError: the text is wrong; the error has the places.
    """
    check_context(context)
    pipeline = _parse(text, registry, context, is_trusted=is_trusted)
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
    resolver = PipelineResolver(text, registry, context)
    resolver.fill(manager, parse_elements(text).elements)
    resolver.report()


def add_pass_from_flag(
    manager: OpPassManager, flag: str, registry: PassRegistry, context: Context
) -> None:
    """Add the pass or pipeline that the command line's `flag` names to `manager`.

    A pass that cannot run on the manager's operations, such as a function pass on a
    module, goes into an op-agnostic manager nested in it; MLIR refuses it.

    Args:
        manager: the pass manager; an implicit one nests passes with other anchors.
        flag: as given, e.g. `--affine-loop-unroll=unroll-factor=4`.
        registry: where the name is looked up.
        context: see `parse_pass_pipeline`.

    Raises:
        PipelineError: the flag is wrong; the error has the place.
    """
    start = len(flag) - len(flag.lstrip("-"))
    name, separator, _ = flag[start:].partition("=")
    end = start + len(name)
    options = TextSlice(flag, end + len(separator), len(flag))
    element = PipelineElement(name, Span(start, end), tuple(parse_options(options)))
    resolver = PipelineResolver(flag, registry, context, COMMAND_LINE_SOURCE)
    resolver.add(manager, element, nests=True)
    resolver.report()


def _parse(
    text: str,
    registry: PassRegistry | None,
    context: Context | None,
    *,
    is_trusted: bool = True,
) -> TextualPipeline:
    """Return the tree of `text`; an error shows the anchor that it may lack."""
    try:
        return parse_pipeline(text)
    except PipelineError as error:
        if not error.notes:
            from passgen_runtime.pass_registry.anchor_advice import (  # noqa: PLC0415
                anchor_advice,  # only for mistakes
            )

            known = registry or default_registry
            advice = anchor_advice(text, known, context, is_trusted=is_trusted)
            error.notes = tuple(advice)
        raise


def _fill(
    manager: M,
    pipeline: TextualPipeline,
    registry: PassRegistry | None,
    context: Context | None,
    *,
    is_trusted: bool = True,
) -> M:
    """Return `manager` with the elements in the only anchor of `pipeline`."""
    resolver = PipelineResolver(
        pipeline.text, registry or default_registry, context, is_trusted=is_trusted
    )
    resolver.check_anchor(pipeline.elements[0])
    resolver.fill(manager, pipeline.elements[0].nested or ())
    resolver.report()
    return manager
