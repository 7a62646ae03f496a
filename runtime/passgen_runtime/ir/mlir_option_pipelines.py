"""Pipelines in the options of MLIR's own passes, checked before MLIR builds them.

MLIR ends the process where one of them puts a pass into a pass manager of another
anchor: `inline{op-pipelines=func.func(gpu-kernel-outlining)}`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from passgen_runtime.errors import PassOptionError, PipelineError
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

_UNANCHORED: Final = {("inline", "default-pipeline")}
"""Options whose pipelines MLIR puts into pass managers of any type, specific ones."""


def check_option_pipelines(argument: str, options: Sequence[TextualOption]) -> None:
    """Check that each pass in the values of `options` stands where MLIR takes it.

    Args:
        argument: of the pass that has the options.
        options: as written.

    Raises:
        PassOptionError: one does not.
    """
    for option in options:
        anchor = _SOME_ANCHOR if (argument, option.key) in _UNANCHORED else ANY_ANCHOR
        for elements in _pipelines(option):
            for name, around in _passes(elements, anchor, _MAX_DEPTH):
                message = _refusal(name, around)
                if message is not None:
                    error = PassOptionError(message)
                    error.span = option.value_span
                    raise error


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


def _passes(
    elements: Iterable[PipelineElement], anchor: str, depth: int
) -> Iterator[tuple[str, str]]:
    """Yield the names of all passes in `elements`, each with its anchor.

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
            yield element.name, anchor
            for option in element.options:
                for inner in _pipelines(option):
                    yield from _passes(inner, ANY_ANCHOR, depth - 1)


def _refusal(name: str, anchor: str) -> str | None:
    """Return why the pass `name` may not stand in a pass manager on `anchor`."""
    if anchor == ANY_ANCHOR:
        return None
    info = known_passes().get(name)
    if info is None or info.anchor in (None, anchor):
        return None
    return (
        f"Can't add pass '{info.name}' restricted to '{info.anchor}' on a PassManager "
        f"intended to run on '{anchor or 'operations of several types'}'"
    )
