"""Remarks: reports of passes about their decisions, for listeners.

    class Unroll(Remarks, OperationPass[UnrollOptions]):
        def run_on_operation(self) -> None:
            ...
            self.remarks.missed("the loop has {count} iterations", loop, count=count)

    with collecting_remarks(manager) as remarks:
        manager.run(module)

Without a listener, a remark is not formatted.
"""

from passgen_runtime.remarks.declarations import (
    DeclaredRemark,
    declared_remarks,
    remark,
)
from passgen_runtime.remarks.emission import RemarkEmitter, Remarks
from passgen_runtime.remarks.emitted_remark import (
    REMARK_KINDS,
    FieldValue,
    Remark,
    RemarkKind,
)
from passgen_runtime.remarks.listeners import (
    RemarkFilter,
    RemarkListener,
    RemarkReceiver,
    collecting_remarks,
)
from passgen_runtime.remarks.yaml import remark_yaml

__all__ = [
    "REMARK_KINDS",
    "DeclaredRemark",
    "FieldValue",
    "Remark",
    "RemarkEmitter",
    "RemarkFilter",
    "RemarkKind",
    "RemarkListener",
    "RemarkReceiver",
    "Remarks",
    "collecting_remarks",
    "declared_remarks",
    "remark",
    "remark_yaml",
]
