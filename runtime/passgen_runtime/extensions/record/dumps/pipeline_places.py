"""The places of passes in a pipeline, found from what ran on each operation.

Dumps name passes and operations, and not the pipeline. Operations of one type run
through the same passes, so their sequences are laid over one another: a pass that is
missing on one of them is found on others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

_WINDOW: Final = 200
"""How far the sequences of two operations are compared ahead."""


@dataclass(slots=True, eq=False)
class Step:
    """A pass on an operation."""

    text: str
    """With its options, as a pipeline shows it."""

    argument: str
    path: str = ""
    """The place that was found, e.g. `builtin.module/func.func[1]/cse[0]`."""


@dataclass(slots=True, eq=False)
class Pipeline:
    """A step that ran on an operation: a pass, or a collection of nested pipelines."""

    anchor: str
    steps: list[Step | dict[str, Pipeline]] = field(default_factory=list)

    def run_pass(self, around: Sequence[tuple[str, str]], step: Step) -> None:
        """Add a pass on the operation that is inside of `around`.

        Args:
            around: the operations from below that of this pipeline to that of the
                pass: their parts of its path and their names.
            step: the pass.
        """
        pipeline = self
        for part, anchor in around:
            if not pipeline.steps or isinstance(pipeline.steps[-1], Step):
                pipeline.steps.append({})
            collection = pipeline.steps[-1]
            assert isinstance(collection, dict)
            pipeline = collection.setdefault(part, Pipeline(anchor))
        pipeline.steps.append(step)


def place(pipelines: Sequence[Pipeline], path: str) -> str:
    """Give the steps of `pipelines` their paths below `path`.

    Args:
        pipelines: what ran on each of the operations that one pipeline is for.
        path: the place of the pipeline.

    Returns:
        The passes of the pipeline as text.
    """
    order = _merge([[_label(step) for step in every.steps] for every in pipelines])
    collections: dict[int, dict[str, list[Pipeline]]] = {}
    for pipeline in pipelines:
        position = -1
        for step in pipeline.steps:
            position = order.index(_label(step), position + 1)
            if isinstance(step, Step):
                step.path = f"{path}/{step.argument}[{position}]"
                continue
            by_anchor = collections.setdefault(position, {})
            for nested in step.values():
                by_anchor.setdefault(nested.anchor, []).append(nested)
    texts: list[str] = []
    for position, label in enumerate(order):
        if label is not None:
            texts.append(label)
            continue
        for anchor, nested_ones in collections[position].items():
            text = place(nested_ones, f"{path}/{anchor}[{position}]")
            texts.append(f"{anchor}({text})")
    return ",".join(texts)


def _label(step: Step | dict[str, Pipeline]) -> str | None:
    """Return the key by which steps of operations are equal; none for collections."""
    return step.text if isinstance(step, Step) else None


def _merge(sequences: Sequence[list[str | None]]) -> list[str | None]:
    """Return a sequence that holds each of `sequences` in its order."""
    distinct = {tuple(sequence): sequence for sequence in sequences}
    longest_first = sorted(distinct.values(), key=len, reverse=True)
    merged = list(longest_first[0]) if longest_first else []
    for sequence in longest_first[1:]:
        position = 0
        for label in sequence:
            try:
                position = merged.index(label, position, position + _WINDOW)
            except ValueError:
                merged.insert(position, label)
            position += 1
    return merged
