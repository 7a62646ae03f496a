"""Run records: a SQLite file with the passes and the IR of a run, and its reader."""

# ruff: noqa: I001 - `A as A` re-exports A; isort would write an import per name

from passgen_tools.record.dumps import record_dumps as record_dumps
from passgen_tools.record.executions import (
    Change as Change,
    Execution as Execution,
)
from passgen_tools.record.ir_store import ir_digest as ir_digest
from passgen_tools.record.operation_paths import (
    OperationPaths as OperationPaths,
    inner_path as inner_path,
    is_outermost as is_outermost,
)
from passgen_tools.record.record_check import report_damage as report_damage
from passgen_tools.record.record_file import (
    VERSION_WITHOUT_RESOURCES as VERSION_WITHOUT_RESOURCES,
    RecordError as RecordError,
    begin_record as begin_record,
    end_killed_run as end_killed_run,
    files_beside as files_beside,
    may_be_record as may_be_record,
)
from passgen_tools.record.recorded_steps import (
    IRStates as IRStates,
    RecordedSteps as RecordedSteps,
    Step as Step,
    replace_states as replace_states,
)
from passgen_tools.record.recording import (
    RecordedResources as RecordedResources,
    Recording as Recording,
    enable_recording as enable_recording,
    record as record,
    versions as versions,
)
from passgen_tools.record.run_record import (
    MissingResourceError as MissingResourceError,
    RunRecord as RunRecord,
)
from passgen_tools.record.tables import (
    RecordedDiagnostic as RecordedDiagnostic,
    RecordedExecution as RecordedExecution,
    RecordedOperation as RecordedOperation,
    RecordedPass as RecordedPass,
    RecordedRemark as RecordedRemark,
    RecordedRun as RecordedRun,
)
