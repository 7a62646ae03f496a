"""The places of passes in a pipeline, derived from the passes on each operation.

Dumps name passes and operations, but not the pipeline. Operations of one type have the
same passes, so their sequences of passes are merged: a pass without a dump on one
operation may have a dump on another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from passgen_tools.record.dumps.dump_log import Dump
from passgen_tools.record.dumps.ir_table import StoredIR

_WINDOW: Final = 200
"""How many steps of the merged sequence are searched for the next step."""


@dataclass(slots=True, eq=False)
class LoggedExecution:
    """An execution of a pass on an operation, derived from dumps."""

    number: int
    """The place in the order of the first dumps of executions, from 1."""

    dump: Dump
    """The first dump, which names the pass and its operation."""

    end: Dump | None = None
    """The dump after the pass."""

    path: str = ""
    """The place of the pass, e.g. `builtin.module/func.func[1]/cse[0]`."""

    status: str = "running"
    before: StoredIR | None = None
    after: StoredIR | None = None
    parent: LoggedExecution | None = None
    inside: Pipeline | None = None
    """The pipeline that ran inside this pass."""

    @property
    def is_interval(self) -> bool:
        """Whether there are dumps before and after the pass."""
        return self.end is not None and self.end is not self.dump

    @property
    def argument(self) -> str:
        """The argument of the pass, without its options."""
        return self.dump.header.pass_text.split("{")[0]

    @property
    def anchor(self) -> str:
        """The name of the operation in the first dump; later passes may change it."""
        return (self.dump.header.operation or self.dump.ir).name


@dataclass(slots=True, eq=False)
class Pipeline:
    """The pipeline that ran on an operation: passes, and nested pipelines."""

    anchor: str
    steps: list[LoggedExecution | dict[str, Pipeline]] = field(default_factory=list)

    def run_pass(
        self, around: Sequence[tuple[str, str]], step: LoggedExecution
    ) -> None:
        """Add a pass on a nested operation.

        Args:
            around: the parts of the operation's path below this pipeline's operation,
                with the names of the operations.
            step: the execution of the pass.
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
    """Set the paths of the steps of `pipelines`, below `path`.

    Args:
        pipelines: the runs of one pipeline on each of its operations.
        path: the place of the pipeline.

    Returns:
        The passes of the pipeline as text.
    """
    order = _merge([[_label(step) for step in run.steps] for run in pipelines])
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
        for anchor, runs in collections[position].items():
            text = place(runs, f"{path}/{anchor}[{position}]")
            texts.append(f"{anchor}({text})")
    return ",".join(texts)


def _label(step: LoggedExecution | dict[str, Pipeline]) -> str | None:
    """Return the text that equal steps share; `None` for nested pipelines."""
    return step.dump.header.pass_text if isinstance(step, LoggedExecution) else None


def _merge(sequences: Sequence[list[str | None]]) -> list[str | None]:
    """Return a sequence that has each of `sequences` as a subsequence."""
    distinct = {tuple(sequence): sequence for sequence in sequences}
    merged: list[str | None] = []
    for sequence in sorted(distinct.values(), key=len, reverse=True):
        position = 0
        for label in sequence:
            try:
                position = merged.index(label, position, position + _WINDOW)
            except ValueError:
                merged.insert(position, label)
            position += 1
    return merged
