"""The places of passes in a pipeline, found from what ran on each operation.

Dumps name passes and operations, and not the pipeline. Operations of one type run
through the same passes, so their sequences are laid over one another: a pass that is
missing on one of them is found on others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from passgen_runtime.extensions.record.dumps.dump_log import Dump
from passgen_runtime.extensions.record.dumps.ir_table import StoredIR

_WINDOW: Final = 200
"""How far the sequences of two operations are compared ahead."""


@dataclass(slots=True, eq=False)
class LoggedExecution:
    """A call of a pass on an operation, as far as dumps show it."""

    number: int
    """From 1, in the order of the first dumps."""

    dump: Dump
    """The first one, which names the pass and its operation."""

    end: Dump | None = None
    """The one after the pass."""

    path: str = ""
    """The place of the pass, e.g. `builtin.module/func.func[1]/cse[0]`."""

    status: str = "running"
    before: StoredIR | None = None
    after: StoredIR | None = None
    parent: LoggedExecution | None = None
    inside: Pipeline | None = None
    """What ran within this pass."""

    @property
    def is_interval(self) -> bool:
        """Whether there are dumps before and after the pass."""
        return self.end is not None and self.end is not self.dump

    @property
    def argument(self) -> str:
        """The pass without its options."""
        return self.dump.pass_text.split("{")[0]

    @property
    def anchor(self) -> str:
        """E.g. `func.func`; another pass may get the function as `llvm.func`."""
        return self.dump.operation or self.dump.ir.name


@dataclass(slots=True, eq=False)
class Pipeline:
    """The pipeline that ran on an operation: passes, and nested pipelines."""

    anchor: str
    steps: list[LoggedExecution | dict[str, Pipeline]] = field(default_factory=list)

    def run_pass(
        self, around: Sequence[tuple[str, str]], step: LoggedExecution
    ) -> None:
        """Add a pass on the operation that is inside of `around`.

        Args:
            around: the operations from below that of this pipeline to that of the
                pass: their parts of its path and their names.
            step: the pass.
        """
        pipeline = self
        for part, anchor in around:
            if not pipeline.steps or isinstance(pipeline.steps[-1], LoggedExecution):
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
            if isinstance(step, LoggedExecution):
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


def _label(step: LoggedExecution | dict[str, Pipeline]) -> str | None:
    """Return the key by which steps of operations are equal; none for collections."""
    return step.dump.pass_text if isinstance(step, LoggedExecution) else None


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
