"""Notes on a pipeline that does not begin with one anchor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from passgen_runtime.context import Context
from passgen_runtime.errors import PipelineError
from passgen_runtime.pass_manager import OpPassManager
from passgen_runtime.pass_registry.entries import PassEntry
from passgen_runtime.pass_registry.pass_registry import PassRegistry
from passgen_runtime.pass_registry.pipeline_resolver import PipelineResolver
from passgen_runtime.pass_registry.spelling_advice import (
    bracket_advice,
    spellings,
)
from passgen_runtime.textual_pipeline import (
    ANY_ANCHOR,
    PipelineElement,
    parse_elements,
)

_OUTERMOST = "builtin.module"


def anchor_advice(
    text: str, registry: PassRegistry, context: Context | None, *, is_trusted: bool
) -> Iterator[str]:
    """Yield a note with the pipeline that `text` may mean, if there is one.

    The pipeline was resolved: its names are known, and each pass can run on its anchor.

    Args:
        text: what is no anchored pipeline.
        registry: where names are looked up.
        context: of the anchors, if it is given.
        is_trusted: whether passes may be made that reach beyond the IR.
    """
    nesting = _Nesting(registry, context, is_trusted)
    elements, anchored = nesting.read(text)
    if anchored is not None and any(element.nested is not None for element in elements):
        yield f"a pipeline has one anchor around it: '{anchored}'"
    elif anchored is not None:
        yield f"'{anchored}' wraps it"
    else:
        for other in spellings(text):
            _, anchored = nesting.read(other)
            if anchored is not None:
                yield f"did you mean '{anchored}'?"
                return
        yield from bracket_advice(text, registry)


@dataclass(frozen=True)
class _Nesting:
    """Finds the anchors that elements can run in, by resolving them there."""

    registry: PassRegistry
    context: Context | None
    is_trusted: bool

    def read(self, text: str) -> tuple[tuple[PipelineElement, ...], str | None]:
        """Return the elements in `text` and the pipeline that they make, if any."""
        try:
            elements = parse_elements(text).elements
        except PipelineError:
            return (), None
        return elements, self.anchored(elements) if elements else None

    def anchored(self, elements: tuple[PipelineElement, ...]) -> str | None:
        """Return `elements` in the outermost anchor, nested as they need it, if any."""
        inner: list[PipelineElement] = []
        for element in elements:
            is_outermost = element.name == _OUTERMOST and element.nested is not None
            inner += (element.nested or ()) if is_outermost else (element,)
        parts: list[str] = []
        for anchor, group in groupby(inner, self._anchor):
            if anchor is None:
                return None
            inside = ",".join(map(str, group))
            parts.append(f"{anchor}({inside})" if anchor else inside)
        return f"{_OUTERMOST}({','.join(parts)})"

    def _anchor(self, element: PipelineElement) -> str | None:
        """Return the first anchor that `element` can run in; empty if it needs none."""
        entry = self.registry.lookup(element.name)
        declared = entry.pass_class.anchor if isinstance(entry, PassEntry) else None
        for anchor in ("", declared, ANY_ANCHOR):
            if anchor is not None and self._can_run(element, anchor):
                return anchor
        return None

    def _can_run(self, element: PipelineElement, anchor: str) -> bool:
        text = f"{anchor}({element})" if anchor else str(element)
        resolver = PipelineResolver(
            text, self.registry, self.context, is_trusted=self.is_trusted
        )
        manager = OpPassManager(_OUTERMOST, context=self.context)
        try:
            resolver.fill(manager, parse_elements(text).elements)
            resolver.report()
        except PipelineError:
            return False
        return True
