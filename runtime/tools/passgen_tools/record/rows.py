"""The rows of a run record as plain data, which the listeners of a run make.

Rows contain no ids of a file, so they may come from another process. They refer to
operations and passes by path, to IR by hexadecimal digest, and to executions by their
number in the run. A row comes after the rows that it refers to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from passgen_runtime.diagnostics import Diagnostic
from passgen_runtime.ir.digests import digest_of


class BeginRun(NamedTuple):
    """The begin of a call of `PassManager.run`."""

    pipeline: str
    settings: str
    """JSON; see `RecordedRun`."""

    versions: str
    process_id: int


class InputOfRun(NamedTuple):
    """The outermost operation, before the first pass."""

    operation: str
    operation_name: str
    location: str
    before: str | None


class EndRun(NamedTuple):
    """The end of a run; a second row may add the error that the run raised."""

    status: str
    error: str | None = None
    """The failure, with its Python stack."""

    wall_time_s: float | None = None
    after: str | None = None
    """The IR after the last pass; `None` if an earlier row has it, or no pass ran."""


class ResourceRow(NamedTuple):
    """The content of resources; a run has one row for each distinct content."""

    digest: str
    content: str | None
    """The content as a literal of MLIR; `None` if only the digest is kept."""


class ExternalResourceRow(NamedTuple):
    """A resource of the input that no dialect owns."""

    position: int
    owner: str
    key: str
    resource: str
    """The digest of the content."""


class IRRow(NamedTuple):
    """A text of IR; a run has one row for each distinct text."""

    digest: str
    ir: str
    """The text of the operation without that of its children."""

    num_operations: int
    children: Sequence[tuple[str, str]]
    """The digest and the name of each child."""

    resources: Sequence[tuple[str, str, str]] = ()
    """The dialect, the key and the digest of each resource that the text refers to."""


def resource_row(literal: str) -> ResourceRow:
    """Return the row of a content, a literal of MLIR."""
    return ResourceRow(digest_of(literal).hex(), literal)


def ir_row(
    text: str,
    children: Sequence[tuple[str, str]],
    size: int,
    resources: Sequence[tuple[str, str, str]] = (),
) -> IRRow:
    """Return the row of an operation.

    Args:
        text: the text of the operation, without that of its children.
        children: the digest and the name of each child.
        size: the number of operations, with those in the children.
        resources: the dialect, the key and the digest of each resource that the text
            refers to.
    """
    parts = (text, *(f"\0{part}" for part in (children, resources) if part))
    digest = digest_of("".join(parts)).hex()
    return IRRow(digest, text, size, children, resources)


class BeginExecution(NamedTuple):
    """The begin of a call of a pass."""

    number: int
    """The place in the order in which calls begin, from 1; threads may change it."""

    path: str
    """The place of the pass in the pipeline."""

    argument: str
    name: str
    """The name of the pass's class."""

    text: str
    operation: str
    """The path of the operation."""

    operation_name: str
    location: str
    parent: int | None
    """The execution that runs the pipeline of this one."""

    thread: int
    begin_s: float
    before: str | None
    """The IR before the pass; `None` if a log of dumps does not show it."""


class EndExecution(NamedTuple):
    """The end of a call of a pass; rows are in the order of one thread."""

    number: int
    position: int
    """The place in the order in which one thread would begin the calls."""

    status: str
    begin_s: float
    """The begin of the pass, after `BeginExecution` was written."""

    end_s: float | None
    after: str | None
    """The IR after the pass; `None` if a log of dumps does not show it."""

    statistics: Mapping[str, int]
    """The number that the pass has added to each statistic."""

    maxima: Mapping[str, int]
    """The values of statistics that keep a maximum; they are not in the file."""


class DiagnosticRow(NamedTuple):
    """A diagnostic with its notes, in the order of one thread."""

    execution: int | None
    diagnostic: Diagnostic


class RemarkRow(NamedTuple):
    """A remark of a pass, in the order of one thread."""

    running: int | None
    """The execution that emitted the remark."""

    operation: str
    """The path of the closest operation with a symbol: itself, or a parent."""

    kind: str
    category: str
    remark_name: str
    place: str
    """The location, which is the same in a worker and in the run."""

    message: str
    fields: str
    """JSON; see `RecordedRemark`."""


Row: TypeAlias = (
    BeginRun
    | InputOfRun
    | EndRun
    | ResourceRow
    | ExternalResourceRow
    | IRRow
    | BeginExecution
    | EndExecution
    | DiagnosticRow
    | RemarkRow
)

WriteRow: TypeAlias = Callable[[Row], object]
"""Writes a row to a list or a file."""
