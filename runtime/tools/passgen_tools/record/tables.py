"""The tables of a run record: each column is declared here, with its type.

SQL that creates, fills and reads the tables is made of these declarations. Times are
seconds after the begin of their run.
"""

from __future__ import annotations

from typing import Annotated, Final, NamedTuple, TypeAlias

RowId: TypeAlias = Annotated[int, "PRIMARY KEY"]
RunId: TypeAlias = Annotated[int, "REFERENCES run"]
PassId: TypeAlias = Annotated[int, "REFERENCES pass"]
OperationId: TypeAlias = Annotated[int, "REFERENCES operation"]
IRId: TypeAlias = Annotated[int, "REFERENCES ir"]
ExecutionId: TypeAlias = Annotated[int, "REFERENCES execution"]
DiagnosticId: TypeAlias = Annotated[int, "REFERENCES diagnostic"]
Unique: TypeAlias = Annotated[bytes, "UNIQUE"]


class RecordedRun(NamedTuple):
    """One call of `PassManager.run`."""

    id: RowId
    pipeline: str
    """The text that the runtime parses; that of a log as found."""

    settings: str
    """JSON: `verify_each`, `is_multithreaded`, the command of a driver with the flags
    that a pass needs; or `dumps`."""

    versions: str
    """JSON: the versions of Python, the runtime and the IR library."""

    process_id: int
    """The process; 0 for the record of a log of IR dumps."""

    status: str
    """`running`, `succeeded` or `failed`."""

    error: str | None
    """The failure, with its Python stack."""

    wall_time_s: float | None
    """The time of the run; NULL until it has ended."""

    operation_id: OperationId | None
    before_id: IRId | None
    """The IR before the first pass."""

    after_id: IRId | None
    """The IR after the last pass."""


class RecordedPass(NamedTuple):
    """A pass at one place in a pipeline: `builtin.module/func.func[1]/cse[0]`.

    The numbers count passes, and groups of nested pipelines that share a walk, from 0.
    """

    id: RowId
    run_id: RunId
    path: str
    argument: str
    name: str
    """The name of its class."""

    text: str
    """The pass with its options, as a pipeline shows it."""


class RecordedOperation(NamedTuple):
    """An operation that passes ran on."""

    id: RowId
    run_id: RunId
    path: str
    """`@outer/@f`, or `func.func[2]` without a symbol."""

    name: str
    location: str


class RecordedIR(NamedTuple):
    """A text of IR.

    That of a module holds none of the operations directly inside, if all of these are
    isolated or symbols: they are its rows in `ir_child`.
    """

    id: RowId
    digest: Unique
    """The digest of the text, and of the digests and names of the children."""

    text: bytes
    """The text in UTF-8, compressed by zlib."""

    num_operations: int
    """The number of operations, with everything inside."""


class RecordedChild(NamedTuple):
    """A text of IR directly inside another one."""

    ir_id: IRId
    position: int
    child_id: IRId
    name: str
    """The last part of the operation's path: `@f` or `func.func[2]`."""


class RecordedExecution(NamedTuple):
    """One call of a pass on an operation.

    `after_id` is `before_id` if nothing has changed; NULL if it is not known, because
    the pass has not ended, or a log of IR dumps does not show it.
    """

    id: RowId
    run_id: RunId
    pass_id: PassId
    operation_id: OperationId
    parent_id: ExecutionId | None
    """The pass that ran the pipeline of this one."""

    position: int | None
    """The place in the order of one thread; NULL until the pass has ended."""

    status: str
    """`running`, `succeeded` or `failed`."""

    thread: int
    """The thread from 0; below 0 for a worker."""

    begin_s: float
    end_s: float | None
    before_id: IRId | None
    after_id: IRId | None


class RecordedStatistic(NamedTuple):
    """A number that a pass has added to a statistic in one execution.

    Zeros are in the first execution of each pass alone.
    """

    execution_id: ExecutionId
    name: str
    value: int


class RecordedRemark(NamedTuple):
    """A remark of a pass: its decision and the reason. In the order of one thread."""

    id: RowId
    run_id: RunId
    execution_id: ExecutionId | None
    kind: str
    """One of the kinds of remarks: `passed`, `missed`, ..."""

    category: str
    """The text that filters match: by default, the argument of the pass."""

    name: str
    """Identifies the remark in its category."""

    operation: str | None
    """The path of the closest operation that has a symbol."""

    location: str
    message: str
    fields: str
    """JSON: the values in the message, others, `advice`."""


class RecordedDiagnostic(NamedTuple):
    """A diagnostic, in the order in which they were reported."""

    id: RowId
    run_id: RunId
    execution_id: ExecutionId | None
    """The execution that reported it; NULL outside of passes."""

    severity: str
    """`error`, `warning`, `remark` or `note`."""

    message: str
    location: str
    parent_id: DiagnosticId | None
    """The diagnostic that a note belongs to."""


TABLES: Final[dict[type[tuple[object, ...]], str]] = {
    RecordedRun: "run",
    RecordedPass: "pass",
    RecordedOperation: "operation",
    RecordedIR: "ir",
    RecordedChild: "ir_child",
    RecordedExecution: "execution",
    RecordedStatistic: "statistic",
    RecordedRemark: "remark",
    RecordedDiagnostic: "diagnostic",
}
"""The name of each table."""

KEYS: Final = {
    "pass": "UNIQUE (run_id, path)",
    "operation": "UNIQUE (run_id, path)",
    "ir_child": "PRIMARY KEY (ir_id, position)",
    "statistic": "PRIMARY KEY (execution_id, name)",
}
"""The keys of several columns. A table with such a primary key has no ids of rows."""
