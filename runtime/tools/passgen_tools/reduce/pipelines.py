"""Reduction of the pipeline of a reproducer: passes are dropped, then options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from passgen_runtime.textual_pipeline import (
    PipelineElement,
    TextualOption,
    parse_pipeline,
)
from passgen_tools.reduce.chunks import remove_chunks


class PipelineReducer:
    """Makes a textual pipeline smaller; its passes need not be known."""

    def __init__(
        self,
        text: str,
        find_first: Callable[[Iterable[str]], int | None],
        on_smaller: Callable[[], object],
    ) -> None:
        """Parse `text`.

        Args:
            text: the pipeline.
            find_first: returns the index of the first interesting pipeline.
            on_smaller: is called for each smaller result.

        Raises:
            PipelineError: the text is no pipeline.
        """
        (self._root,) = parse_pipeline(text).elements
        self._find_first = find_first
        self._on_smaller = on_smaller

    def __str__(self) -> str:
        """Return the text of the reduced pipeline."""
        return str(self._root)

    @property
    def num_passes(self) -> int:
        """The number of passes that are left."""
        return sum(element.nested is None for _, element in _walk(self._root))

    def run(self) -> bool:
        """Drop passes, outer pipelines first, then options; return whether any went."""
        text_before = str(self)
        depth = 1
        while elements := self._elements_at(depth):
            self._remove(elements)
            depth += 1
        self._remove(self._options())
        return str(self) != text_before

    def _elements_at(self, depth: int) -> list[PipelineElement]:
        """Return the elements that are nested in `depth` others."""
        return [
            element
            for element_depth, element in _walk(self._root)
            if element_depth == depth
        ]

    def _options(self) -> list[TextualOption]:
        """Return the options of all elements."""
        options: list[TextualOption] = []
        for _, element in _walk(self._root):
            options += element.options
        return options

    def _remove(self, things: Sequence[PipelineElement | TextualOption]) -> None:
        """Remove as many elements and options of the pipeline as possible."""

        def remove_first(
            chunks: Sequence[Sequence[PipelineElement | TextualOption]],
        ) -> int | None:
            candidates: list[PipelineElement] = []
            for chunk in chunks:
                identities = {id(thing) for thing in chunk}
                candidates.append(_without(self._root, identities))
            found = self._find_first(map(str, candidates))
            if found is not None:
                self._root = candidates[found]
                self._on_smaller()
            return found

        remove_chunks(things, remove_first)


def _walk(
    element: PipelineElement, depth: int = 0
) -> Iterator[tuple[int, PipelineElement]]:
    """Yield an element and those nested in it, each with its depth."""
    yield depth, element
    for nested in element.nested or ():
        yield from _walk(nested, depth + 1)


def _without(element: PipelineElement, removed: set[int]) -> PipelineElement:
    """Return `element` without the elements and options that have these identities.

    What is left keeps its identity, but for what is around something that is removed.
    """
    options = tuple(option for option in element.options if id(option) not in removed)
    nested = element.nested
    if nested is not None:
        left = [inner for inner in nested if id(inner) not in removed]
        nested = tuple(_without(inner, removed) for inner in left)
    changed = replace(element, options=options, nested=nested)
    return element if changed == element else changed
