"""The tables of a run record: each column is declared here, with its type.

The SQL that creates, fills and reads the tables is made from these declarations. Times
are seconds after the begin of their run.
"""

from __future__ import annotations

from typing import Annotated, Final, NamedTuple, TypeAlias

RowId: TypeAlias = Annotated[int, "PRIMARY KEY"]
RunId: TypeAlias = Annotated[int, "REFERENCES run"]
PassId: TypeAlias = Annotated[int, "REFERENCES pass"]
OperationId: TypeAlias = Annotated[int, "REFERENCES operation"]
IRId: TypeAlias = Annotated[int, "REFERENCES ir"]
ResourceId: TypeAlias = Annotated[int, "REFERENCES resource"]
ExecutionId: TypeAlias = Annotated[int, "REFERENCES execution"]
DiagnosticId: TypeAlias = Annotated[int, "REFERENCES diagnostic"]
Unique: TypeAlias = Annotated[bytes, "UNIQUE"]


class RecordedRun(NamedTuple):
    """One call of `PassManager.run`."""

    id: RowId
    pipeline: str
    """The pipeline as text; for a log of IR dumps, as derived from the dumps."""

    settings: str
    """JSON: `verify_each`, `is_multithreaded`, and `command`, the driver with the flags
    that its passes need; for a log of IR dumps, `dumps`."""

    versions: str
    """JSON: the versions of Python, the runtime and the IR library."""

    process_id: int
    """The process id; 0 for the record of a log of IR dumps."""

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

    If all operations directly inside a module are isolated or symbols, they have texts
    of their own, and the text of the module omits them; `ir_child` lists them.
    """

    id: RowId
    digest: Unique
    """The digest of the text, of the digests and names of the children, and of the
    digests and names of the resources."""

    text: bytes
    """The text in UTF-8, compressed by zlib."""

    num_operations: int
    """The number of operations, nested ones included."""


class RecordedChild(NamedTuple):
    """A text of IR directly inside another one."""

    ir_id: IRId
    position: int
    child_id: IRId
    name: str
    """The last part of the operation's path: `@f` or `func.func[2]`."""


class RecordedResource(NamedTuple):
    """The content of resources: what is too large for the text of IR."""

    id: RowId
    digest: Unique
    """The digest of the content."""

    content: bytes | None
    """The content as a literal of MLIR, in UTF-8 and compressed by zlib; NULL if only
    digests are recorded."""


class RecordedReference(NamedTuple):
    """A resource that a text of IR refers to, as in `dense_resource<key>`."""

    ir_id: IRId
    dialect: str
    key: str
    resource_id: ResourceId


class RecordedExternalResource(NamedTuple):
    """A resource in the file of the input that belongs to no dialect."""

    run_id: RunId
    position: int
    owner: str
    key: str
    resource_id: ResourceId


class RecordedExecution(NamedTuple):
    """One call of a pass on an operation.

    `after_id` equals `before_id` if nothing has changed. It is NULL if the pass has not
    ended, or if a log of IR dumps does not show the IR.
    """

    id: RowId
    run_id: RunId
    pass_id: PassId
    operation_id: OperationId
    parent_id: ExecutionId | None
    """The execution of the pass that ran this one in a dynamic pipeline."""

    position: int | None
    """The place in the order of one thread; NULL until the pass has ended."""

    status: str
    """`running`, `succeeded`, `failed`; or `skipped`: it would have changed nothing."""

    thread: int
    """The number of the thread, from 0; negative for a worker."""

    begin_s: float
    end_s: float | None
    before_id: IRId | None
    after_id: IRId | None


class RecordedStatistic(NamedTuple):
    """A number that a pass has added to a statistic in one execution.

    Only the first execution of each pass has rows with 0.
    """

    execution_id: ExecutionId
    name: str
    value: int


class RecordedRemark(NamedTuple):
    """A remark of a pass: its decision and the reason; rows have one thread's order."""

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
    """JSON: the values in the message, further ones, and `advice`."""


class RecordedDiagnostic(NamedTuple):
    """A diagnostic or a note; rows are in the order of their report."""

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
    RecordedResource: "resource",
    RecordedReference: "ir_resource",
    RecordedExternalResource: "external_resource",
    RecordedExecution: "execution",
    RecordedStatistic: "statistic",
    RecordedRemark: "remark",
    RecordedDiagnostic: "diagnostic",
}
"""The name of each table."""

SINCE_VERSION_3: Final = frozenset(
    {RecordedResource, RecordedReference, RecordedExternalResource}
)
"""The tables that records of version 2 do not have."""

KEYS: Final = {
    "pass": "UNIQUE (run_id, path)",
    "operation": "UNIQUE (run_id, path)",
    "ir_child": "PRIMARY KEY (ir_id, position)",
    "ir_resource": "PRIMARY KEY (ir_id, dialect, key)",
    "external_resource": "PRIMARY KEY (run_id, position)",
    "statistic": "PRIMARY KEY (execution_id, name)",
}
"""The keys that span several columns; a table with such a primary key has no `id`."""
