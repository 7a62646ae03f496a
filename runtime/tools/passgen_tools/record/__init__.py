"""Run records: a SQLite file with the passes and the IR of a run, and its reader."""

from passgen_tools.record.dumps import record_dumps
from passgen_tools.record.ir_store import ir_digest
from passgen_tools.record.operation_paths import (
    OperationPaths,
    inner_path,
    is_outermost,
)
from passgen_tools.record.record_check import report_damage
from passgen_tools.record.record_file import (
    RecordError,
    begin_record,
    end_killed_run,
    files_beside,
    may_be_record,
)
from passgen_tools.record.recorded_steps import (
    IRStates,
    RecordedSteps,
    Step,
    replace_states,
)
from passgen_tools.record.recording import Recording, enable_recording, record, versions
from passgen_tools.record.run_record import Change, Execution, RunRecord
from passgen_tools.record.tables import RecordedExecution, RecordedPass

__all__ = [
    "Change",
    "Execution",
    "IRStates",
    "OperationPaths",
    "RecordError",
    "RecordedExecution",
    "RecordedPass",
    "RecordedSteps",
    "Recording",
    "RunRecord",
    "Step",
    "begin_record",
    "enable_recording",
    "end_killed_run",
    "files_beside",
    "inner_path",
    "ir_digest",
    "is_outermost",
    "may_be_record",
    "record",
    "record_dumps",
    "replace_states",
    "report_damage",
    "versions",
]
