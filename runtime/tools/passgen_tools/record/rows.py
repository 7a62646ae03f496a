"""The rows of a run record as plain data, which the listeners of a run make.

They refer to one another by what they are about, not by ids of a file: operations and
passes by path, IR by hexadecimal digest, executions by their number in the run. So they
may come from another process. A row comes after those that it refers to.
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
    """JSON, as that of the versions."""

    versions: str
    process_id: int


class InputOfRun(NamedTuple):
    """The outermost operation, before the first pass."""

    operation: str
    operation_name: str
    location: str
    before: str | None


class EndRun(NamedTuple):
    """The end of a run; may come a second time, with the error that a program saw."""

    status: str
    error: str | None = None
    """The failure, with its Python stack."""

    wall_time_s: float | None = None
    after: str | None = None
    """The IR after the last pass; `None` if that is known already, or no pass ran."""


class IRRow(NamedTuple):
    """A text of IR, once in a run."""

    digest: str
    ir: str
    """The text of the operation without that of its children."""

    num_operations: int
    children: Sequence[tuple[str, str]]
    """The digest and the name of each."""


def ir_row(text: str, children: Sequence[tuple[str, str]], size: int) -> IRRow:
    """Return the row of an operation.

    Args:
        text: without that of the children.
        children: the digest and the name of each.
        size: the number of operations, with those in the children.
    """
    digest = digest_of(f"{text}\0{children}" if children else text).hex()
    return IRRow(digest, text, size, children)


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
    """The IR that the pass got; `None` if a log of dumps does not show it."""


class EndExecution(NamedTuple):
    """The end of a call of a pass; these come in the order of one thread."""

    number: int
    position: int
    """The place of its begin in the order of one thread."""

    status: str
    begin_s: float
    """The begin, without the time that it took to write it."""

    end_s: float | None
    after: str | None
    """The IR that the pass left; `None` if a log of dumps does not show it."""

    statistics: Mapping[str, int]
    """What the pass has added to each."""

    maxima: Mapping[str, int]
    """The values of those statistics that keep a maximum; a file does without."""


class DiagnosticRow(NamedTuple):
    """A diagnostic with its notes, in the order of one thread."""

    execution: int | None
    diagnostic: Diagnostic


class RemarkRow(NamedTuple):
    """A remark of a pass, in the order of one thread."""

    running: int | None
    """The execution that it comes from."""

    operation: str
    """The path of the closest operation around that has a symbol."""

    kind: str
    category: str
    remark_name: str
    place: str
    """The location; that of a worker is the run's."""

    message: str
    fields: str
    """JSON."""


Row: TypeAlias = (
    BeginRun
    | InputOfRun
    | EndRun
    | IRRow
    | BeginExecution
    | EndExecution
    | DiagnosticRow
    | RemarkRow
)

WriteRow: TypeAlias = Callable[[Row], object]
"""Takes a row: appends it to a list, or to a file."""
