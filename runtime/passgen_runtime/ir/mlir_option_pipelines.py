"""Pipelines that MLIR builds, in the options of its passes too, checked before it does.

MLIR ends the process where one in an option puts a pass into a pass manager of another
anchor, `inline{op-pipelines=func.func(gpu-kernel-outlining)}`, and where a registered
pipeline does so: `func.func(gpu-lower-to-nvvm-pipeline)`. It ends as well where a pass
meets an operation that it does not survive. We keep passes in `any(...)` from these; in
an option nobody would.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final

from passgen_runtime.errors import PassOptionError, PipelineError, Span
from passgen_runtime.ir.mlir_bindings import Bindings
from passgen_runtime.ir.mlir_pass_table import NativePassInfo, known_passes
from passgen_runtime.textual_options import TextualOption, split_list, unwrap
from passgen_runtime.textual_pipeline import (
    ANY_ANCHOR,
    PipelineElement,
    parse_elements,
)

_SOME_ANCHOR: Final = ""
"""That of a pipeline which MLIR runs on operations of several types."""

_LATER: Final = "?"
"""That of a pipeline which is checked when its operations are known."""

_VALUES: Final = {
    ("gpu-module-to-binary", "format"): (
        "assembly",
        "bin",
        "binary",
        "fatbin",
        "isa",
        "llvm",
        "offloading",
    )
}
"""Values of options which MLIR takes as any text, and ends the process for others."""

_MAX_DEPTH: Final = 16

_MAX_NESTED: Final = 1_000
"""How deep pipelines nest that MLIR is given to parse: some thousands overflow it."""

_UNANCHORED: Final = {("inline", "default-pipeline")}
"""Options whose pipelines MLIR puts into pass managers of any type, specific ones."""

_ON_ITS_OWN: Final = {("composite-fixed-point-pass", "pipeline")}
"""Options whose pipelines MLIR runs on the operation of the pass that has them."""


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
        for element, anchor in _passes_in(argument, option, _LATER, _MAX_DEPTH):
            message = _refusal(bindings, element, anchor)
            if message is not None:
                raise _at(option, message)


def check_option_values(
    bindings: Bindings, argument: str, options: Sequence[TextualOption]
) -> None:
    """Check that MLIR survives the values of `options`, which it has parsed.

    Args:
        bindings: have the passes.
        argument: of the pass, or registered pipeline, that has the options.
        options: as written.

    Raises:
        PassOptionError: it does not.
    """
    element = _element(argument, options)
    is_pass = argument in known_passes()
    for each in (element,) if is_pass else _added_by(bindings, str(element)):
        for wrong, message in _wrong_values(each):
            # Of a pipeline, it is known by what it hands on.
            for option in (wrong,) if is_pass else options:
                if _value(option) == _value(wrong):
                    raise _at(option, message)


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
    for element, around in _passes(elements, anchor, _MAX_DEPTH, any_=_LATER):
        refusal = _refusal(bindings, element, around)
        if refusal is not None:
            raise PassOptionError(refusal)


def dangers(
    bindings: Bindings, argument: str, options: Sequence[TextualOption]
) -> Iterator[tuple[str, NativePassInfo]]:
    """Yield the passes for which MLIR may end the process if `argument` is run.

    These are the pass itself, and those that it runs on its own operation.

    Args:
        bindings: have the passes.
        argument: of the pass, or of a pipeline that is registered.
        options: of it.
    """
    info = known_passes().get(argument)
    if info is None:
        for added in _added_by(bindings, str(_element(argument, options))):
            if added.name != argument:
                yield from dangers(bindings, added.name, added.options)
    elif info.is_dangerous:
        yield argument, info
    for option in options:
        if (argument, option.key) in _ON_ITS_OWN:
            for elements in _pipelines(option):
                for each in elements:
                    if each.nested is None:
                        yield from dangers(bindings, each.name, each.options)


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
    argument: str, option: TextualOption, around: str, depth: int
) -> Iterator[tuple[PipelineElement, str]]:
    """Yield all passes in the value of `option`, with their anchors.

    Args:
        argument: of the pass that has the option.
        option: as written.
        around: the anchor of that pass.
        depth: how deep options may nest in this one.
    """
    anchor = _LATER
    if (argument, option.key) in _UNANCHORED:
        anchor = _SOME_ANCHOR
    elif (argument, option.key) in _ON_ITS_OWN:
        anchor = around
    for elements in _pipelines(option):
        yield from _passes(elements, anchor, depth)


def _passes(
    elements: Iterable[PipelineElement],
    anchor: str,
    depth: int,
    *,
    any_: str = ANY_ANCHOR,
) -> Iterator[tuple[PipelineElement, str]]:
    """Yield all passes in `elements`, each with its anchor.

    Args:
        elements: of a pipeline.
        anchor: of the pipeline.
        depth: how deep options may nest in it.
        any_: the anchor of what is in `any(...)`, outside of options.

    Raises:
        PassOptionError: options with pipelines nest deeper than `depth`.
    """
    if not depth:
        message = f"pipelines in options nest at most {_MAX_DEPTH} deep"
        raise PassOptionError(message)
    for element in elements:
        if element.nested is not None:
            nested = any_ if element.name == ANY_ANCHOR else element.name
            yield from _passes(element.nested, nested, depth, any_=any_)
        else:
            yield element, anchor
            for option in element.options:
                yield from _passes_in(element.name, option, anchor, depth - 1)


def _refusal(bindings: Bindings, element: PipelineElement, anchor: str) -> str | None:
    """Return why `element` may not stand in a pass manager on `anchor`."""
    info = known_passes().get(element.name)
    if info is not None:
        return _wrong_place(element.name, info, anchor) or next(
            (message for _, message in _wrong_values(element)), None
        )
    for added in _added_by(bindings, str(element)):
        message = _refusal(bindings, added, anchor)
        if message is not None:
            return f"{message}, as '{element.name}' does"
    return None


def _wrong_place(argument: str, info: NativePassInfo, anchor: str) -> str | None:
    """Return why the pass called `argument` may not stand on `anchor`."""
    if anchor == _LATER:
        return None
    if info.is_dangerous and anchor in (ANY_ANCHOR, _SOME_ANCHOR):
        return f"MLIR cannot run '{argument}' on operations of all types"
    if info.endangers(anchor):
        return f"MLIR cannot run '{argument}' on '{anchor}'"
    if anchor == ANY_ANCHOR or info.anchor in (None, anchor):
        return None
    return (
        f"Can't add pass '{info.name}' restricted to '{info.anchor}' on a PassManager "
        f"intended to run on '{anchor or 'operations of several types'}'"
    )


def _wrong_values(element: PipelineElement) -> Iterator[tuple[TextualOption, str]]:
    """Yield the options in `element` that MLIR ends the process for, and why."""
    for option in element.options:
        known = _VALUES.get((element.name, option.key))
        if known is not None and _value(option) not in known:
            found = f"invalid {option.key} '{_value(option)}'"
            yield option, f"{found}; expected one of: {', '.join(known)}"


def _value(option: TextualOption) -> str:
    return "" if option.value is None else str(unwrap(option.value))


def _element(argument: str, options: Sequence[TextualOption]) -> PipelineElement:
    return PipelineElement(argument, Span(0, 0), tuple(options))


def _at(option: TextualOption, message: str) -> PassOptionError:
    """Return the error for the value of `option`."""
    error = PassOptionError(message)
    error.span = option.value_span
    return error


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
