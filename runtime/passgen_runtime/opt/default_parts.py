"""The parts of `passgen-opt`, in the order in which their blocks stand."""

from __future__ import annotations

from typing import Final

from passgen_runtime.opt.containment import ContainmentPart
from passgen_runtime.opt.driver_part import DriverPart
from passgen_runtime.opt.parts.actions import ActionsPart
from passgen_runtime.opt.parts.audit import AuditPart
from passgen_runtime.opt.parts.ir_printing import IRPrintingPart
from passgen_runtime.opt.parts.pipeline_cuts import EditingPart, PipelineCutsPart
from passgen_runtime.opt.parts.recording import RecordingPart
from passgen_runtime.opt.parts.remarks import RemarksPart
from passgen_runtime.opt.parts.reproducers import ReproducersPart
from passgen_runtime.opt.parts.resuming import ResumingPart
from passgen_runtime.opt.parts.skipping import SkippingPart
from passgen_runtime.opt.parts.statistics import StatisticsPart
from passgen_runtime.opt.parts.streams import ProgressPart, StandardStreamsPart
from passgen_runtime.opt.parts.timing import TimingPart
from passgen_runtime.opt.parts.verify_diagnostics import VerifyDiagnosticsPart
from passgen_runtime.opt.parts.workers import WorkersPart

DEFAULT_PARTS: Final[tuple[type[DriverPart], ...]] = (
    ContainmentPart,
    VerifyDiagnosticsPart,
    PipelineCutsPart,
    ResumingPart,
    SkippingPart,
    WorkersPart,
    IRPrintingPart,
    ReproducersPart,
    TimingPart,
    StatisticsPart,
    RecordingPart,
    RemarksPart,
    ActionsPart,
    StandardStreamsPart,
    AuditPart,
    ProgressPart,
    EditingPart,
)
