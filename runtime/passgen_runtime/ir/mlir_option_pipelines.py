"""Pipelines that MLIR builds, in the options of its passes too, checked before it does.

MLIR ends the process where one in an option puts a pass into a pass manager of another
anchor, `inline{op-pipelines=func.func(gpu-kernel-outlining)}`, and where a registered
pipeline does so: `func.func(gpu-lower-to-nvvm-pipeline)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final

from passgen_runtime.errors import PassOptionError, PipelineError
from passgen_runtime.ir.mlir_bindings import Bindings
from passgen_runtime.ir.mlir_pass_table import known_passes
from passgen_runtime.textual_options import TextualOption, split_list, unwrap
from passgen_runtime.textual_pipeline import (
    ANY_ANCHOR,
    PipelineElement,
    parse_elements,
)

_SOME_ANCHOR: Final = ""
"""That of a pipeline which MLIR runs on operations of several types."""

_MAX_DEPTH: Final = 16

_MAX_NESTED: Final = 1_000
"""How deep pipelines nest that MLIR is given to parse: some thousands overflow it."""

_UNANCHORED: Final = {("inline", "default-pipeline")}
"""Options whose pipelines MLIR puts into pass managers of any type, specific ones."""


def check_option_pipelines(
    bindings: Bindings, argument: str, options: Sequence[TextualOption]
) -> None:
    """Check that each pass in the values of `options` stands where MLIR takes it.

    Args:
        bindings: have the passes.
        argument: of the pass that has the options.
        options: as written.

    Raises:
        PassOptionError: one does not.
    """
    for option in options:
        for element, anchor in _passes_in(argument, option, _MAX_DEPTH):
            message = _refusal(bindings, element, anchor)
            if message is not None:
                error = PassOptionError(message)
                error.span = option.value_span
                raise error


def check_pipeline(bindings: Bindings, text: str, anchor: str = ANY_ANCHOR) -> None:
    """Check that MLIR survives the elements in `text` in a pass manager on `anchor`.

    Raises:
        PassOptionError: it does not.
    """
    try:
        elements = parse_elements(text).elements
    except PipelineError:
        if text.count("(") > _MAX_NESTED:
            message = f"pipelines nest at most {_MAX_NESTED} deep here"
            raise PassOptionError(message) from None
        return  # MLIR says why
    for element, around in _passes(elements, anchor, _MAX_DEPTH):
        refusal = _refusal(bindings, element, around)
        if refusal is not None:
            raise PassOptionError(refusal)


def _pipelines(option: TextualOption) -> Iterator[Iterable[PipelineElement]]:
    """Yield what the value of `option` is, if read as pipelines."""
    if option.value is None:
        return
    # A list of one is its element.
    for text in dict.fromkeys((unwrap(option.value), *split_list(option.value))):
        try:
            yield parse_elements(text).elements
        except PipelineError:
            continue  # it is something else


def _passes_in(
    argument: str, option: TextualOption, depth: int
) -> Iterator[tuple[PipelineElement, str]]:
    """Yield all passes in the value of `option`, of `argument`, with their anchors."""
    is_unanchored = (argument, option.key) in _UNANCHORED
    anchor = _SOME_ANCHOR if is_unanchored else ANY_ANCHOR
    for elements in _pipelines(option):
        yield from _passes(elements, anchor, depth)


def _passes(
    elements: Iterable[PipelineElement], anchor: str, depth: int
) -> Iterator[tuple[PipelineElement, str]]:
    """Yield all passes in `elements`, each with its anchor.

    Raises:
        PassOptionError: options with pipelines nest deeper than `depth`.
    """
    if not depth:
        message = f"pipelines in options nest at most {_MAX_DEPTH} deep"
        raise PassOptionError(message)
    for element in elements:
        if element.nested is not None:
            yield from _passes(element.nested, element.name, depth)
        else:
            yield element, anchor
            for option in element.options:
                yield from _passes_in(element.name, option, depth - 1)


def _refusal(bindings: Bindings, element: PipelineElement, anchor: str) -> str | None:
    """Return why `element` may not stand in a pass manager on `anchor`."""
    if anchor == ANY_ANCHOR:
        return None
    info = known_passes().get(element.name)
    if info is None:
        for added in _added_by(bindings, str(element)):
            message = _refusal(bindings, added, anchor)
            if message is not None:
                return f"{message}, as '{element.name}' does"
        return None
    if info.anchor in (None, anchor):
        return None
    return (
        f"Can't add pass '{info.name}' restricted to '{info.anchor}' on a PassManager "
        f"intended to run on '{anchor or 'operations of several types'}'"
    )


@cache
def _added_by(bindings: Bindings, text: str) -> tuple[PipelineElement, ...]:
    """Return what the registered pipeline in `text` adds, but what it nests."""
    try:
        built = str(bindings.parse_manager(f"{ANY_ANCHOR}({text})", bindings.scratch))
        (manager,) = parse_elements(built).elements
    except (ValueError, PipelineError):
        return ()  # it is none: MLIR says so
    return tuple(
        each
        for each in manager.nested or ()
        if each.nested is None and str(each) != text
    )
