"""Remarks: reports of passes about their decisions, for listeners.

    class Unroll(Remarks, OperationPass[UnrollOptions]):
        def run_on_operation(self) -> None:
            ...
            self.remarks.missed("the loop has {count} iterations", loop, count=count)

    with collecting_remarks(manager) as remarks:
        manager.run(module)

Without a listener, a remark is not formatted.
"""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_runtime.remarks.declarations import (
    DeclaredRemark as DeclaredRemark,
    declared_remarks as declared_remarks,
    remark as remark,
)
from passgen_runtime.remarks.emission import (
    RemarkEmitter as RemarkEmitter,
    Remarks as Remarks,
)
from passgen_runtime.remarks.emitted_remark import (
    REMARK_KINDS as REMARK_KINDS,
    FieldValue as FieldValue,
    Remark as Remark,
    RemarkKind as RemarkKind,
)
from passgen_runtime.remarks.listeners import (
    RemarkFilter as RemarkFilter,
    RemarkListener as RemarkListener,
    RemarkReceiver as RemarkReceiver,
    collecting_remarks as collecting_remarks,
)
from passgen_runtime.remarks.yaml import remark_yaml as remark_yaml
