"""The parts of `passgen-opt`, in the order in which their blocks stand."""

from __future__ import annotations

from typing import Final

from passgen_tools.opt.containment import ContainmentPart
from passgen_tools.opt.driver_part import DriverPart
from passgen_tools.opt.parts.actions import ActionsPart
from passgen_tools.opt.parts.audit import AuditPart
from passgen_tools.opt.parts.explanations import ExplanationsPart
from passgen_tools.opt.parts.ir_printing import IRPrintingPart
from passgen_tools.opt.parts.pass_coverage import PassCoveragePart
from passgen_tools.opt.parts.pipeline_cuts import EditingPart, PipelineCutsPart
from passgen_tools.opt.parts.progress import ProgressPart
from passgen_tools.opt.parts.recording import RecordingPart
from passgen_tools.opt.parts.remarks import RemarksPart
from passgen_tools.opt.parts.reproducers import ReproducersPart
from passgen_tools.opt.parts.resuming import ResumingPart
from passgen_tools.opt.parts.skipping import SkippingPart
from passgen_tools.opt.parts.statistics import StatisticsPart
from passgen_tools.opt.parts.timing import TimingPart
from passgen_tools.opt.parts.verify_diagnostics import VerifyDiagnosticsPart
from passgen_tools.opt.parts.workers import WorkersPart

DEFAULT_PARTS: Final[tuple[type[DriverPart], ...]] = (
    ContainmentPart,
    VerifyDiagnosticsPart,
    PipelineCutsPart,
    ResumingPart,
    SkippingPart,
    ExplanationsPart,
    WorkersPart,
    IRPrintingPart,
    ReproducersPart,
    TimingPart,
    StatisticsPart,
    RecordingPart,
    RemarksPart,
    ActionsPart,
    AuditPart,
    ProgressPart,
    PassCoveragePart,
    EditingPart,
)
